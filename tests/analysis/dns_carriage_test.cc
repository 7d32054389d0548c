#include "analysis/dns_carriage.hh"

#include "tests/analysis/conversation.hh"
#include "transport/dns_framing.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using transport::Bytes;
using transport::frame_message;

Bytes operator+(Bytes left, const Bytes& right) {
  transport::append(left, right);
  return left;
}

TEST(DotCarriage, FindsManyMessagesOfBothDirections) {
  const Bytes first = frame_message(query_wire(1));
  const Bytes second = frame_message(query_wire(2));
  const Decoded decoded = decode(
      Carriage::kDot,
      {{.bytes = first + second}, {.from = End::kServer, .bytes = frame_message(answer_wire(2))}});
  EXPECT_THAT(decoded.problem, IsEmpty());
  ASSERT_EQ(decoded.messages.size(), 3U);
  const CarriedMessage& query = decoded.messages[1];
  EXPECT_EQ(query.from, End::kClient);
  EXPECT_EQ(query.wire, query_wire(2));
  EXPECT_EQ(query.message->id, 2);
  EXPECT_EQ(query.first_byte(), first.size());
  EXPECT_EQ(query.end_byte(), first.size() + second.size());
  EXPECT_FALSE(query.needs_fin);
  EXPECT_EQ(decoded.messages[2].from, End::kServer);
  EXPECT_EQ(decoded.messages[2].first_byte(), 0U);
  EXPECT_TRUE(decoded.messages[2].message->response);
}

TEST(DotCarriage, MalformedAnswerIsAMessageWithAnError) {
  const Decoded decoded = decode(
      Carriage::kDot, {{.from = End::kServer,
                        .bytes = frame_message(answer_wire()) + frame_message(Bytes{1, 2, 3}) +
                                 frame_message(answer_wire())}});
  EXPECT_THAT(decoded.problem, IsEmpty());
  ASSERT_EQ(decoded.messages.size(), 3U);
  EXPECT_FALSE(decoded.messages[1].message);
  EXPECT_EQ(decoded.messages[1].wire, (Bytes{1, 2, 3}));
  EXPECT_TRUE(decoded.messages[2].message);
}

TEST(DotCarriage, StreamFromItsMiddleIsNotRead) {
  const Bytes whole = frame_message(query_wire()) + frame_message(query_wire());
  const Decoded decoded =
      decode(Carriage::kDot, {{.bytes = Bytes(whole.begin() + 2, whole.end())},
                              {.from = End::kServer, .bytes = frame_message(answer_wire())}});
  EXPECT_THAT(decoded.problem, HasSubstr("client: the first message is not DNS"));
  EXPECT_THAT(decoded.problem, HasSubstr("capture may begin within"));
  // The other direction is read.
  EXPECT_TRUE(decoded.messages.back().message);
  EXPECT_EQ(decoded.messages.back().from, End::kServer);
}

TEST(DotCarriage, EndWithinAMessageIsAProblem) {
  Bytes cut = frame_message(query_wire());
  cut.pop_back();
  const Decoded decoded = decode(Carriage::kDot, {{.bytes = cut, .fin = true}});
  EXPECT_EQ(decoded.problem, "client: the stream ends within a message");
  EXPECT_THAT(decoded.messages, IsEmpty());
}

TEST(DoqCarriage, EachStreamHasItsQueryAndAnswer) {
  Conversation conversation;
  for (const std::uint64_t stream : {0U, 4U}) {
    conversation.push_back({End::kClient, stream, frame_message(query_wire()), true});
  }
  for (const std::uint64_t stream : {4U, 0U}) {
    conversation.push_back({End::kServer, stream, frame_message(answer_wire()), false});
    conversation.push_back({End::kServer, stream, {}, true});
  }
  const Decoded decoded = decode(Carriage::kDoq, conversation);
  EXPECT_THAT(decoded.problem, IsEmpty());
  ASSERT_EQ(decoded.messages.size(), 4U);
  EXPECT_EQ(decoded.messages[2].from, End::kServer);
  EXPECT_EQ(decoded.messages[2].stream, 4U);
  EXPECT_THAT(decoded.messages[2].ranges,
              ElementsAre(ByteRange{.first = 0, .end = 2 + answer_wire().size()}));
}

TEST(DoqCarriage, OddStreamsAreProblems) {
  const Bytes query = frame_message(query_wire());
  EXPECT_THAT(decode(Carriage::kDoq, {{.stream = 8, .bytes = query + query}}).problem,
              "client, stream 8: more than one query");
  EXPECT_THAT(decode(Carriage::kDoq, {{.from = End::kServer, .stream = 3, .bytes = query}}).problem,
              HasSubstr("server, stream 3: DNS over QUIC has"));
  EXPECT_THAT(decode(Carriage::kDoq, {{.bytes = {0}, .fin = true}}).problem,
              "client, stream 0: ends within a message");
}

TEST(DoqCarriage, OldestOfTooManyStreamsIsGivenUp) {
  const auto decoder = make_dns_carriage(Carriage::kDoq);
  const Bytes query = frame_message(query_wire());
  const auto head = transport::ByteSpan(query).first(3);
  for (std::uint64_t count = 0; count < kMaxOpenStreams; ++count) {
    decoder->take(End::kClient, 4 * count, head, false);
  }
  // A stream that was reset makes room.
  decoder->reset(End::kClient, 4);
  decoder->take(End::kClient, 4 * kMaxOpenStreams, head, false);
  EXPECT_THAT(decoder->problem(), IsEmpty());
  decoder->take(End::kClient, 4 * kMaxOpenStreams + 4, query, false);
  EXPECT_THAT(decoder->problem(), HasSubstr("client: more than"));
  EXPECT_EQ(decoder->take_messages().size(), 1U);
}

TEST(DnsPadding, IsTheLengthOfTheOption) {
  const auto padded = transport::parse_dns_message(query_wire());
  // Header 12, question 16, OPT record 11, option's head 4; padding fills up to 128.
  EXPECT_EQ(dns_padding(*padded), 128 - 12 - 16 - 11 - 4);
  transport::DnsMessage query = transport::make_query(0, {.name = "a.lab.test"});
  EXPECT_EQ(dns_padding(query), std::nullopt);
  query.edns->options.push_back({.code = transport::kOptionPadding, .data = {}});
  EXPECT_EQ(dns_padding(query), 0U);
  query.edns.reset();
  EXPECT_EQ(dns_padding(query), std::nullopt);
}

}  // namespace
}  // namespace analysis
