#include "endpoints/tcp_connection.hh"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace endpoints {
namespace {

// More than a flight of queries has, so that one read usually empties the socket; few enough that
// what their answers take stays bounded.
constexpr std::size_t kReadBytes = 16'384;

}  // namespace

TcpConnection::TcpConnection(base::FileDescriptor socket, const transport::TlsContext* tls,
                             std::unique_ptr<StreamSession> session)
    : socket_(std::move(socket)), session_(std::move(session)) {
  if (tls) tls_.emplace(*tls, "");
}

bool TcpConnection::serve(std::uint32_t events) {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) return false;
  if (blocked() && !send_output()) return false;
  if (blocked()) return true;
  if (!ended_) {
    const Reading reading = read(events);
    if (reading == Reading::kBroken) return false;
    ended_ = reading == Reading::kEnded;
  }
  collect_output();
  if (!send_output()) return false;
  return blocked() || !peer_is_done();
}

// EPOLLRDHUP says that the peer's FIN is here, so a read that finds less than it has room for was
// the last one: that spares the read that returns 0.
TcpConnection::Reading TcpConnection::read(std::uint32_t events) {
  static std::array<std::uint8_t, kReadBytes> buffer;
  const ssize_t count = ::recv(socket_.number(), buffer.data(), buffer.size(), 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR ? Reading::kMore : Reading::kBroken;
  const auto length = static_cast<std::size_t>(count);
  feed({buffer.data(), length});
  const bool last = length == 0 || ((events & EPOLLRDHUP) != 0 && length < buffer.size());
  if (last && tls_) tls_->receive_end();
  return last ? Reading::kEnded : Reading::kMore;
}

void TcpConnection::feed(transport::ByteSpan bytes) {
  if (!tls_) return session_->receive(bytes);
  tls_->receive(bytes);
  if (const transport::Bytes plaintext = tls_->take_plaintext(); !plaintext.empty())
    session_->receive(plaintext);
}

bool TcpConnection::peer_is_done() const {
  return ended_ || session_->finished() || (tls_ && (tls_->peer_closed() || tls_->failure()));
}

void TcpConnection::collect_output() {
  const transport::Bytes answer = session_->take_output();
  if (!tls_) return transport::append(output_, answer);
  if (!answer.empty()) tls_->write(answer);
  // Only now: nothing can be written behind a close_notify (RFC 8446 section 6.1).
  if (peer_is_done()) tls_->close();
  transport::append(output_, tls_->take_output());
}

bool TcpConnection::send_output() {
  if (output_.empty()) return true;
  const auto rest = transport::ByteSpan(output_).subspan(sent_);
  const ssize_t count = ::send(socket_.number(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  sent_ += static_cast<std::size_t>(count);
  if (sent_ < output_.size()) return true;
  output_.clear();
  sent_ = 0;
  return true;
}

void TcpConnection::end() {
  if (!tls_ || blocked()) return;
  tls_->close();
  collect_output();
  send_output();
}

const std::optional<std::string>& TcpConnection::failure() const {
  static const std::optional<std::string> kNone;
  return tls_ ? tls_->failure() : kNone;
}

}  // namespace endpoints
