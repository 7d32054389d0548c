#include "netns/packet_gate.hh"

#include "base/errors.hh"
#include "netns/lab_network.hh"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <net/ethernet.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <format>
#include <iterator>
#include <libmnl/libmnl.h>
#include <libnetfilter_queue/libnetfilter_queue.h>
#include <nftables/libnftables.h>
#include <string_view>

namespace netns {
namespace {

using base::check_syscall;
using base::LabError;

constexpr std::uint16_t kQueue = 0;
// The namespace holds nothing but the lab's bridge, so everything that it forwards is the lab's.
constexpr const char* kRules =
    "add table bridge labrun\n"
    "add chain bridge labrun gate { type filter hook forward priority 0; }\n"
    "add rule bridge labrun gate queue to 0\n";
// Packets that one receive can bring; more wait for the next.
constexpr std::size_t kSlots = 64;
// Beside the packet: netlink and queue headers, addresses, the link header.
constexpr std::size_t kHeadroom = 512;
// A burst of all flows at once fits many times; nothing may be discarded unseen.
constexpr std::uint32_t kQueueLength = 65'536;
constexpr int kReceiveBufferBytes = 32 << 20;
constexpr std::size_t kVerdictBytes = 256;

std::span<const std::uint8_t> payload_of(const nlattr* attribute) {
  return {static_cast<const std::uint8_t*>(mnl_attr_get_payload(attribute)),
          mnl_attr_get_payload_len(attribute)};
}

void run_nftables(const char* rules) {
  const std::unique_ptr<nft_ctx, decltype(&::nft_ctx_free)> context(::nft_ctx_new(NFT_CTX_DEFAULT),
                                                                    &::nft_ctx_free);
  if (!context) throw LabError("set up the packet gate: libnftables cannot start");
  ::nft_ctx_buffer_error(context.get());
  ::nft_ctx_buffer_output(context.get());
  if (::nft_run_cmd_from_buffer(context.get(), rules) == 0) return;
  // Its first line says why, the others quote our rules.
  const std::string_view complaint(::nft_ctx_get_error_buffer(context.get()));
  throw LabError(
      std::format("set up the packet gate: it needs a kernel with nftables for bridges and queues "
                  "(CONFIG_NF_TABLES_BRIDGE, CONFIG_NFT_QUEUE), as the lab kernel is; nftables "
                  "says: {}",
                  complaint.substr(0, complaint.find('\n'))));
}

// The ends' own addresses; the kernel does not tell the header of a packet in the queue.
std::vector<std::uint8_t> link_header(Direction direction, std::span<const std::uint8_t> ip) {
  const bool to_server = direction == Direction::kToServer;
  std::vector<std::uint8_t> header;
  for (const MacAddress& address :
       {to_server ? kServerMac : kClientMac, to_server ? kClientMac : kServerMac})
    header.insert(header.end(), address.begin(), address.end());
  constexpr std::uint8_t kVersion6 = 6;
  const std::uint16_t type = ip[0] >> 4U == kVersion6 ? ETHERTYPE_IPV6 : ETHERTYPE_IP;
  header.push_back(static_cast<std::uint8_t>(type >> 8U));
  header.push_back(static_cast<std::uint8_t>(type));
  return header;
}

mnl_socket* open_socket() {
  mnl_socket* socket = ::mnl_socket_open2(NETLINK_NETFILTER, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket == nullptr || ::mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0)
    check_syscall(-1, "open a netfilter socket");
  return socket;
}

}  // namespace

struct PacketGate::Packet {
  std::uint32_t id = 0;
  Direction direction = Direction::kToServer;
  std::span<const std::uint8_t> ip;
  std::uint32_t mark = 0;
};

void PacketGate::CloseSocket::operator()(mnl_socket* socket) const {
  ::mnl_socket_close(socket);
}

PacketGate::PacketGate(const LabNetwork& network, Observer observer)
    : observer_(std::move(observer)),
      to_client_(network.to_client_port()),
      to_server_(network.to_server_port()) {
  const Entered inside(network.wire_namespace());
  socket_.reset(open_socket());
  copies_ = base::FileDescriptor(
      check_syscall(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), "open a packet socket"));
  configure_queue(network.mtu());
  watch_queue_and_timer();
  // Only now: before, every packet would have been discarded.
  run_nftables(kRules);
}

PacketGate::~PacketGate() = default;

int PacketGate::queue() const {
  return ::mnl_socket_get_fd(socket_.get());
}

void PacketGate::watch_queue_and_timer() {
  timer_ = base::FileDescriptor(
      check_syscall(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
                    "make a timer for the packet gate"));
  ready_ = base::FileDescriptor(
      check_syscall(::epoll_create1(EPOLL_CLOEXEC), "create an epoll descriptor"));
  for (const int descriptor : {queue(), timer_.number()}) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
    check_syscall(::epoll_ctl(ready_.number(), EPOLL_CTL_ADD, descriptor, &event),
                  "watch descriptor {} of the packet gate", descriptor);
  }
}

// Setting it anew also takes back that it has expired.
void PacketGate::set_timer() {
  const auto due = next_release();
  if (due == timer_set_to_) return;
  timer_set_to_ = due;
  itimerspec setting{};  // zero: never
  if (due) {
    const std::int64_t at = due->time_since_epoch().count();
    setting.it_value = {.tv_sec = at / 1'000'000'000, .tv_nsec = at % 1'000'000'000};
  }
  check_syscall(::timerfd_settime(timer_.number(), TFD_TIMER_ABSTIME, &setting, nullptr),
                "set the timer of the packet gate");
}

void PacketGate::configure_queue(std::uint32_t mtu) {
  slot_bytes_ = mtu + kHeadroom;
  slots_.resize(kSlots * slot_bytes_);
  check_syscall(::setsockopt(queue(), SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBufferBytes,
                             sizeof kReceiveBufferBytes),
                "enlarge the buffer of the packet gate");
  std::array<char, 1024> buffer{};
  const auto request = [&](auto fill) {
    nlmsghdr* message = ::nfq_nlmsg_put(buffer.data(), NFQNL_MSG_CONFIG, kQueue);
    message->nlmsg_flags |= NLM_F_ACK;
    fill(message);
    check_syscall(static_cast<int>(::mnl_socket_sendto(socket_.get(), message, message->nlmsg_len)),
                  "configure the queue of the packet gate");
    std::array<char, 1024> answer{};
    // The kernel answers within the call that asks.
    const auto length = ::mnl_socket_recvfrom(socket_.get(), answer.data(), answer.size());
    check_syscall(static_cast<int>(length), "configure the queue of the packet gate");
    check_syscall(::mnl_cb_run(answer.data(), static_cast<std::size_t>(length), 0,
                               ::mnl_socket_get_portid(socket_.get()), nullptr, nullptr),
                  "configure the queue of the packet gate");
  };
  request(
      [](nlmsghdr* message) { ::nfq_nlmsg_cfg_put_cmd(message, AF_BRIDGE, NFQNL_CFG_CMD_BIND); });
  request([&](nlmsghdr* message) {
    ::nfq_nlmsg_cfg_put_params(message, NFQNL_COPY_PACKET, static_cast<int>(mtu));
    ::nfq_nlmsg_cfg_put_qmaxlen(message, kQueueLength);
  });
}

std::optional<PacketGate::Packet> PacketGate::parse(std::span<const char> message) const {
  std::array<nlattr*, NFQA_MAX + 1> attributes{};
  const auto* header = reinterpret_cast<const nlmsghdr*>(message.data());
  if (!::mnl_nlmsg_ok(header, static_cast<int>(message.size())) ||
      ::nfq_nlmsg_parse(header, attributes.data()) < 0 || attributes[NFQA_PACKET_HDR] == nullptr ||
      attributes[NFQA_PAYLOAD] == nullptr)
    return std::nullopt;
  Packet packet;
  const auto* fixed =
      static_cast<const nfqnl_msg_packet_hdr*>(mnl_attr_get_payload(attributes[NFQA_PACKET_HDR]));
  packet.id = ntohl(fixed->packet_id);
  packet.ip = payload_of(attributes[NFQA_PAYLOAD]);
  if (attributes[NFQA_MARK] != nullptr)
    packet.mark = ntohl(::mnl_attr_get_u32(attributes[NFQA_MARK]));
  // With bridge netfilter in the kernel the "device" is the bridge and the port is "physical".
  const nlattr* came_in = attributes[NFQA_IFINDEX_PHYSINDEV] != nullptr
                              ? attributes[NFQA_IFINDEX_PHYSINDEV]
                              : attributes[NFQA_IFINDEX_INDEV];
  if (came_in == nullptr) return std::nullopt;
  const auto device = static_cast<int>(ntohl(::mnl_attr_get_u32(came_in)));
  if (device != to_client_.value && device != to_server_.value) return std::nullopt;
  packet.direction = device == to_client_.value ? Direction::kToServer : Direction::kToClient;
  return packet;
}

void PacketGate::attend(base::Instant now) {
  receive(now);
  release_until(now);
  send_verdicts(now);
  set_timer();
}

void PacketGate::receive(base::Instant now) {
  std::array<iovec, kSlots> places{};
  std::array<mmsghdr, kSlots> messages{};
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    places[slot] = {.iov_base = slots_.data() + slot * slot_bytes_, .iov_len = slot_bytes_};
    messages[slot].msg_hdr.msg_iov = &places[slot];
    messages[slot].msg_hdr.msg_iovlen = 1;
  }
  const int count = ::recvmmsg(queue(), messages.data(), kSlots, 0, nullptr);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0 && errno == ENOBUFS)
    throw LabError("read the packet gate: the kernel discarded packets that waited for a verdict");
  check_syscall(count, "read the packet gate");
  for (std::size_t slot = 0; slot < static_cast<std::size_t>(count); ++slot) {
    const auto packet = parse({slots_.data() + slot * slot_bytes_, messages[slot].msg_len});
    if (!packet) throw LabError("read the packet gate: a message that is no packet of the lab's");
    handle(*packet, now);
  }
}

void PacketGate::handle(const Packet& packet, base::Instant now) {
  using Kind = GateDecision::Kind;
  const std::uint64_t number = next_number_++;
  const GateDecision decision =
      observer_.judge({.direction = packet.direction, .ip = packet.ip, .in = now});
  ++counters_.judged;
  if (decision.kind == Kind::kDrop) {
    ++counters_.dropped;
    decide(packet.id, NF_DROP, packet.mark);
  } else if (decision.kind == Kind::kDelay || decision.kind == Kind::kReorder) {
    ++counters_.held;
    const bool delayed = decision.kind == Kind::kDelay;
    held_.emplace(now + (delayed ? decision.by : kLongestReorder),
                  Held{.id = packet.id,
                       .number = number,
                       .direction = packet.direction,
                       .behind = delayed ? 0 : std::max(decision.behind, 1U)});
    return;
  } else {
    let_pass(packet.id, number, packet.mark);
    if (decision.kind == Kind::kDuplicate) {
      // The copy comes behind its original.
      send_verdicts(now);
      send_copy(packet);
    }
  }
  if (decision.kind != Kind::kDrop) count_down(packet.direction, packet.mark);
}

// A packet of `direction` has passed; those that wait behind such packets come closer to their
// turn, and go with the mark of the last of them, right behind it.
void PacketGate::count_down(Direction direction, std::uint32_t mark) {
  for (auto held = held_.begin(); held != held_.end();) {
    const bool waits = held->second.behind > 0 && held->second.direction == direction;
    if (waits && --held->second.behind == 0) {
      let_pass(held->second.id, held->second.number, mark);
      held = held_.erase(held);
    } else {
      ++held;
    }
  }
}

void PacketGate::decide(std::uint32_t id, std::uint32_t verdict, std::uint32_t mark) {
  const std::size_t at = verdicts_.size();
  verdicts_.resize(at + kVerdictBytes);
  nlmsghdr* message = ::nfq_nlmsg_put(verdicts_.data() + at, NFQNL_MSG_VERDICT, kQueue);
  ::nfq_nlmsg_verdict_put(message, static_cast<int>(id), static_cast<int>(verdict));
  ::nfq_nlmsg_verdict_put_mark(message, mark);
  verdicts_.resize(at + message->nlmsg_len);
}

void PacketGate::let_pass(std::uint32_t id, std::uint64_t number, std::uint32_t mark) {
  decide(id, NF_ACCEPT, mark);
  passing_.push_back(number);
}

// Sending is delivering: when the call returns, the packets are in the next queue.
void PacketGate::send_verdicts(base::Instant now) {
  if (verdicts_.empty()) return;
  check_syscall(
      static_cast<int>(::mnl_socket_sendto(socket_.get(), verdicts_.data(), verdicts_.size())),
      "send {} verdicts of the packet gate", passing_.size());
  verdicts_.clear();
  for (const std::uint64_t number : passing_) observer_.passed(number, now);
  passing_.clear();
}

std::optional<base::Instant> PacketGate::next_release() const {
  if (held_.empty()) return std::nullopt;
  return held_.begin()->first;
}

void PacketGate::release_until(base::Instant due) {
  while (!held_.empty() && held_.begin()->first <= due) {
    const Held held = held_.begin()->second;
    held_.erase(held_.begin());
    let_pass(held.id, held.number, kNow);
    if (held.behind == 0) count_down(held.direction, kNow);
  }
}

void PacketGate::release_all(base::Instant now) {
  release_until(base::Instant::max());
  send_verdicts(now);
  set_timer();
}

// The queue knows no copies. This one leaves through the port that the packet leaves through, so it
// meets the same impairment right behind it.
void PacketGate::send_copy(const Packet& packet) {
  check_syscall(
      ::setsockopt(copies_.number(), SOL_SOCKET, SO_MARK, &packet.mark, sizeof packet.mark),
      "mark a duplicate at the gate");
  std::vector<std::uint8_t> frame = link_header(packet.direction, packet.ip);
  frame.insert(frame.end(), packet.ip.begin(), packet.ip.end());
  sockaddr_ll port{};
  port.sll_family = AF_PACKET;
  port.sll_ifindex = packet.direction == Direction::kToServer ? to_server_.value : to_client_.value;
  check_syscall(static_cast<int>(::sendto(copies_.number(), frame.data(), frame.size(), 0,
                                          reinterpret_cast<const sockaddr*>(&port), sizeof port)),
                "duplicate a packet at the gate");
  ++counters_.duplicated;
}

}  // namespace netns
