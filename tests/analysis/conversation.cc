#include "tests/analysis/conversation.hh"

#include <gtest/gtest.h>

#include <memory>

namespace analysis {
namespace {

Decoded decode_as_is(Carriage carriage, const Conversation& conversation) {
  const std::unique_ptr<DnsCarriage> decoder = make_dns_carriage(carriage);
  for (const auto& [from, stream, bytes, fin] : conversation) {
    decoder->take(from, stream, bytes, fin);
  }
  return {.messages = decoder->take_messages(), .problem = decoder->problem()};
}

}  // namespace

Decoded decode(Carriage carriage, const Conversation& conversation) {
  Conversation single_bytes;
  for (const auto& [from, stream, bytes, fin] : conversation) {
    if (bytes.empty()) single_bytes.push_back({from, stream, {}, fin});
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      single_bytes.push_back({from, stream, {bytes[at]}, fin && at + 1 == bytes.size()});
    }
  }
  Decoded decoded = decode_as_is(carriage, conversation);
  const Decoded again = decode_as_is(carriage, single_bytes);
  EXPECT_EQ(decoded.messages, again.messages);
  EXPECT_EQ(decoded.problem, again.problem);
  return decoded;
}

transport::Bytes carried_bytes(const Conversation& conversation, const CarriedMessage& message) {
  transport::Bytes sent;
  for (const Piece& piece : conversation) {
    if (piece.from != message.from) continue;
    // Over TLS all pieces are of one stream.
    if (message.needs_fin && piece.stream != message.stream) continue;
    transport::append(sent, piece.bytes);
  }
  transport::Bytes carried;
  for (const ByteRange& range : message.ranges) {
    transport::append(carried,
                      transport::ByteSpan(sent).subspan(range.first, range.end - range.first));
  }
  return carried;
}

transport::Bytes query_wire(std::uint16_t id) {
  return encode_dns_message(transport::make_query(id, {.name = "a.lab.test"}),
                            transport::kQueryPaddingBlock);
}

transport::Bytes answer_wire(std::uint16_t id) {
  transport::DnsMessage answer =
      make_response(*transport::parse_dns_message(query_wire(id)), transport::Rcode::kNoError);
  answer.answers.push_back({.name = "a.lab.test", .ttl = 60, .rdata = {192, 0, 2, 1}});
  return encode_dns_message(answer, transport::kResponsePaddingBlock);
}

Conversation one_after_the_other(const Conversation& conversation, End from) {
  Conversation joined = {{from, 0, {}, false}, {other(from), 0, {}, false}};
  for (const Piece& piece : conversation) {
    transport::append(joined[piece.from == from ? 0 : 1].bytes, piece.bytes);
  }
  return joined;
}

}  // namespace analysis
