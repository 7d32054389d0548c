#pragma once

// The DNS side of a query: the message that is sent, and whether what came back answers it.

#include "captures/query_record.hh"
#include "clients/query_progress.hh"
#include "clients/query_spec.hh"
#include "transport/bytes.hh"
#include "transport/dns_message.hh"

#include <cstdint>
#include <expected>
#include <string>

namespace clients {

struct DnsQuery {
  std::uint16_t id = 0;
  transport::DnsQuestion question;
  Transport transport = Transport::kDo53;  // decides whether an answer may be truncated
  transport::Bytes wire;                   // without a length prefix
};

// One question, RD set, EDNS(0). The ID is 0 where the protocol wants or prefers it (DoQ: RFC 9250,
// section 4.2.1; DoH: RFC 8484, section 4.1), else random. Padded to 128 bytes where the spec says
// so and the transport is encrypted (RFC 8467, section 4.1).
DnsQuery make_dns_query(const QuerySpec& spec);

struct CheckedAnswer {
  std::string rcode;
  bool truncated = false;
  captures::AnswerFacts facts;
};

// The answer to `query` in `wire`, or why it is none: another ID, no response, another question,
// records that have nothing to do with the question. Every RCODE and an empty answer section are
// answers. TC is an answer over UDP only: elsewhere nothing could have been too long.
std::expected<CheckedAnswer, std::string> check_answer(const DnsQuery& query,
                                                       transport::ByteSpan wire);

// Whether a UDP datagram claims to answer `query`. Others are strays or forgeries and not this
// query's business (RFC 5452).
bool claims_to_answer(const DnsQuery& query, transport::ByteSpan datagram);

// Ends the query with the checked answer, or with what is wrong with it.
void settle(QueryProgress& progress, const std::expected<CheckedAnswer, std::string>& answer);

}  // namespace clients
