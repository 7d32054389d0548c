#pragma once

// QUIC frames as qlog has them (draft-ietf-quic-qlog-quic-events, of qlog 0.4).

#include "analysis/quic_frame.hh"
#include "transport/bytes.hh"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace analysis {

// "0a1b", as qlog writes bytes.
std::string qlog_hex(transport::ByteSpan bytes);

// `ack_delay_exponent` is that of the frame's sender.
nlohmann::ordered_json qlog_frame(const QuicFrame& frame, std::uint64_t ack_delay_exponent);

}  // namespace analysis
