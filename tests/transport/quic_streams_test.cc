// Streams of one QUIC connection: order, limits, flow control, resets.

#include "base/rng.hh"
#include "tests/transport/quic_network.hh"
#include "transport/quic_send_queue.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace transport {
namespace {

using std::chrono::seconds;

// Keeps what comes on each stream; tests act on the connection themselves.
class Recorder final : public QuicSession {
 public:
  void attach(QuicConnection& attached) override { connection = &attached; }
  void on_handshake_completed() override { handshake = true; }
  void on_stream_data(StreamId stream, ByteSpan bytes, bool fin) override {
    append(streams[stream], bytes);
    if (fin) ended.push_back(stream);
    if (fin && echo) connection->write(stream, streams[stream], true);
  }
  void on_stream_reset(StreamId, std::uint64_t code) override { reset_code = code; }
  void on_stop_sending(StreamId, std::uint64_t code) override { stop_code = code; }
  void on_stream_closed(StreamId stream) override { closed.push_back(stream); }
  void on_closed(const QuicClose&) override {}

  QuicConnection* connection = nullptr;
  bool handshake = false;
  bool echo = false;
  std::map<StreamId, Bytes> streams;
  std::vector<StreamId> ended;
  std::vector<StreamId> closed;
  std::optional<std::uint64_t> reset_code;
  std::optional<std::uint64_t> stop_code;
};

class QuicStreams : public testing::Test {
 protected:
  void connect(QuicSettings server_settings = {}) {
    network.emplace(server_tls(identity, TlsCarrier::kQuic, kAlpnDoq),
                    QuicListenerSettings{.connection = std::move(server_settings)}, [this] {
                      auto session = std::make_unique<Recorder>();
                      server = session.get();
                      server->echo = true;
                      return session;
                    });
    network->connect(client_tls(identity, TlsCarrier::kQuic, kAlpnDoq, "X25519"), {}, client);
    EXPECT_FALSE(network->client->open_bidi_stream());
    ASSERT_TRUE(network->run_until([this] { return client.handshake; }, seconds(1)));
  }
  StreamId send(const Bytes& bytes) {
    const StreamId stream = network->client->open_bidi_stream().value();
    network->client->write(stream, bytes, true);
    network->flush();
    return stream;
  }
  bool run_until_closed(std::size_t streams) {
    return network->run_until([&] { return client.closed.size() >= streams; }, seconds(20));
  }

  Identity identity = make_identity(0);
  Recorder client;
  Recorder* server = nullptr;
  std::optional<QuicNetwork> network;
};

TEST_F(QuicStreams, LargeDataArrivesWholeDespiteLoss) {
  connect();
  base::Rng rng(3);
  network->path = [&rng](const SentDatagram&) -> std::optional<base::Nanoseconds> {
    if (rng.below(100) < 3) return std::nullopt;
    return base::Nanoseconds(0);
  };
  Bytes data(400'000);
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(rng.below(256));
  const StreamId stream = send(data);
  ASSERT_TRUE(run_until_closed(1));
  EXPECT_EQ(client.streams[stream], data);
}

TEST_F(QuicStreams, ManySmallStreamsShareDatagrams) {
  connect();
  network->run_for(seconds(1));
  const std::size_t before = network->sent.size();
  for (int i = 0; i < 40; ++i) {
    const StreamId stream = network->client->open_bidi_stream().value();
    network->client->write(stream, Bytes{1, 2, 3}, true);
  }
  network->flush();
  EXPECT_EQ(network->sent.size() - before, 1U);
  ASSERT_TRUE(run_until_closed(40));
  EXPECT_EQ(client.streams.size(), 40U);
}

TEST_F(QuicStreams, StreamLimitIsHeldAndRenewed) {
  QuicSettings settings;
  settings.max_bidi_streams = 4;
  connect(settings);
  for (std::size_t i = 0; i < 4; ++i) send({9});
  EXPECT_FALSE(network->client->open_bidi_stream());
  ASSERT_TRUE(run_until_closed(4));
  network->run_for(seconds(1));
  for (std::size_t i = 0; i < 4; ++i) send({9});
  EXPECT_TRUE(run_until_closed(8));
}

TEST_F(QuicStreams, ResetReachesThePeer) {
  connect();
  const StreamId stream = network->client->open_bidi_stream().value();
  network->client->write(stream, Bytes{1}, false);
  network->flush();
  network->run_for(kRtt);
  network->client->reset_stream(stream, 3);
  network->flush();
  network->run_for(kRtt);
  EXPECT_EQ(server->reset_code, 3U);
  // Writing to what is gone has no effect.
  network->client->write(stream, Bytes{1}, true);
  network->flush();
  network->run_for(kRtt);
  EXPECT_TRUE(server->ended.empty());
  EXPECT_FALSE(server->stop_code);
}

TEST_F(QuicStreams, StopSendingReachesThePeer) {
  connect();
  server->echo = false;
  const StreamId stream = send({1});
  network->run_for(kRtt);
  network->client->stop_sending(stream, 4);
  network->flush();
  network->run_for(2 * kRtt);
  EXPECT_EQ(server->stop_code, 4U);
  EXPECT_THAT(server->closed, testing::ElementsAre(stream));
  server->connection->write(stream, Bytes{1}, true);
  network->listener().touch(*server->connection);
  network->flush();
  network->run_for(kRtt);
  EXPECT_EQ(client.streams.count(stream), 0U);
}

TEST_F(QuicStreams, ServerWritesOutsideOfEventsAfterTouch) {
  connect();
  server->echo = false;
  const StreamId stream = send({1});
  network->run_for(kRtt);
  server->connection->write(stream, Bytes{5, 6}, true);
  network->listener().touch(*server->connection);
  network->flush();
  network->run_for(kRtt);
  EXPECT_EQ(client.streams[stream], (Bytes{5, 6}));
}

TEST(SendBuffer, KeepsWhatIsNotAcknowledged) {
  SendBuffer buffer;
  buffer.append(Bytes{1, 2, 3}, false);
  buffer.append(Bytes{4, 5}, true);
  buffer.append(Bytes{6}, true);  // after the end
  buffer.sent(4);
  ASSERT_EQ(buffer.unsent().size(), 1U);
  EXPECT_EQ(buffer.unsent()[0].len, 1U);
  EXPECT_EQ(buffer.unsent()[0].base[0], 5);
  EXPECT_TRUE(buffer.has_unsent());
  buffer.sent(1);
  EXPECT_FALSE(buffer.has_unsent());
  buffer.acknowledged(4);
  buffer.acknowledged(5);
  EXPECT_TRUE(buffer.unsent().empty());
}

TEST(SendQueue, ServesInOrderAroundBlockedStreams) {
  SendQueue queue;
  EXPECT_EQ(queue.next(), -1);
  queue.append(8, Bytes{1}, false);
  queue.append(4, Bytes{}, true);
  EXPECT_EQ(queue.next(), 8);
  queue.block(8);
  EXPECT_EQ(queue.next(), 4);
  queue.sent(4, 0);
  EXPECT_EQ(queue.next(), -1);
  queue.unblock_all();
  EXPECT_EQ(queue.next(), 8);
  queue.erase(8);
  EXPECT_EQ(queue.next(), -1);
}

}  // namespace
}  // namespace transport
