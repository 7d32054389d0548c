#pragma once

// A connected, non-blocking socket of one query. UDP sockets are connected too: the kernel then
// drops datagrams from elsewhere and reports ICMP errors.

#include "base/file_descriptor.hh"
#include "captures/query_record.hh"
#include "clients/address.hh"
#include "transport/bytes.hh"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace clients {

enum class SocketKind { kTcp, kUdp };

// What a call on the socket achieved. `error` is an errno value, 0 for none; a full or empty socket
// is no error.
struct SendResult {
  std::size_t bytes = 0;
  int error = 0;
};
struct ReceiveResult {
  transport::ByteSpan bytes;  // valid until the next call
  bool end = false;           // TCP: the peer sends no more
  int error = 0;
};

// Where received bytes land. One serves all queries of a process: fresh memory costs page faults,
// which are dear in a lab kernel, and untouched pages cost nothing.
class ReceiveBuffer {
 public:
  // Most datagrams that one system call sends or receives.
  static constexpr std::size_t kSlots = 16;
  // Holds any UDP datagram; for TCP, more than the first windows of a connection.
  static constexpr std::size_t kSlotBytes = 65536;

  std::span<std::uint8_t> slot(std::size_t index) {
    return {bytes_.get() + index * kSlotBytes, kSlotBytes};
  }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_ =
      std::make_unique_for_overwrite<std::uint8_t[]>(kSlots * kSlotBytes);
};

class ClientSocket {
 public:
  // Opens and, where `local_port` is not 0, binds; TCP gets TCP_NODELAY. Throws SystemError: the
  // machine, not the experiment, refuses these. `buffer` outlives the socket.
  ClientSocket(SocketKind kind, const SocketAddress& server, std::uint16_t local_port,
               ReceiveBuffer& buffer);

  // UDP: datagrams leave whole, or not at all, whatever the kernel believes of the path (QUIC: RFC
  // 9000, section 14).
  void forbid_fragments();

  // Begins to connect; for UDP that is all. Returns the error that the path or the peer answered at
  // once, or 0. TCP is connected when the descriptor becomes writable without error.
  int connect();
  // The error that made the descriptor report EPOLLERR.
  int pending_error() const;

  int number() const { return descriptor_.number(); }
  const SocketAddress& server() const { return server_; }
  const SocketAddress& local() const { return local_; }  // known once connect() returned 0
  captures::Flow flow() const;

  // One send(2). `more` lets the kernel wait for what follows, a FIN too.
  SendResult send(transport::ByteSpan bytes, bool more = false);
  // One recv(2).
  ReceiveResult receive();

  // UDP: all datagrams in as few calls as possible. Returns the error that stopped it; a full
  // socket drops the rest, as a path does.
  int send_datagrams(std::span<const transport::Bytes> datagrams);
  // UDP: what has arrived, at most ReceiveBuffer::kSlots; valid until the next call. `error` is set
  // where nothing could be received.
  std::span<const transport::ByteSpan> receive_datagrams(int* error);

 private:
  SocketKind kind_;
  SocketAddress server_;
  SocketAddress local_;
  base::FileDescriptor descriptor_;
  ReceiveBuffer& buffer_;
  std::vector<transport::ByteSpan> datagrams_;
};

}  // namespace clients
