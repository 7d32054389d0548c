#pragma once

// Everything over TCP: Do53/TCP, DoT and DoH2. The ClientHello is made while the SYN travels;
// Finished and request leave in one segment; prefix and message do too.

#include "clients/client_socket.hh"
#include "clients/exchange.hh"
#include "clients/stream_carrier.hh"
#include "transport/bytes.hh"
#include "transport/tls_stream.hh"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace clients {

class StreamExchange final : public Exchange {
 public:
  explicit StreamExchange(const ExchangeContext& context);
  ~StreamExchange() override;

  void start() override;
  void ask_again() override;
  // close_notify and FIN leave in one segment.
  void close() override;

 private:
  void open_tls();
  void on_ready(std::uint32_t events);
  bool finish_connecting(std::uint32_t events);
  void read_socket(std::uint32_t events);
  void take_in(transport::ByteSpan bytes);
  void note_handshake();
  void end_of_stream();
  // Of the connection, also when no query is under way.
  void fail(std::string why);
  void flush();
  void collect_output();

  ExchangeContext context_;
  std::optional<ClientSocket> socket_;
  std::unique_ptr<StreamCarrier> carrier_;
  std::optional<transport::TlsStream> tls_;
  transport::Bytes output_;  // for the socket, in order
  bool connected_ = false;
  bool handshake_noted_ = false;
  std::optional<std::string> failure_;
};

}  // namespace clients
