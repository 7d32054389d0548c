#pragma once

// Packets, sums and failures in words.

#include "analysis/accounting.hh"
#include "analysis/cause.hh"
#include "analysis/exchange.hh"
#include "base/clock.hh"
#include "captures/query_record.hh"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace analysis {

// What a packet is, short: "SYN", "Initial 0 [ClientHello 1-1162 of 1461]", "1-RTT 3 [ACK, DNS
// answer]". Details: all frames and ranges instead of the short form.
enum class Details { kShort, kAll };
std::string describe_packet(const DecodedPacket& packet, Details details);

// A part of the sum in words: "QUIC handshake" for "quic_handshake".
std::string_view part_words(std::string_view what);

// "40.0 ms"
std::string milliseconds_text(base::Nanoseconds time);

// What the timer that sent events[index] made good: "client Initial 0 [ClientHello] lost"; where it
// was made of an estimate far from the path's round trip, that too. Empty where nothing is to be
// said.
std::string timer_note(const Exchange& exchange, std::size_t index, const Cause& cause);

// "3600 of 3600 bytes sent, 4131 wanted, 531 short": the budget when the client's packet `request`
// ended the stall.
std::string stall_note(const Exchange& exchange, std::size_t request);

// "1079.1 ms = 2 RTT (QUIC handshake, query) + 999.0 ms QUIC probe timeout (...)".
std::string sum_text(base::Nanoseconds total, const Explanation& explanation);

// Of a query without an answer: what was lost and never made good, or how far it got.
Explanation explain_failure(const Exchange& exchange, const captures::QueryRecord& record);

}  // namespace analysis
