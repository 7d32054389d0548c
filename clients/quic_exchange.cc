#include "clients/quic_exchange.hh"

#include "clients/tls_record.hh"

#include <sys/epoll.h>

#include <algorithm>
#include <cstring>

namespace clients {
namespace {

using captures::Phases;

transport::QuicSettings settings_of(const ExchangeContext& context) {
  const QuerySpec& spec = context.spec;
  transport::QuicSettings settings;
  settings.initial_rtt = spec.initial_rtt;
  settings.max_udp_payload = spec.max_udp_payload;
  settings.pmtud = spec.pmtud;
  settings.seed = spec.quic_seed;
  // The query's own timeout ends it, never an idle connection.
  settings.idle_timeout = std::max(settings.idle_timeout, 2 * spec.timeout);
  if (context.resumption != nullptr) settings.resumption = *context.resumption;
  settings.early_data = spec.connection == Connection::kEarlyData;
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

void QuicExchange::open_socket(std::uint16_t local_port) {
  if (socket_) context_.loop.forget(socket_->number());
  socket_.emplace(SocketKind::kUdp, context_.spec.server, local_port, context_.buffer);
  socket_->forbid_fragments();
  const int error = socket_->connect();
  context_.progress.record().flows.push_back(socket_->flow());
  if (error != 0) return context_.progress.fail(std::strerror(error));
  path_ = {.local = socket_->local(), .remote = socket_->server()};
  context_.loop.watch(socket_->number(), EPOLLIN, [this](std::uint32_t) { on_ready(); });
}

void QuicExchange::start() {
  open_socket(context_.spec.local_port);
  if (context_.progress.ended()) return;
  connection_ = transport::QuicConnection::connect(*context_.tls, settings_of(context_),
                                                   context_.spec.server_name, path_,
                                                   context_.progress.start(), *this);
  carrier_ = make_quic_carrier(context_.spec, *connection_, context_.progress);
  flush();
}

void QuicExchange::ask_again() {
  now_ = std::max(now_, context_.progress.start());
  earlier_retries_ = connection_->facts().retries;
  if (connection_->closed()) {
    context_.progress.record().flows.push_back(socket_->flow());
    return context_.progress.fail(connection_->closed()->describe());
  }
  if (context_.spec.connection == Connection::kWarm) {
    context_.progress.record().flows.push_back(socket_->flow());
  } else {
    move();
  }
  if (context_.progress.ended()) return;
  carrier_->ask_again();
  flush();
}

void QuicExchange::move() {
  // A fixed port is followed by the next one.
  const std::uint16_t port = context_.spec.local_port;
  open_socket(port == 0 ? port : static_cast<std::uint16_t>(port + 1));
  if (context_.progress.ended()) return;
  if (context_.spec.connection == Connection::kMigrated) {
    connection_->migrate(path_, now_);
  } else {
    connection_->rebind(path_);
  }
}

void QuicExchange::remember(transport::Resumption& resumption) const {
  if (connection_ && connection_->handshake_completed())
    resumption.quic_parameters = connection_->resumption_parameters();
}

void QuicExchange::on_ready() {
  now_ = std::max(now_, context_.loop.woken_at());
  int error = 0;
  for (const transport::ByteSpan datagram : socket_->receive_datagrams(&error)) {
    if (context_.progress.closing()) return;
    connection_->receive(path_, datagram, now_);
  }
  // An ICMP error ends the query as a refused TCP connection would, though QUIC itself would go on
  // trying.
  if (error != 0) context_.progress.fail(std::strerror(error));
  // The farewell takes the place of whatever is still to be sent.
  if (!context_.progress.closing()) flush();
}

void QuicExchange::on_timer() {
  timer_.reset();
  now_ = std::max(now_, context_.loop.woken_at());
  connection_->handle_expiry(now_);
  if (!context_.progress.closing()) flush();
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
  context_.progress.record().retries = facts.retries - earlier_retries_;
  if (connection_->handshake_completed()) record_tls_facts(facts.tls, context_.progress.record());
  context_.progress.record().early_data.attempted = facts.early_data_offered;
}

void QuicExchange::on_early_data_rejected() {
  carrier_->on_early_data_rejected();
}

void QuicExchange::on_handshake_completed() {
  context_.progress.mark(&Phases::handshake);
  note_facts();
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
