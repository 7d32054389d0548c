#pragma once

// A DNS message in words, whatever carried it.

#include "analysis/decoded_packet.hh"
#include "analysis/dns_carriage.hh"
#include "transport/bytes.hh"

#include <expected>
#include <string>

namespace analysis {

std::expected<DnsFacts, std::string> read_dns(transport::ByteSpan wire);
// The same of a message that came inside a stream; nullopt-like facts where it cannot be parsed: id
// 0 and no question.
DnsFacts dns_facts(const CarriedMessage& carried);

}  // namespace analysis
