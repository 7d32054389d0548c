// What QUIC connections do at their ends: closing, refusing, garbage, streams and flow control.

#include "transport/quic_connection.hh"

#include "base/rng.hh"
#include "tests/transport/quic_lookup.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace transport {
namespace {

using Cause = QuicClose::Cause;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr std::uint64_t kDoqExcessiveLoad = 0x4;

// A first packet of version `version`, as large as a server wants it, with nothing of sense behind
// the header.
Bytes long_header(std::uint8_t first, std::uint32_t version, std::size_t size) {
  Bytes datagram = {first,
                    static_cast<std::uint8_t>(version >> 24U),
                    static_cast<std::uint8_t>(version >> 16U),
                    static_cast<std::uint8_t>(version >> 8U),
                    static_cast<std::uint8_t>(version),
                    8,
                    1,
                    2,
                    3,
                    4,
                    5,
                    6,
                    7,
                    8,  // DCID
                    4,
                    9,
                    9,
                    9,
                    9};  // SCID
  datagram.resize(size);
  return datagram;
}

TEST(QuicConnection, ApplicationCloseReachesTheServer) {
  Lookup lookup(0, "X25519");
  ASSERT_TRUE(lookup.run());
  lookup.network.client->close(kDoqExcessiveLoad, "enough");
  lookup.network.flush();
  ASSERT_TRUE(lookup.client.close);
  EXPECT_FALSE(lookup.client.close->by_peer);
  EXPECT_EQ(lookup.client.close->describe(), "closed: application error 0x4: enough");
  lookup.network.run_for(kRtt);
  ASSERT_EQ(lookup.log.closes.size(), 1U);
  EXPECT_EQ(lookup.log.closes[0].cause, Cause::kApplication);
  EXPECT_TRUE(lookup.log.closes[0].by_peer);
  EXPECT_EQ(lookup.log.closes[0].code, kDoqExcessiveLoad);
  EXPECT_FALSE(lookup.network.listener().expiry());
}

TEST(QuicConnection, LateDuplicatesDoNotOpenANewConnection) {
  Lookup lookup(0, "X25519");
  ASSERT_TRUE(lookup.run());
  lookup.network.client->close(0, "");
  lookup.network.flush();
  lookup.network.run_for(kRtt);
  const Bytes initial = lookup.network.sent.front().bytes;
  lookup.network.listener().receive(server_path(), initial, lookup.network.now());
  EXPECT_EQ(lookup.network.listener().counters().accepted, 1U);
  // Long after, the connection is forgotten; the next datagram clears it away.
  lookup.network.run_for(seconds(10));
  lookup.network.listener().receive(server_path(), Bytes{0x40}, lookup.network.now());
  EXPECT_EQ(lookup.network.listener().connection_count(), 0U);
}

TEST(QuicConnection, UntrustedCertificateClosesWithItsAlert) {
  Lookup lookup(0, "X25519");
  lookup.client_settings.trust_anchors_pem = make_identity(0).certificate_pem;
  EXPECT_FALSE(lookup.run());
  ASSERT_TRUE(lookup.client.close);
  EXPECT_THAT(lookup.client.close->describe(), HasSubstr("certificate verify failed"));
  EXPECT_THAT(lookup.client.close->describe(), HasSubstr("self-signed"));
  lookup.network.run_for(kRtt);
  ASSERT_EQ(lookup.log.closes.size(), 1U);
  EXPECT_THAT(lookup.log.closes[0].describe(), HasSubstr("closed by peer: transport error 0x1"));
  EXPECT_THAT(lookup.log.closes[0].describe(), HasSubstr("TLS alert"));
}

TEST(QuicConnection, ForeignProtocolIsRefused) {
  Lookup lookup(0, "X25519");
  lookup.client_settings.alpn = {std::string(kAlpnHttp3)};
  EXPECT_FALSE(lookup.run());
  ASSERT_TRUE(lookup.client.close);
  EXPECT_TRUE(lookup.client.close->by_peer);
  EXPECT_EQ(lookup.client.close->code, 0x100U + 120);
}

TEST(QuicConnection, HandshakeTimeoutEndsASilentAttempt) {
  Lookup lookup(0, "X25519");
  lookup.quic.handshake_timeout = seconds(5);
  lookup.network.path = [](const SentDatagram&) { return std::nullopt; };
  EXPECT_FALSE(lookup.run());
  ASSERT_TRUE(lookup.client.close);
  EXPECT_EQ(lookup.client.close->cause, Cause::kHandshakeTimeout);
  EXPECT_EQ(lookup.network.elapsed(), seconds(5));
}

TEST(QuicConnection, IdleConnectionsEndInSilence) {
  Lookup lookup(0, "X25519");
  lookup.quic.idle_timeout = seconds(5);
  ASSERT_TRUE(lookup.run());
  lookup.network.run_for(seconds(1));
  const std::size_t sent = lookup.network.sent.size();
  lookup.network.run_for(seconds(6));
  ASSERT_TRUE(lookup.client.close);
  EXPECT_EQ(lookup.client.close->cause, Cause::kIdleTimeout);
  // The server takes the smaller of the two timeouts.
  ASSERT_EQ(lookup.log.closes.size(), 1U);
  EXPECT_EQ(lookup.log.closes[0].cause, Cause::kIdleTimeout);
  EXPECT_EQ(lookup.network.sent.size(), sent);
}

TEST(QuicConnection, QlogTellsTheStory) {
  Lookup lookup(0, "X25519");
  std::string log;
  bool ended = false;
  lookup.quic.qlog = [&](ByteSpan piece, bool last) {
    log += base::as_text(piece);
    ended = ended || last;
  };
  ASSERT_TRUE(lookup.run());
  lookup.network.client.reset();
  EXPECT_THAT(log, HasSubstr("transport:packet_sent"));
  EXPECT_TRUE(ended);
}

TEST(QuicConnection, StatisticsKnowTheRoundTrip) {
  Lookup lookup(0, "X25519");
  EXPECT_FALSE(lookup.network.client);
  ASSERT_TRUE(lookup.run());
  const QuicStatistics statistics = lookup.network.client->facts().statistics;
  EXPECT_EQ(statistics.min_rtt, kRtt);
  EXPECT_EQ(statistics.packets_lost, 0U);
  EXPECT_GE(statistics.bytes_sent, 1200U);
}

class Listener : public testing::Test {
 protected:
  void receive(ByteSpan datagram) {
    lookup.network.listener().receive(server_path(), datagram, lookup.network.now());
    lookup.network.flush();
  }
  const QuicListenerCounters& counters() { return lookup.network.listener().counters(); }
  Lookup lookup{0, "X25519"};
};

TEST_F(Listener, AnswersUnknownVersionsOnlyToLargeDatagrams) {
  receive(long_header(0xc0, 0x1a2a3a4a, 1199));
  EXPECT_TRUE(lookup.network.sent.empty());
  receive(long_header(0xc0, 0x1a2a3a4a, 1200));
  ASSERT_EQ(lookup.network.sent.size(), 1U);
  const Bytes& answer = lookup.network.sent[0].bytes;
  // Version 0, the IDs changed over, and version 1 as the only one offered (RFC 8999 section 6).
  EXPECT_THAT(
      Bytes(answer.begin() + 1, answer.end()),
      testing::ElementsAre(0, 0, 0, 0, 4, 9, 9, 9, 9, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 1));
  EXPECT_EQ(counters().version_negotiations_sent, 1U);
}

TEST_F(Listener, IgnoresGarbage) {
  base::Rng rng(7);
  for (int round = 0; round < 3000; ++round) {
    Bytes datagram(rng.below(1400));
    for (std::uint8_t& byte : datagram) byte = static_cast<std::uint8_t>(rng.below(256));
    if (datagram.size() > 5) datagram[1] = datagram[2] = datagram[3] = 0, datagram[4] = 1;
    receive(datagram);
  }
  receive(Bytes{});
  EXPECT_TRUE(lookup.network.sent.empty());
  EXPECT_EQ(lookup.log.questions, 0U);
}

TEST_F(Listener, DamagedInitialsBreakNothing) {
  AskingClient idle;
  idle.network = &lookup.network;
  lookup.network.path = [](const SentDatagram&) { return std::nullopt; };
  lookup.network.connect(lookup.client_settings, lookup.quic, idle);
  const Bytes initial = lookup.network.sent.front().bytes;
  base::Rng rng(8);
  for (int round = 0; round < 500; ++round) {
    Bytes damaged = initial;
    damaged[rng.below(60)] ^= static_cast<std::uint8_t>(1 + rng.below(255));
    receive(damaged);
  }
  lookup.network.path = [](const SentDatagram&) { return base::Nanoseconds(0); };
  EXPECT_TRUE(lookup.network.run_until([&] { return idle.answered_at.has_value(); }, seconds(10)));
}

TEST_F(Listener, RefusesATokenOfAnotherAddress) {
  Lookup retrying(0, "X25519", RetryPolicy::kAlways);
  ASSERT_TRUE(retrying.run());
  // The client's second Initial, with its token, comes again from another port once the connection
  // is forgotten.
  const auto is_second = [](const SentDatagram& datagram) {
    return datagram.from_client && datagram.ordinal == 1;
  };
  const Bytes with_token = std::ranges::find_if(retrying.network.sent, is_second)->bytes;
  retrying.network.client->close(0, "");
  retrying.network.flush();
  retrying.network.run_for(seconds(5));
  UdpPath other = server_path();
  reinterpret_cast<sockaddr*>(&other.remote.storage)->sa_data[1] ^= 1;
  retrying.network.listener().receive(other, with_token, retrying.network.now());
  retrying.network.flush();
  EXPECT_EQ(retrying.network.listener().counters().invalid_tokens, 1U);
  EXPECT_EQ(retrying.network.listener().counters().accepted, 1U);
}

TEST(QuicListener, HasALimit) {
  const Identity identity = make_identity(0);
  ServerLog log;
  QuicNetwork network(server_tls(identity, TlsCarrier::kQuic, kAlpnDoq),
                      {.connection = {}, .max_connections = 0},
                      [&log] { return std::make_unique<AnsweringSession>(log); });
  AskingClient client;
  client.network = &network;
  network.connect(client_tls(identity, TlsCarrier::kQuic, kAlpnDoq, "X25519"), {}, client);
  network.run_for(kRtt);
  EXPECT_EQ(network.listener().counters().ignored_datagrams, 1U);
  EXPECT_EQ(network.listener().connection_count(), 0U);
}

}  // namespace
}  // namespace transport
