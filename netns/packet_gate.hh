#pragma once

// The packet gate: every packet between the ends stops in the bridge of `wire`, in front of the
// impairment of its direction, until a program has judged it.
//
//     client --> gate --> netem --> server --> gate --> netem --> client
//
// It is a queue of the kernel's (NFQUEUE), filled by a rule on the bridge's forward hook. In
// virtual time a verdict takes no time; in real time it takes two switches of processes. The queue
// is fail-closed: a packet that nobody judged never passes. It vanishes with the namespace.

#include "base/clock.hh"
#include "base/file_descriptor.hh"
#include "netns/link.hh"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

struct mnl_socket;

namespace netns {

class LabNetwork;

enum class Direction : std::uint8_t { kToServer, kToClient };

// A packet that waits for its verdict. `ip` ends with the call that it is given to.
struct GatePacket {
  Direction direction = Direction::kToServer;
  std::span<const std::uint8_t> ip;
  base::Instant in;
};

struct GateDecision {
  enum class Kind : std::uint8_t { kPass, kDrop, kDelay, kDuplicate, kReorder };
  Kind kind = Kind::kPass;
  base::Nanoseconds by{0};   // of kDelay
  std::uint32_t behind = 0;  // of kReorder: passes after so many later packets of its direction
};

struct GateCounters {
  std::uint64_t judged = 0;
  std::uint64_t dropped = 0;
  std::uint64_t held = 0;
  std::uint64_t duplicated = 0;
  bool operator==(const GateCounters&) const = default;
};

// Not movable. Belongs to one thread.
class PacketGate {
 public:
  // `judge` is asked once for each packet, in the order in which they came; the first has number 0.
  // `passed` is told the number of each packet that has left the gate.
  struct Observer {
    std::function<GateDecision(const GatePacket&)> judge;
    std::function<void(std::uint64_t number, base::Instant at)> passed;
  };

  // Sets the gate up in `network`'s wire, and from then on it stands. Throws LabError with the
  // kernel's words where nftables or its queue are missing.
  PacketGate(const LabNetwork& network, Observer observer);
  ~PacketGate();
  PacketGate(const PacketGate&) = delete;
  PacketGate& operator=(const PacketGate&) = delete;

  // Readable when packets wait, and when the next one that is held is due: to the nanosecond, where
  // a wait with a timeout ends late.
  int descriptor() const { return ready_.number(); }
  // When the next packet that was delayed is due; empty where none is held.
  std::optional<base::Instant> next_release() const;
  // Judges what waits and lets go what is due. `now` is what the caller's clock showed when it woke
  // up: in the lab kernel reading it costs a system call. Throws LabError where the kernel had to
  // discard packets because nobody read them in time.
  void attend(base::Instant now);
  // Lets go everything that is still held, delayed or behind others, at once.
  void release_all(base::Instant now);

  const GateCounters& counters() const { return counters_; }

  // A packet to be passed behind others goes at the latest after this time: there may be no others.
  static constexpr base::Nanoseconds kLongestReorder = std::chrono::seconds(1);

 private:
  struct Held {
    std::uint32_t id = 0;  // the kernel's
    std::uint64_t number = 0;
    Direction direction = Direction::kToServer;
    std::uint32_t behind = 0;  // of kReorder; 0 for a delayed one
  };
  struct CloseSocket {
    void operator()(mnl_socket* socket) const;
  };
  struct Packet;

  int queue() const;
  void configure_queue(std::uint32_t mtu);
  void watch_queue_and_timer();
  // To the next release.
  void set_timer();
  std::optional<Packet> parse(std::span<const char> message) const;
  void receive(base::Instant now);
  void handle(const Packet& packet, base::Instant now);
  void decide(std::uint32_t id, std::uint32_t verdict, std::uint32_t mark);
  // The lab kernel marks each packet with the time at which it came here, and netem delays it from
  // then on, so that a verdict costs nothing. Without a mark it is delayed from now on.
  static constexpr std::uint32_t kNow = 0;
  void let_pass(std::uint32_t id, std::uint64_t number, std::uint32_t mark);
  // Carries out what was decided, with one system call.
  void send_verdicts(base::Instant now);
  void release_until(base::Instant due);
  void count_down(Direction direction, std::uint32_t mark);
  void send_copy(const Packet& packet);

  Observer observer_;
  InterfaceIndex to_client_;
  InterfaceIndex to_server_;
  std::unique_ptr<mnl_socket, CloseSocket> socket_;
  base::FileDescriptor copies_;  // a packet socket
  base::FileDescriptor timer_;
  std::optional<base::Instant> timer_set_to_;
  base::FileDescriptor ready_;  // epoll, of queue and timer
  std::size_t slot_bytes_ = 0;
  std::vector<char> slots_;             // what one receive brings
  std::vector<char> verdicts_;          // netlink messages not yet sent
  std::vector<std::uint64_t> passing_;  // numbers of the packets that they let pass
  std::uint64_t next_number_ = 0;
  std::multimap<base::Instant, Held> held_;  // by the time at which each is let go at the latest
  GateCounters counters_;
};

}  // namespace netns
