#include "endpoints/tcp_listener.hh"

#include "endpoints/bound_socket.hh"
#include "endpoints/certificate_chain.hh"
#include "endpoints/dns_stream_session.hh"
#include "tests/endpoints/loopback_client.hh"
#include "transport/dns_framing.hh"
#include "transport/dns_text.hh"
#include "transport/tls_context.hh"
#include "transport/tls_stream.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace endpoints {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using transport::Bytes;
using namespace std::chrono_literals;

Bytes framed_query(std::uint16_t id) {
  return transport::frame_message(transport::encode_dns_message(
      transport::make_query(id, transport::parse_question("a.lab.test A").value())));
}

std::vector<std::uint16_t> answer_ids(const Bytes& stream) {
  transport::MessageDeframer deframer;
  deframer.receive(stream);
  std::vector<std::uint16_t> ids;
  while (const auto message = deframer.next())
    ids.push_back(transport::parse_dns_message(*message).value().id);
  return ids;
}

class TcpListenerTest : public testing::Test {
 protected:
  void listen(Carrier carrier, const transport::TlsContext* tls = nullptr,
              base::Nanoseconds idle_timeout = 30s) {
    base::FileDescriptor socket = listen_tcp(socket_address("127.0.0.1", 0), "test");
    address_ = bound_address(socket);
    listener_.emplace(
        loop_, std::move(socket),
        TcpListenerSettings{
            .tls = tls,
            .make_session =
                [this, carrier] { return std::make_unique<DnsStreamSession>(responder_, carrier); },
            .idle_timeout = idle_timeout,
            .log = [this](std::string_view line) { log_.emplace_back(line); }});
  }
  LoopbackClient connect() { return {loop_, address_, SOCK_STREAM}; }

  base::SystemClock clock_;
  base::EventLoop loop_{clock_};
  Responder responder_{Zone({transport::parse_record("a.lab.test 60 A 192.0.2.1").value()}),
                       {.answer_bytes = 3000}};
  transport::SocketAddress address_;
  std::vector<std::string> log_;
  std::optional<TcpListener> listener_;
};

constexpr std::size_t kAnswerOnStream = 3002;

TEST_F(TcpListenerTest, AnswersQueriesThatComeInPiecesAndTogether) {
  listen(Carrier::kStream);
  LoopbackClient client = connect();
  const Bytes query = framed_query(1);
  client.send(transport::ByteSpan(query).first(1));
  loop_.run_once(clock_.now() + 1s);
  client.send(transport::ByteSpan(query).subspan(1));
  EXPECT_THAT(answer_ids(client.receive(kAnswerOnStream)), ElementsAre(1));
  Bytes several = framed_query(2);
  transport::append(several, framed_query(3));
  transport::append(several, framed_query(4));
  client.send(several);
  EXPECT_THAT(answer_ids(client.receive(3 * kAnswerOnStream)), ElementsAre(2, 3, 4));
  EXPECT_FALSE(client.ended());
}

TEST_F(TcpListenerTest, AnswersBeforeItFollowsTheClientsEnd) {
  listen(Carrier::kStream);
  LoopbackClient client = connect();
  client.send(framed_query(7));
  client.end();
  EXPECT_THAT(answer_ids(client.receive()), ElementsAre(7));
  EXPECT_TRUE(client.ended());
}

TEST_F(TcpListenerTest, KeepsAnswersForAClientThatReadsLate) {
  listen(Carrier::kStream);
  LoopbackClient client = connect();
  constexpr std::uint16_t kQueries = 3000;  // 9 MB of answers: more than the sockets hold
  Bytes queries;
  for (std::uint16_t id = 0; id < kQueries; ++id) transport::append(queries, framed_query(id));
  // Everything is sent before anything is read, as far as the server takes it.
  std::size_t sent = 0;
  for (int round = 0; round < 200 && sent < queries.size(); ++round) {
    const auto rest = transport::ByteSpan(queries).subspan(sent);
    const ssize_t count = ::send(client.socket().number(), rest.data(), rest.size(), MSG_DONTWAIT);
    if (count > 0) sent += static_cast<std::size_t>(count);
    loop_.run_once(clock_.now() + 1ms);
  }
  ASSERT_EQ(sent, queries.size());
  client.end();
  EXPECT_EQ(client.receive().size(), kQueries * kAnswerOnStream);
}

TEST_F(TcpListenerTest, ClosesOnWhatIsNoQuery) {
  listen(Carrier::kStream);
  for (const Bytes& noise : {Bytes{0, 3, 1, 2, 3}, Bytes{0, 0}, Bytes(64, 0xff)}) {
    LoopbackClient client = connect();
    client.send(noise);
    client.end();
    EXPECT_THAT(client.receive(), IsEmpty());
    EXPECT_TRUE(client.ended());
  }
}

TEST_F(TcpListenerTest, ClosesIdleConnections) {
  listen(Carrier::kStream, nullptr, 50ms);
  LoopbackClient client = connect();
  client.send(framed_query(1));
  const base::Instant start = clock_.now();
  EXPECT_THAT(answer_ids(client.receive()), ElementsAre(1));
  EXPECT_TRUE(client.ended());
  EXPECT_GE(clock_.now() - start, 50ms);
}

TEST_F(TcpListenerTest, WaitsForADescriptorWithoutSpinning) {
  listen(Carrier::kStream);
  // The sanitizer needs descriptors of its own where it sees a type for the first time, so
  // everything happens once before there are none.
  LoopbackClient first = connect();
  first.send(framed_query(7));
  EXPECT_THAT(answer_ids(first.receive(kAnswerOnStream)), ElementsAre(7));
  loop_.run_once(clock_.now());
  LoopbackClient client = connect();
  client.send(framed_query(1));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  int wake_ups = 0;
  const base::Instant end = clock_.now() + TcpListener::kPause / 2;
  for (; clock_.now() < end; ++wake_ups) loop_.run_once(end);
  EXPECT_LE(wake_ups, 3);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(answer_ids(client.receive(kAnswerOnStream)), ElementsAre(1));
}

class TlsListenerTest : public TcpListenerTest {
 protected:
  TlsListenerTest() {
    transport::TlsSettings server;
    server.role = transport::Role::kServer;
    server.alpn = {"dot"};
    server.certificate_chain_pem = chain_.certificates_pem;
    server.private_key_pem = chain_.private_key_pem;
    server_.emplace(server);
    transport::TlsSettings client;
    client.alpn = {"dot"};
    client.verification = transport::Verification::kAnchors;
    client.trust_anchors_pem = chain_.anchor_pem;
    client_.emplace(client);
    listen(Carrier::kEncrypted, &*server_);
  }

  CertificateChain chain_ = make_chain({.chain_bytes = 3900});
  std::optional<transport::TlsContext> server_;
  std::optional<transport::TlsContext> client_;
};

TEST_F(TlsListenerTest, AnswersInTheFlightAfterTheHandshakeAndSaysGoodbye) {
  LoopbackClient client = connect();
  transport::TlsStream tls(*client_, "dns.lab.test");
  tls.write(framed_query(9));
  client.send(tls.take_output());
  while (!tls.handshake_complete() && !tls.failure()) tls.receive(client.receive(1));
  ASSERT_FALSE(tls.failure()) << *tls.failure();
  tls.close();
  client.send(tls.take_output());  // Finished, query and close_notify
  client.end();
  tls.receive(client.receive());
  EXPECT_THAT(answer_ids(tls.take_plaintext()), ElementsAre(9));
  EXPECT_TRUE(tls.peer_closed());
  EXPECT_FALSE(tls.failure());
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(TlsListenerTest, SaysWhoFailedAndWhy) {
  LoopbackClient client = connect();
  client.send(framed_query(1));  // DNS in plaintext
  client.receive();
  EXPECT_TRUE(client.ended());
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_THAT(log_.front(), HasSubstr("127.0.0.1:"));
  EXPECT_THAT(log_.front(), HasSubstr("TLS"));
}

}  // namespace
}  // namespace endpoints
