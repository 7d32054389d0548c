#include "clients/dns_query.hh"

#include "base/errors.hh"
#include "transport/dns_text.hh"

#include <openssl/rand.h>

#include <algorithm>
#include <format>

namespace clients {
namespace {

using transport::DnsMessage;
using transport::DnsQuestion;
using transport::DnsRecord;
using transport::RecordType;

std::uint16_t random_id() {
  std::uint8_t bytes[2];
  if (::RAND_bytes(bytes, sizeof bytes) != 1) throw base::LabError("no random query ID");
  return static_cast<std::uint16_t>(bytes[0] << 8U | bytes[1]);
}

bool wants_id_zero(Transport transport) {
  return runs_over_http(transport) || transport == Transport::kDoq;
}

bool same_question(const DnsQuestion& left, const DnsQuestion& right) {
  return transport::same_name(left.name, right.name) && left.type == right.type &&
         left.record_class == right.record_class;
}

// A CNAME answers a question of any type (RFC 1034, section 3.6.2).
bool is_relevant(const DnsRecord& record, const DnsQuestion& question) {
  return question.type == RecordType::kAny || record.type == question.type ||
         record.type == RecordType::kCname;
}

std::optional<std::string> find_fault(const DnsQuery& query, const DnsMessage& answer) {
  const std::string rcode = to_string(answer.rcode);
  if (answer.id != query.id)
    return std::format("answer has ID {}, the query had {}", answer.id, query.id);
  if (!answer.response) return "a query came back where an answer was expected";
  if (answer.questions.size() != 1 || !same_question(answer.questions.front(), query.question))
    return std::format("answer does not repeat the question ({})", rcode);
  if (answer.truncated && query.transport != Transport::kDo53)
    return std::format("answer is truncated (TC) although {} has room", to_string(query.transport));
  if (answer.rcode == transport::Rcode::kNoError && !answer.answers.empty() &&
      std::ranges::none_of(answer.answers, [&](const DnsRecord& record) {
        return is_relevant(record, query.question);
      })) {
    return std::format("answer has records, but none of type {}", to_string(query.question.type));
  }
  return std::nullopt;
}

}  // namespace

DnsQuery make_dns_query(const QuerySpec& spec) {
  DnsQuery query{.id = wants_id_zero(spec.transport) ? std::uint16_t{0} : random_id(),
                 .question = spec.question,
                 .transport = spec.transport,
                 .wire = {}};
  const bool padded = spec.padding == Padding::kRfc8467 && is_encrypted(spec.transport);
  query.wire = transport::encode_dns_message(transport::make_query(query.id, spec.question),
                                             padded ? transport::kQueryPaddingBlock : 0);
  return query;
}

std::expected<CheckedAnswer, std::string> check_answer(const DnsQuery& query,
                                                       transport::ByteSpan wire) {
  const auto answer = transport::parse_dns_message(wire);
  if (!answer) return std::unexpected("malformed answer: " + answer.error());
  if (auto fault = find_fault(query, *answer)) return std::unexpected(*std::move(fault));
  CheckedAnswer checked{.rcode = to_string(answer->rcode),
                        .truncated = answer->truncated,
                        .facts = {.bytes = wire.size(), .records = {}}};
  for (const DnsRecord& record : answer->answers)
    checked.facts.records.push_back(to_string(record));
  return checked;
}

bool claims_to_answer(const DnsQuery& query, transport::ByteSpan datagram) {
  constexpr std::size_t kHeaderBytes = 12;
  constexpr std::uint8_t kResponseBit = 0x80;
  return datagram.size() >= kHeaderBytes && datagram[0] == query.id >> 8U &&
         datagram[1] == (query.id & 0xffU) && (datagram[2] & kResponseBit) != 0;
}

void settle(QueryProgress& progress, const std::expected<CheckedAnswer, std::string>& answer) {
  if (progress.ended()) return;
  if (!answer) {
    progress.fail(answer.error());
    return;
  }
  progress.record().rcode = answer->rcode;
  progress.record().answer = answer->facts;
  progress.answer();
}

}  // namespace clients
