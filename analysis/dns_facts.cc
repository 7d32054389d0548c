#include "analysis/dns_facts.hh"

#include "transport/dns_message.hh"
#include "transport/dns_text.hh"

#include <format>

namespace analysis {
namespace {

DnsFacts facts_of(const transport::DnsMessage& message, std::size_t bytes) {
  DnsFacts facts{.response = message.response,
                 .id = message.id,
                 .questions = {},
                 .rcode = message.response ? transport::to_string(message.rcode) : std::string(),
                 .truncated = message.truncated,
                 .bytes = bytes,
                 .edns = message.edns.has_value(),
                 .padding = {},
                 .http_method = {},
                 .http_status = {}};
  for (const transport::DnsQuestion& question : message.questions)
    facts.questions.push_back(
        std::format("{} {}", question.name, transport::to_string(question.type)));
  facts.padding = dns_padding(message);
  return facts;
}

}  // namespace

std::expected<DnsFacts, std::string> read_dns(transport::ByteSpan wire) {
  const auto message = transport::parse_dns_message(wire);
  if (!message) return std::unexpected(message.error());
  return facts_of(*message, wire.size());
}

DnsFacts dns_facts(const CarriedMessage& carried) {
  DnsFacts facts;
  if (carried.message) facts = facts_of(*carried.message, carried.wire.size());
  facts.response = carried.from == End::kServer;
  facts.bytes = carried.wire.size();
  facts.http_method = carried.http_method;
  facts.http_status = carried.http_status;
  return facts;
}

}  // namespace analysis
