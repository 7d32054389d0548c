#include "endpoints/datagram_responder.hh"

#include "endpoints/bound_socket.hh"
#include "tests/endpoints/loopback_client.hh"
#include "transport/dns_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

namespace endpoints {
namespace {

using transport::Bytes;

class DatagramResponderTest : public testing::TestWithParam<const char*> {
 protected:
  DatagramResponderTest() {
    const auto any = socket_address(GetParam(), 0);
    base::FileDescriptor socket = bind_udp(any, Fragmentation::kAsNeeded, "test");
    address_ = bound_address(socket);
    served_.emplace(loop_, DatagramSocket(std::move(socket), address_), responder_);
  }

  static Bytes query(std::uint16_t id) {
    return transport::encode_dns_message(
        transport::make_query(id, transport::parse_question("a.lab.test A").value()));
  }

  base::SystemClock clock_;
  base::EventLoop loop_{clock_};
  Responder responder_{Zone({transport::parse_record("a.lab.test 60 A 192.0.2.1").value()}), {}};
  transport::SocketAddress address_;
  std::optional<DatagramResponder> served_;
};

TEST_P(DatagramResponderTest, AnswersWhatIsAQueryAndNothingElse) {
  LoopbackClient client(loop_, address_, SOCK_DGRAM);
  client.send(Bytes{1, 2, 3});
  client.send(Bytes(600, 0xff));
  client.send(query(5));
  const Bytes answer = client.receive(12);
  const auto message = transport::parse_dns_message(answer);
  ASSERT_TRUE(message.has_value()) << message.error();
  EXPECT_EQ(message->id, 5);
  EXPECT_EQ(message->answers.size(), 1U);
}

TEST_P(DatagramResponderTest, AnswersMoreThanOneBatch) {
  constexpr std::uint16_t kQueries = 3 * DatagramSocket::kBatch + 5;
  LoopbackClient client(loop_, address_, SOCK_DGRAM);
  for (std::uint16_t id = 0; id < kQueries; ++id) client.send(query(id));
  std::set<std::uint16_t> answered;
  for (std::uint16_t turn = 0; turn < kQueries; ++turn) {
    const Bytes answer = client.receive(12);
    // Several datagrams may have been read at once: they have equal lengths.
    const std::size_t length = answer.size() % 55 == 0 ? 55 : answer.size();
    for (std::size_t at = 0; at < answer.size(); at += length)
      answered.insert(
          transport::parse_dns_message(transport::ByteSpan(answer).subspan(at, length)).value().id);
    if (answered.size() == kQueries) break;
  }
  EXPECT_EQ(answered.size(), kQueries);
}

INSTANTIATE_TEST_SUITE_P(Families, DatagramResponderTest, testing::Values("127.0.0.1", "::1"));

TEST(BoundSocket, SaysWhatToDoAboutATakenPort) {
  const base::FileDescriptor first = listen_tcp(socket_address("127.0.0.1", 0), "dot");
  try {
    listen_tcp(bound_address(first), "dot");
    FAIL() << "the port is taken";
  } catch (const base::SystemError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("dot: listen on 127.0.0.1:"));
    EXPECT_THAT(error.what(), testing::HasSubstr("--port-offset"));
  }
}

}  // namespace
}  // namespace endpoints
