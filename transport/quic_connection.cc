#include "transport/quic_connection.hh"

#include "transport/quic_core.hh"

#include <format>
#include <utility>

namespace transport {

std::unique_ptr<QuicConnection> QuicConnection::connect(const TlsContext& context,
                                                        const QuicSettings& settings,
                                                        std::string_view server_name,
                                                        const UdpPath& path, base::Instant now,
                                                        QuicEvents& events) {
  auto core = std::make_unique<Core>(context, settings, events);
  core->start_client(server_name, path, now);
  return std::unique_ptr<QuicConnection>(new QuicConnection(std::move(core)));
}

std::unique_ptr<QuicConnection> QuicConnection::accept(const TlsContext& context,
                                                       const QuicSettings& settings,
                                                       const QuicAcceptance& acceptance,
                                                       base::Instant now, QuicEvents& events) {
  auto core = std::make_unique<Core>(context, settings, events);
  core->start_server(acceptance, now);
  return std::unique_ptr<QuicConnection>(new QuicConnection(std::move(core)));
}

// What follows only passes on; quic_core.hh says where things are done.
QuicConnection::QuicConnection(std::unique_ptr<Core> core) : core_(std::move(core)) {}
QuicConnection::~QuicConnection() = default;

QuicConnection::Received QuicConnection::receive(const UdpPath& path, ByteSpan datagram,
                                                 base::Instant now) {
  return core_->receive(path, datagram, now);
}
void QuicConnection::flush(base::Instant now, const DatagramSink& sink) {
  core_->flush(now, sink);
}
std::optional<base::Instant> QuicConnection::expiry() const {
  return core_->expiry();
}
void QuicConnection::handle_expiry(base::Instant now) {
  core_->handle_expiry(now);
}

std::optional<StreamId> QuicConnection::open_bidi_stream() {
  return core_->open_stream(true);
}
std::optional<StreamId> QuicConnection::open_uni_stream() {
  return core_->open_stream(false);
}
void QuicConnection::write(StreamId stream, ByteSpan bytes, bool fin) {
  core_->write(stream, bytes, fin);
}
void QuicConnection::reset_stream(StreamId stream, std::uint64_t code) {
  core_->shut_stream(stream, code, false);
}
void QuicConnection::stop_sending(StreamId stream, std::uint64_t code) {
  core_->shut_stream(stream, code, true);
}
void QuicConnection::close(std::uint64_t application_code, std::string_view reason) {
  core_->close(application_code, reason);
}

bool QuicConnection::handshake_completed() const {
  return core_->handshake_completed();
}
bool QuicConnection::early_data_offered() const {
  return core_->early_data_offered();
}
Bytes QuicConnection::resumption_parameters() const {
  return core_->resumption_parameters();
}
void QuicConnection::migrate(const UdpPath& path, base::Instant now) {
  core_->migrate(path, now);
}
void QuicConnection::rebind(const UdpPath& path) {
  core_->rebind(path);
}
const std::optional<QuicClose>& QuicConnection::closed() const {
  return core_->closed();
}
QuicFacts QuicConnection::facts() const {
  return core_->facts();
}

std::string QuicClose::describe() const {
  // TLS alerts travel as transport errors 0x100 to 0x1ff (RFC 9001 section 4.8).
  const bool is_alert = cause == Cause::kTransport && code >= 0x100 && code <= 0x1ff;
  std::string text = by_peer ? "closed by peer: " : "closed: ";
  switch (cause) {
    case Cause::kApplication:
      text += std::format("application error 0x{:x}", code);
      break;
    case Cause::kTransport:
      text += std::format("transport error 0x{:x}", code);
      if (is_alert) {
        text += std::format(" (TLS alert: {})", alert_text(static_cast<int>(code - 0x100)));
      }
      break;
    case Cause::kIdleTimeout:
      text += "idle timeout";
      break;
    case Cause::kHandshakeTimeout:
      text += "handshake timeout";
      break;
    case Cause::kVersionNegotiation:
      text += "no common version of QUIC";
      break;
    case Cause::kStatelessReset:
      text += "stateless reset";
      break;
    case Cause::kDropped:
      text += "dropped";
      break;
  }
  if (!reason.empty()) text += ": " + reason;
  return text;
}

}  // namespace transport
