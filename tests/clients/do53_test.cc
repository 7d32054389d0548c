#include "base/errors.hh"
#include "tests/clients/conversations.hh"
#include "tests/clients/query_fixture.hh"
#include "transport/dns_framing.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace clients {
namespace {

using captures::Outcome;
using std::chrono::milliseconds;
using testing::HasSubstr;
using transport::Bytes;
using transport::ByteSpan;
using transport::DnsMessage;

class Do53 : public QueryFixture {};

TEST_F(Do53, AsksWithOneDatagram) {
  const UdpServer server([](ByteSpan query) { return Datagrams{answer_to(query)}; });
  const auto record = runner_.run(spec_for(Transport::kDo53, server.address()));
  expect_answered(record);
  EXPECT_FALSE(record.phases.connect);
  EXPECT_FALSE(record.phases.handshake);
  EXPECT_FALSE(record.group);
  EXPECT_EQ(record.keylog, "");
  ASSERT_EQ(record.flows.size(), 1U);
  EXPECT_EQ(record.flows[0].protocol, "udp");
  EXPECT_EQ(record.flows[0].local_address, "127.0.0.1");
  EXPECT_NE(record.flows[0].local_port, 0);
  EXPECT_EQ(record.settings.padding, "none");
}

TEST_F(Do53, IgnoresAndCountsStrays) {
  const UdpServer server([](ByteSpan query) {
    Bytes other = answer_to(query, [](DnsMessage& answer) { answer.id ^= 1U; });
    return Datagrams{other, Bytes{1, 2, 3}, Bytes(), Bytes(query.begin(), query.end()),
                     answer_to(query)};
  });
  const auto record = runner_.run(spec_for(Transport::kDo53, server.address()));
  expect_answered(record);
  EXPECT_EQ(record.ignored_datagrams, 4U);
}

TEST_F(Do53, DoesNotRepeatALostDatagram) {
  std::atomic<int> queries = 0;
  const UdpServer server([&](ByteSpan) {
    ++queries;
    return Datagrams();
  });
  QuerySpec spec = spec_for(Transport::kDo53, server.address());
  spec.timeout = milliseconds(300);
  const auto begin = clock_.now();
  const auto record = runner_.run(spec);
  EXPECT_EQ(record.outcome, Outcome::kNoAnswer);
  EXPECT_FALSE(record.error);
  EXPECT_FALSE(record.time);
  EXPECT_TRUE(record.phases.sent);
  EXPECT_GE(clock_.now() - begin, spec.timeout);
  EXPECT_EQ(queries, 1);
}

TEST_F(Do53, FailsWhereNobodyListens) {
  SocketAddress closed;
  {
    const UdpServer server([](ByteSpan) { return Datagrams(); });
    closed = server.address();
  }
  const auto record = runner_.run(spec_for(Transport::kDo53, closed));
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_EQ(record.error, "Connection refused");
  const auto over_tcp = runner_.run(spec_for(Transport::kDo53Tcp, closed));
  EXPECT_EQ(over_tcp.outcome, Outcome::kFailed);
  EXPECT_THAT(over_tcp.error.value_or(""), HasSubstr("Connection refused"));
}

TEST_F(Do53, ReportsAnAnswerToAnotherQuestion) {
  const UdpServer server([](ByteSpan query) {
    return Datagrams{
        answer_to(query, [](DnsMessage& answer) { answer.questions[0].name = "b.lab.test"; })};
  });
  const auto record = runner_.run(spec_for(Transport::kDo53, server.address()));
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_THAT(record.error.value_or(""), HasSubstr("does not repeat the question"));
}

TEST_F(Do53, TurnsToTcpWhenTruncated) {
  const UdpServer udp([](ByteSpan query) {
    return Datagrams{answer_to(query, [](DnsMessage& answer) {
      answer.truncated = true;
      answer.answers.clear();
    })};
  });
  const TcpServer tcp([] { return make_framed_conversation(framed_answer); }, udp.address());
  const auto record = runner_.run(spec_for(Transport::kDo53, udp.address()));
  expect_answered(record);
  EXPECT_EQ(record.fallback, "tcp");
  EXPECT_TRUE(record.phases.connect);
  ASSERT_EQ(record.flows.size(), 2U);
  EXPECT_EQ(record.flows[1].protocol, "tcp");
}

TEST_F(Do53, SendsFromTheLocalPortThatItIsTold) {
  const UdpServer server([](ByteSpan query) { return Datagrams{answer_to(query)}; });
  QuerySpec spec = spec_for(Transport::kDo53, server.address());
  {
    const UdpServer free_port([](ByteSpan) { return Datagrams(); });
    spec.local_port = port_of(free_port.address());
    EXPECT_THROW(runner_.run(spec), base::SystemError);  // in use: this machine's trouble
  }
  const auto record = runner_.run(spec);
  expect_answered(record);
  EXPECT_EQ(record.flows[0].local_port, spec.local_port);
}

class Do53Tcp : public QueryFixture {};

TEST_F(Do53Tcp, ReadsAnAnswerInPieces) {
  const TcpServer server([] { return make_framed_conversation(framed_answer); });
  const auto record = runner_.run(spec_for(Transport::kDo53Tcp, server.address()));
  expect_answered(record);
  EXPECT_TRUE(record.phases.connect);
  EXPECT_FALSE(record.phases.handshake);
}

TEST_F(Do53Tcp, ReportsAnEarlyEnd) {
  const TcpServer server([] {
    class HangUp final : public Conversation {
      std::optional<Bytes> receive(ByteSpan) override { return std::nullopt; }
    };
    return std::make_unique<HangUp>();
  });
  const auto record = runner_.run(spec_for(Transport::kDo53Tcp, server.address()));
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_THAT(record.error.value_or(""), HasSubstr("closed the connection"));
}

TEST_F(Do53Tcp, ReportsAWrongId) {
  const TcpServer server([] {
    return make_framed_conversation([](ByteSpan query) {
      return transport::frame_message(
          answer_to(query, [](DnsMessage& answer) { answer.id ^= 1U; }));
    });
  });
  const auto record = runner_.run(spec_for(Transport::kDo53Tcp, server.address()));
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_THAT(record.error.value_or(""), HasSubstr("answer has ID"));
}

}  // namespace
}  // namespace clients
