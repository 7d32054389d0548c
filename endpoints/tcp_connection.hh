#pragma once

// One accepted connection: socket, TLS where there is any, and the session on it. One recv() and at
// most one send() per wake-up.

#include "base/clock.hh"
#include "base/file_descriptor.hh"
#include "endpoints/stream_session.hh"
#include "transport/tls_stream.hh"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace endpoints {

class TcpConnection {
 public:
  // `tls` is null for plain TCP and must outlive the connection.
  TcpConnection(base::FileDescriptor socket, const transport::TlsContext* tls,
                std::unique_ptr<StreamSession> session);

  // Reads what is there and answers it. `events` are epoll's. True while the connection goes on;
  // otherwise it is to be closed.
  bool serve(std::uint32_t events);
  // Whether it waits for room in the socket: then EPOLLOUT is of interest and EPOLLIN is not, so
  // that a peer that does not read cannot make us hoard answers.
  bool blocked() const { return !output_.empty(); }
  // Says goodbye where TLS has a word for it, as far as the socket takes it.
  void end();

  base::FileDescriptor& descriptor() { return socket_; }
  // Why TLS failed, if it did.
  const std::optional<std::string>& failure() const;

 private:
  enum class Reading { kMore, kEnded, kBroken };
  Reading read(std::uint32_t events);
  void feed(transport::ByteSpan bytes);
  void collect_output();
  bool send_output();
  bool peer_is_done() const;

  base::FileDescriptor socket_;
  std::optional<transport::TlsStream> tls_;
  std::unique_ptr<StreamSession> session_;
  transport::Bytes output_;  // the kernel has taken the first sent_ bytes of it
  std::size_t sent_ = 0;
  bool ended_ = false;  // nothing more will come
};

}  // namespace endpoints
