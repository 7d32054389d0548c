#pragma once

// DoQ and DoH3: one UDP socket, one QUIC connection, one carrier on it. Per wake-up one call
// receives all datagrams and at most one sends all answers; the connection's timer costs no call.
// Datagrams are never handed to the kernel as one large piece (GSO): the network must see each.

#include "base/event_loop.hh"
#include "clients/client_socket.hh"
#include "clients/exchange.hh"
#include "clients/quic_carrier.hh"
#include "transport/bytes.hh"
#include "transport/quic_connection.hh"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace clients {

class QuicExchange final : public Exchange, private transport::QuicEvents {
 public:
  explicit QuicExchange(const ExchangeContext& context) : context_(context) {}
  ~QuicExchange() override;

  void start() override;
  void ask_again() override;
  void remember(transport::Resumption& resumption) const override;
  void expire() override;
  // CONNECTION_CLOSE in place of anything that waits to be sent.
  void close() override;

 private:
  void on_ready();
  void on_timer();
  void flush();
  void arm_timer();
  void queue_datagrams();
  void send_queued();
  void note_facts();
  void open_socket(std::uint16_t local_port);
  void move();

  void on_early_data_rejected() override;
  void on_handshake_completed() override;
  void on_stream_data(transport::StreamId stream, transport::ByteSpan bytes, bool fin) override;
  void on_stream_reset(transport::StreamId stream, std::uint64_t code) override;
  void on_stop_sending(transport::StreamId stream, std::uint64_t code) override;
  void on_stream_closed(transport::StreamId stream) override;
  void on_streams_available() override;
  void on_closed(const transport::QuicClose& close) override;

  ExchangeContext context_;
  std::optional<ClientSocket> socket_;
  transport::UdpPath path_;
  std::unique_ptr<transport::QuicConnection> connection_;
  std::unique_ptr<QuicCarrier> carrier_;
  std::vector<transport::Bytes> queued_;
  std::optional<base::EventLoop::TimerId> timer_;
  std::uint64_t earlier_retries_ = 0;  // before the query that is under way
  // What the connection was last told. It must not go back, though a timer's flush may have read a
  // later instant than the wake-up's, which a datagram of the same wake-up gets.
  base::Instant now_;
};

}  // namespace clients
