#pragma once

// A DoQ lookup of our own transport, every datagram of which is kept, with the keys of the
// connection.

#include "analysis/end.hh"
#include "captures/ip_packet.hh"
#include "tests/transport/quic_network.hh"
#include "transport/dns_framing.hh"
#include "transport/dns_message.hh"

#include <memory>
#include <string>
#include <utility>

namespace analysis {

inline transport::Bytes doq_query() {
  return transport::frame_message(encode_dns_message(
      transport::make_query(0, {.name = "a.lab.test"}), transport::kQueryPaddingBlock));
}

// The client's end: asks `queries` times, one after the other.
class DoqClient final : public transport::QuicEvents {
 public:
  explicit DoqClient(std::size_t queries) : left_(queries) {}
  void on_handshake_completed() override { ask(); }
  void on_stream_data(transport::StreamId, transport::ByteSpan, bool fin) override {
    if (fin && --left_ > 0) ask();
  }
  void on_closed(const transport::QuicClose&) override {}
  bool done() const { return left_ == 0; }

  transport::QuicNetwork* network = nullptr;

 private:
  void ask() {
    const auto stream = network->client->open_bidi_stream();
    network->client->write(stream.value(), doq_query(), true);
  }

  std::size_t left_;
};

class DoqSession final : public transport::QuicSession {
 public:
  void attach(transport::QuicConnection& connection) override { connection_ = &connection; }
  void on_stream_data(transport::StreamId stream, transport::ByteSpan, bool fin) override {
    if (!fin) return;
    const auto query = transport::parse_dns_message(transport::ByteSpan(doq_query()).subspan(2));
    const auto answer = make_response(*query, transport::Rcode::kNxDomain);
    connection_->write(
        stream,
        transport::frame_message(encode_dns_message(answer, transport::kResponsePaddingBlock)),
        true);
  }
  void on_closed(const transport::QuicClose&) override {}

 private:
  transport::QuicConnection* connection_ = nullptr;
};

struct QuicTalk {
  std::vector<transport::SentDatagram> sent;
  std::string keylog;
};

struct QuicTalkSettings {
  std::string_view group = "X25519";
  std::size_t certificate_bytes = 0;
  transport::RetryPolicy retry = transport::RetryPolicy::kNever;
  std::size_t queries = 1;
};

inline QuicTalk quic_talk(const QuicTalkSettings& settings = {}) {
  using namespace transport;
  QuicTalk talk;
  const Identity identity = make_identity(settings.certificate_bytes);
  QuicNetwork network(server_tls(identity, TlsCarrier::kQuic, kAlpnDoq),
                      {.connection = {}, .retry = settings.retry},
                      [] { return std::make_unique<DoqSession>(); });
  TlsSettings tls = client_tls(identity, TlsCarrier::kQuic, kAlpnDoq, settings.group);
  tls.keylog = [&](std::string_view line) { talk.keylog += std::string(line) + '\n'; };
  DoqClient client(settings.queries);
  client.network = &network;
  network.connect(tls, {}, client);
  network.run_until([&] { return client.done(); }, std::chrono::seconds(10));
  network.run_for(std::chrono::seconds(1));
  network.client->close(0, "");
  network.flush();
  talk.sent = std::move(network.sent);
  return talk;
}

// `payload` as a parser of IP packets leaves it; it views the bytes.
inline captures::IpPacket udp_packet(transport::ByteSpan payload) {
  captures::IpPacket packet;
  packet.tuple.protocol = captures::IpProtocol::kUdp;
  packet.ip_length = static_cast<std::uint32_t>(28 + payload.size());
  packet.payload = payload;
  return packet;
}

}  // namespace analysis
