#include "endpoints/datagram_socket.hh"

#include "base/errors.hh"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>

namespace endpoints {
namespace {

constexpr std::size_t kLargestDatagram = 65535;

// One set of buffers serves every socket of the process, which has one thread. Not zeroed: a page
// that no datagram reaches costs no memory.
struct ReceiveBuffers {
  std::array<std::array<std::uint8_t, kLargestDatagram>, DatagramSocket::kBatch> bytes;
  std::array<sockaddr_storage, DatagramSocket::kBatch> remotes;
};

ReceiveBuffers& receive_buffers() {
  static const auto buffers = std::make_unique_for_overwrite<ReceiveBuffers>();
  return *buffers;
}

}  // namespace

DatagramSocket::DatagramSocket(base::FileDescriptor socket, const transport::SocketAddress& local)
    : socket_(std::move(socket)), local_(local) {}

void DatagramSocket::receive(const Receiver& receiver) {
  ReceiveBuffers& buffers = receive_buffers();
  std::array<mmsghdr, kBatch> messages{};
  std::array<iovec, kBatch> pieces;
  for (std::size_t index = 0; index < kBatch; ++index) {
    pieces[index] = {.iov_base = buffers.bytes[index].data(), .iov_len = kLargestDatagram};
    messages[index].msg_hdr.msg_iov = &pieces[index];
    messages[index].msg_hdr.msg_iovlen = 1;
    messages[index].msg_hdr.msg_name = &buffers.remotes[index];
    messages[index].msg_hdr.msg_namelen = sizeof buffers.remotes[index];
  }
  const int count = ::recvmmsg(socket_.number(), messages.data(), kBatch, 0, nullptr);
  // An error is one that ICMP brought for an earlier datagram, or a false wake-up: neither is ours
  // to act on.
  for (std::size_t index = 0; std::cmp_less(index, count); ++index) {
    const transport::SocketAddress remote(
        reinterpret_cast<const sockaddr*>(&buffers.remotes[index]),
        messages[index].msg_hdr.msg_namelen);
    receiver({.local = local_, .remote = remote},
             {buffers.bytes[index].data(), messages[index].msg_len});
  }
}

void DatagramSocket::queue(const transport::SocketAddress& remote, transport::ByteSpan bytes) {
  queued_.push_back({.remote = remote, .bytes = {bytes.begin(), bytes.end()}});
}

void DatagramSocket::send_queued() {
  for (std::size_t sent = 0; sent < queued_.size();) {
    std::array<mmsghdr, kBatch> messages{};
    std::array<iovec, kBatch> pieces;
    const std::size_t count = std::min(kBatch, queued_.size() - sent);
    for (std::size_t index = 0; index < count; ++index) {
      Outgoing& outgoing = queued_[sent + index];
      pieces[index] = {.iov_base = outgoing.bytes.data(), .iov_len = outgoing.bytes.size()};
      messages[index].msg_hdr.msg_iov = &pieces[index];
      messages[index].msg_hdr.msg_iovlen = 1;
      messages[index].msg_hdr.msg_name = &outgoing.remote.storage;
      messages[index].msg_hdr.msg_namelen = outgoing.remote.length;
    }
    const int taken =
        ::sendmmsg(socket_.number(), messages.data(), static_cast<unsigned>(count), 0);
    // A refused datagram stops the call; it is skipped.
    sent += taken > 0 ? static_cast<std::size_t>(taken) : 1;
  }
  queued_.clear();
}

}  // namespace endpoints
