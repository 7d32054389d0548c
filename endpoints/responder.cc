#include "endpoints/responder.hh"

#include "endpoints/bad_spec.hh"
#include "transport/dns_text.hh"

#include <algorithm>
#include <format>
#include <utility>

namespace endpoints {
namespace {

using transport::Bytes;
using transport::DnsMessage;
using transport::DnsRecord;
using transport::Rcode;
using transport::RecordType;

constexpr std::uint8_t kOpcodeQuery = 0;
constexpr std::size_t kLongestText = 255;  // of one string of a TXT record

// TXT data of `length` bytes exactly, 1 or more: strings of x, each behind its length byte.
Bytes filler_text(std::size_t length) {
  Bytes text;
  while (length > 0) {
    const std::size_t string = std::min(length - 1, kLongestText);
    text.push_back(static_cast<std::uint8_t>(string));
    text.insert(text.end(), string, 'x');
    length -= string + 1;
  }
  return text;
}

std::uint32_t smallest_ttl(const DnsMessage& message) {
  const std::vector<DnsRecord>& records =
      message.answers.empty() ? message.authorities : message.answers;
  if (records.empty()) return 0;
  return std::ranges::min_element(records, {}, &DnsRecord::ttl)->ttl;
}

std::size_t datagram_limit(const DnsMessage& query, std::size_t own_limit) {
  const std::size_t theirs = query.edns ? query.edns->udp_size : transport::kPlainUdpLimit;
  return std::min(std::max<std::size_t>(theirs, transport::kPlainUdpLimit), own_limit);
}

// The question alone with TC set: the asker comes back over TCP (RFC 2181 section 9).
Bytes truncated(const DnsMessage& response) {
  DnsMessage stub = response;
  stub.truncated = true;
  stub.answers.clear();
  stub.authorities.clear();
  stub.additionals.clear();
  return transport::encode_dns_message(stub);
}

}  // namespace

Responder::Responder(Zone zone, const AnswerSettings& settings)
    : zone_(std::move(zone)), settings_(settings) {
  if (settings_.answer_bytes > 0) check_answer_bytes();
}

std::optional<Answer> Responder::answer(transport::ByteSpan wire, Carrier carrier) const {
  const auto parsed = transport::parse_dns_message(wire);
  if (!parsed) {
    const auto header = transport::salvage_dns_header(wire);
    if (!header) return std::nullopt;
    return Answer{.message = transport::encode_dns_message(
                      transport::make_response(*header, Rcode::kFormErr)),
                  .lifetime = 0};
  }
  const DnsMessage& query = *parsed;
  if (query.response) return std::nullopt;

  const DnsMessage response = compose(query);
  const bool pad = carrier == Carrier::kEncrypted && settings_.padding && query.edns &&
                   query.edns->has_option(transport::kOptionPadding);
  Answer answer{.message = transport::encode_dns_message(
                    response, pad ? transport::kResponsePaddingBlock : 0),
                .lifetime = smallest_ttl(response)};
  if (carrier == Carrier::kDatagram &&
      answer.message.size() > datagram_limit(query, settings_.udp_limit))
    answer.message = truncated(response);
  return answer;
}

DnsMessage Responder::compose(const DnsMessage& query) const {
  if (query.opcode != kOpcodeQuery) return transport::make_response(query, Rcode::kNotImp);
  if (query.questions.size() != 1) return transport::make_response(query, Rcode::kFormErr);
  if (query.edns && query.edns->version > 0)
    return transport::make_response(query, Rcode::kBadVers);
  if (query.questions.front().record_class != transport::kClassIn)
    return transport::make_response(query, Rcode::kRefused);

  ZoneAnswer found = zone_.find(query.questions.front());
  DnsMessage response = transport::make_response(query, found.rcode);
  response.authoritative = found.rcode == Rcode::kNoError || found.rcode == Rcode::kNxDomain;
  response.answers = std::move(found.answers);
  response.authorities = std::move(found.authorities);
  if (settings_.answer_bytes > 0 && !response.answers.empty()) fill(response);
  return response;
}

bool Responder::fill(DnsMessage& response) const {
  if (transport::encode_dns_message(response).size() == settings_.answer_bytes) return true;
  DnsRecord filler{.name = response.questions.front().name,
                   .type = RecordType::kTxt,
                   .record_class = transport::kClassIn,
                   .ttl = 0,
                   .rdata = filler_text(1)};
  response.additionals.push_back(filler);
  const std::size_t smallest = transport::encode_dns_message(response).size();
  response.additionals.pop_back();
  if (smallest > settings_.answer_bytes) return false;
  filler.rdata = filler_text(1 + settings_.answer_bytes - smallest);
  response.additionals.push_back(std::move(filler));
  return true;
}

void Responder::check_answer_bytes() const {
  if (settings_.answer_bytes > transport::kMaxDnsMessage)
    throw BadSpec(std::format("an answer of {} bytes: a DNS message has at most {}",
                              settings_.answer_bytes, transport::kMaxDnsMessage));
  for (const DnsRecord& record : zone_.records()) {
    const DnsMessage query = transport::make_query(0, {.name = record.name, .type = record.type});
    DnsMessage response = transport::make_response(query, Rcode::kNoError);
    response.answers = zone_.find(query.questions.front()).answers;
    const std::size_t length = transport::encode_dns_message(response).size();
    if (!fill(response))
      throw BadSpec(std::format(
          "an answer of {0} bytes: the answer to {1} {2} has {3} as it comes, "
          "and a little more than that at least when it is filled",
          settings_.answer_bytes, record.name, transport::to_string(record.type), length));
  }
}

}  // namespace endpoints
