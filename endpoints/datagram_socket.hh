#pragma once

// A bound UDP socket that takes and gives datagrams in batches: one system call per wake-up each
// way, as long as no more than kBatch datagrams are there.

#include "base/file_descriptor.hh"
#include "transport/bytes.hh"
#include "transport/udp_path.hh"

#include <cstddef>
#include <functional>
#include <vector>

namespace endpoints {

class DatagramSocket {
 public:
  static constexpr std::size_t kBatch = 16;
  using Receiver = std::function<void(const transport::UdpPath& path, transport::ByteSpan bytes)>;

  DatagramSocket(base::FileDescriptor socket, const transport::SocketAddress& local);

  const base::FileDescriptor& descriptor() const { return socket_; }
  // Gives `receiver` what is there, at most kBatch datagrams; the rest wakes the loop again.
  void receive(const Receiver& receiver);
  // Keeps a copy until send_queued().
  void queue(const transport::SocketAddress& remote, transport::ByteSpan bytes);
  // What the kernel refuses is lost, as on the wire: full buffers, addresses without a route.
  void send_queued();

 private:
  struct Outgoing {
    transport::SocketAddress remote;
    transport::Bytes bytes;
  };
  base::FileDescriptor socket_;
  transport::SocketAddress local_;
  std::vector<Outgoing> queued_;
};

}  // namespace endpoints
