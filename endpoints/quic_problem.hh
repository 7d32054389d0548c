#pragma once

// Which ends of QUIC connections somebody should hear about.

#include "transport/quic_events.hh"

#include <cstdint>
#include <optional>
#include <string>

namespace endpoints {

// nullopt for an orderly end: the application's "no error", which is `no_error_code`, or silence
// after the handshake.
std::optional<std::string> quic_problem(const transport::QuicClose& close,
                                        std::uint64_t no_error_code);

}  // namespace endpoints
