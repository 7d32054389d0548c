#pragma once

// The least that DNS over QUIC does, at both ends: one query on a stream, one answer back.

#include "base/file_descriptor.hh"
#include "tests/transport/quic_network.hh"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace transport {

// Asks as soon as the handshake allows.
class AskingClient final : public QuicEvents {
 public:
  void on_handshake_completed() override {
    handshake_at = network->elapsed();
    const std::optional<StreamId> stream = network->client->open_bidi_stream();
    network->client->write(stream.value(), question, true);
  }
  void on_stream_data(StreamId, ByteSpan bytes, bool fin) override {
    append(answer, bytes);
    if (fin) answered_at = network->elapsed();
  }
  void on_stream_reset(StreamId, std::uint64_t code) override { reset_code = code; }
  void on_stop_sending(StreamId, std::uint64_t code) override { stop_code = code; }
  void on_closed(const QuicClose& reason) override { close = reason; }

  QuicNetwork* network = nullptr;
  Bytes question{'q', 'u', 'e', 's', 't', 'i', 'o', 'n'};
  std::optional<base::Nanoseconds> handshake_at;
  std::optional<base::Nanoseconds> answered_at;
  Bytes answer;
  std::optional<std::uint64_t> reset_code;
  std::optional<std::uint64_t> stop_code;
  std::optional<QuicClose> close;
};

// What all sessions of a test's server have seen.
struct ServerLog {
  std::vector<QuicClose> closes;
  std::vector<QuicFacts> facts;  // when a question came
  std::size_t questions = 0;
  Bytes answer{'a', 'n', 's', 'w', 'e', 'r'};  // to every question
};

class AnsweringSession final : public QuicSession {
 public:
  explicit AnsweringSession(ServerLog& log) : log_(log) {}
  void attach(QuicConnection& connection) override { connection_ = &connection; }
  void on_stream_data(StreamId stream, ByteSpan, bool fin) override {
    if (!fin) return;
    ++log_.questions;
    log_.facts.push_back(connection_->facts());
    connection_->write(stream, log_.answer, true);
  }
  void on_closed(const QuicClose& close) override { log_.closes.push_back(close); }

 private:
  ServerLog& log_;
  QuicConnection* connection_ = nullptr;
};

// One lookup of a client over a certificate of `chain_bytes`.
class Lookup {
 public:
  Lookup(std::size_t chain_bytes, std::string_view group, RetryPolicy retry = RetryPolicy::kNever)
      : identity(make_identity(chain_bytes)),
        network(server_tls(identity, TlsCarrier::kQuic, kAlpnDoq),
                {.connection = {}, .retry = retry},
                [this] { return std::make_unique<AnsweringSession>(log); }),
        client_settings(client_tls(identity, TlsCarrier::kQuic, kAlpnDoq, group)) {
    client.network = &network;
  }
  // Whether the answer came within ten seconds.
  bool run() {
    network.connect(client_settings, quic, client);
    return network.run_until([this] { return client.answered_at || client.close; },
                             std::chrono::seconds(10)) &&
           client.answered_at;
  }

  Identity identity;
  ServerLog log;
  QuicNetwork network;
  TlsSettings client_settings;
  QuicSettings quic;
  AskingClient client;
};

}  // namespace transport
