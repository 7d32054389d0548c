#include "clients/quic_exchange.hh"

#include "clients/tls_record.hh"

#include <sys/epoll.h>

#include <algorithm>
#include <cstring>

namespace clients {
namespace {

using captures::Phases;

transport::QuicSettings settings_of(const QuerySpec& spec) {
  transport::QuicSettings settings;
  settings.initial_rtt = spec.initial_rtt;
  settings.max_udp_payload = spec.max_udp_payload;
  settings.pmtud = spec.pmtud;
  settings.seed = spec.quic_seed;
  // The query's own timeout ends it, never an idle connection.
  settings.idle_timeout = std::max(settings.idle_timeout, 2 * spec.timeout);
  // A DoQ server opens no streams (RFC 9250, section 4.2), an HTTP/3 server three unidirectional
  // ones.
  settings.max_bidi_streams = 0;
  if (spec.transport == Transport::kDoq) settings.max_uni_streams = 0;
  return settings;
}

}  // namespace

QuicExchange::~QuicExchange() {
  if (timer_) context_.loop.cancel(*timer_);
  if (socket_) context_.loop.forget(socket_->number());
}

void QuicExchange::start() {
  socket_.emplace(SocketKind::kUdp, context_.spec.server, context_.spec.local_port,
                  context_.buffer);
  socket_->forbid_fragments();
  const int error = socket_->connect();
  context_.progress.record().flows.push_back(socket_->flow());
  if (error != 0) {
    context_.progress.fail(std::strerror(error));
    return;
  }
  path_ = {.local = socket_->local(), .remote = socket_->server()};
  connection_ = transport::QuicConnection::connect(*context_.tls, settings_of(context_.spec),
                                                   context_.spec.server_name, path_,
                                                   context_.progress.start(), *this);
  carrier_ = make_quic_carrier(context_.spec, *connection_, context_.progress);
  flush();
  context_.loop.watch(socket_->number(), EPOLLIN, [this](std::uint32_t) { on_ready(); });
}

void QuicExchange::on_ready() {
  now_ = std::max(now_, context_.loop.woken_at());
  int error = 0;
  for (const transport::ByteSpan datagram : socket_->receive_datagrams(&error)) {
    if (context_.progress.ended()) return;
    connection_->receive(path_, datagram, now_);
  }
  // An ICMP error ends the query as a refused TCP connection would, though QUIC itself would go on
  // trying.
  if (error != 0) context_.progress.fail(std::strerror(error));
  // The farewell takes the place of whatever is still to be sent.
  if (!context_.progress.ended()) flush();
}

void QuicExchange::on_timer() {
  timer_.reset();
  now_ = std::max(now_, context_.loop.woken_at());
  connection_->handle_expiry(now_);
  if (!context_.progress.ended()) flush();
}

void QuicExchange::flush() {
  // Cryptography may have taken milliseconds since the wake-up; round trips and timers begin with
  // the datagram.
  now_ = context_.loop.clock().now();
  // Asked before: what is queued now is in the datagrams of this flush.
  const bool carries_request = carrier_->request_queued();
  queue_datagrams();
  send_queued();
  if (carries_request) context_.progress.mark(&Phases::sent);
  arm_timer();
}

void QuicExchange::queue_datagrams() {
  connection_->flush(now_, [this](const transport::UdpPath&, transport::ByteSpan datagram) {
    queued_.emplace_back(datagram.begin(), datagram.end());
  });
}

void QuicExchange::send_queued() {
  const int error = socket_->send_datagrams(queued_);
  queued_.clear();
  if (error != 0) context_.progress.fail(std::strerror(error));
}

void QuicExchange::arm_timer() {
  const auto due = connection_->expiry();
  if (timer_ && due == timer_->first) return;
  if (timer_) context_.loop.cancel(*timer_);
  timer_.reset();
  if (due) timer_ = context_.loop.at(*due, [this] { on_timer(); });
}

void QuicExchange::expire() {
  if (carrier_) carrier_->expire();
}

void QuicExchange::close() {
  if (!connection_) return;
  note_facts();
  carrier_->close();
  now_ = std::max(now_, context_.loop.woken_at());
  queue_datagrams();
  send_queued();
}

void QuicExchange::note_facts() {
  const transport::QuicFacts facts = connection_->facts();
  context_.progress.record().retries = facts.retries;
  if (connection_->handshake_completed()) record_tls_facts(facts.tls, context_.progress.record());
}

void QuicExchange::on_handshake_completed() {
  context_.progress.mark(&Phases::handshake);
  carrier_->on_handshake_completed();
}

void QuicExchange::on_stream_data(transport::StreamId stream, transport::ByteSpan bytes, bool fin) {
  carrier_->on_stream_data(stream, bytes, fin);
}

void QuicExchange::on_stream_reset(transport::StreamId stream, std::uint64_t code) {
  carrier_->on_stream_reset(stream, code);
}

void QuicExchange::on_stop_sending(transport::StreamId stream, std::uint64_t code) {
  carrier_->on_stop_sending(stream, code);
}

void QuicExchange::on_stream_closed(transport::StreamId stream) {
  carrier_->on_stream_closed(stream);
}

void QuicExchange::on_streams_available() {
  carrier_->on_streams_available();
}

void QuicExchange::on_closed(const transport::QuicClose& close) {
  context_.progress.fail(close.describe());
}

}  // namespace clients
