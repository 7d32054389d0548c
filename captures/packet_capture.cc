#include "captures/packet_capture.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"

#include <net/ethernet.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <exception>
#include <format>
#include <span>

namespace captures {
namespace {

// At 1500 bytes of MTU some 4,000 frames, between two readings. A query uses some tens.
constexpr int kRingBytes = 8 << 20;
// Ethernet header and one VLAN tag.
constexpr std::uint32_t kLinkHeaderBytes = ETH_HLEN + 4;
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

struct LinkFacts {
  std::uint32_t mtu = 0;
  std::vector<std::uint8_t> hardware_address;
};

ifreq request_for(const std::string& interface) {
  if (interface.size() >= IFNAMSIZ)
    throw base::LabError(std::format("capture {}: the interface's name is too long", interface));
  ifreq request{};
  std::ranges::copy(interface, request.ifr_name);
  return request;
}

LinkFacts ask_kernel(const std::string& interface) {
  const base::FileDescriptor socket(base::check_syscall(
      ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "capture {}: socket", interface));
  LinkFacts facts;
  ifreq request = request_for(interface);
  base::check_syscall(::ioctl(socket.number(), SIOCGIFMTU, &request), "capture {}: SIOCGIFMTU",
                      interface);
  facts.mtu = static_cast<std::uint32_t>(request.ifr_mtu);
  request = request_for(interface);
  base::check_syscall(::ioctl(socket.number(), SIOCGIFHWADDR, &request),
                      "capture {}: SIOCGIFHWADDR", interface);
  const auto* address = reinterpret_cast<const std::uint8_t*>(request.ifr_hwaddr.sa_data);
  facts.hardware_address.assign(address, address + ETH_ALEN);
  return facts;
}

void check_pcap(int result, pcap_t* handle, const std::string& interface, std::string_view doing) {
  // Positive results of pcap_activate() are warnings: a capture that cannot do what was asked for
  // is refused all the same.
  if (result == 0) return;
  const std::string_view reason = ::pcap_geterr(handle);
  throw base::LabError(std::format("capture {}: {}: {}", interface, doing,
                                   reason.empty() ? ::pcap_statustostr(result) : reason));
}

// What libpcap's callback writes to. An exception may not cross libpcap: it is kept and rethrown
// afterwards.
struct Drain {
  std::vector<CapturedPacket>& into;
  std::span<const std::uint8_t> hardware_address;
  pcap_t* handle;
  std::uint64_t truncated = 0;
  std::exception_ptr failure = nullptr;
};

Direction direction_of(std::span<const std::uint8_t> frame,
                       std::span<const std::uint8_t> hardware_address) {
  if (frame.size() < ETH_HLEN) return Direction::kUnknown;
  const bool ours = std::ranges::equal(frame.subspan(ETH_ALEN, ETH_ALEN), hardware_address);
  return ours ? Direction::kOutbound : Direction::kInbound;
}

void take_frame(u_char* user, const pcap_pkthdr* header, const u_char* data) noexcept {
  Drain& drain = *reinterpret_cast<Drain*>(user);
  try {
    const std::span frame(data, header->caplen);
    if (header->caplen < header->len) ++drain.truncated;
    // With nanosecond precision tv_usec counts nanoseconds.
    drain.into.push_back(
        {.timestamp_ns = header->ts.tv_sec * kNanosecondsPerSecond + header->ts.tv_usec,
         .direction = direction_of(frame, drain.hardware_address),
         .original_length = header->len,
         .bytes = {frame.begin(), frame.end()}});
  } catch (...) {
    drain.failure = std::current_exception();
    ::pcap_breakloop(drain.handle);
  }
}

}  // namespace

PacketCapture::PacketCapture(const std::string& interface) : interface_(interface) {
  LinkFacts facts = ask_kernel(interface);
  hardware_address_ = std::move(facts.hardware_address);
  snap_length_ = facts.mtu + kLinkHeaderBytes;

  std::array<char, PCAP_ERRBUF_SIZE> error{};
  handle_.reset(::pcap_create(interface.c_str(), error.data()));
  if (!handle_) throw base::LabError(std::format("capture {}: {}", interface, error.data()));
  pcap_t* handle = handle_.get();
  check_pcap(::pcap_set_snaplen(handle, static_cast<int>(snap_length_)), handle, interface,
             "set the snap length");
  check_pcap(::pcap_set_promisc(handle, 0), handle, interface, "set promiscuous mode off");
  check_pcap(::pcap_set_immediate_mode(handle, 1), handle, interface, "set immediate mode");
  check_pcap(::pcap_set_buffer_size(handle, kRingBytes), handle, interface, "set the ring's size");
  check_pcap(::pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO), handle, interface,
             "set nanosecond timestamps");
  check_pcap(::pcap_activate(handle), handle, interface, "activate");
  if (::pcap_datalink(handle) != DLT_EN10MB)
    throw base::LabError(std::format("capture {}: not an Ethernet interface", interface));
  check_pcap(::pcap_setnonblock(handle, 1, error.data()), handle, interface, "set non-blocking");
}

PacketCapture::PacketCapture(PacketCapture&&) noexcept = default;
PacketCapture& PacketCapture::operator=(PacketCapture&&) noexcept = default;
PacketCapture::~PacketCapture() = default;

void PacketCapture::Closer::operator()(pcap* handle) const noexcept {
  ::pcap_close(handle);
}

void PacketCapture::drain(std::vector<CapturedPacket>& into) {
  Drain drain{.into = into, .hardware_address = hardware_address_, .handle = handle_.get()};
  const int result =
      ::pcap_dispatch(handle_.get(), -1, take_frame, reinterpret_cast<u_char*>(&drain));
  if (drain.failure) std::rethrow_exception(drain.failure);
  if (result < 0) check_pcap(result, handle_.get(), interface_, "read");
  counters_.received += static_cast<std::uint64_t>(result);
  counters_.truncated += drain.truncated;
}

CaptureCounters PacketCapture::counters() {
  pcap_stat statistics{};
  check_pcap(::pcap_stats(handle_.get(), &statistics), handle_.get(), interface_, "read counters");
  counters_.dropped = statistics.ps_drop;
  return counters_;
}

}  // namespace captures
