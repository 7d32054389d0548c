#pragma once

// Which packets of a trial could have changed what the client saw, and in which order their fates
// came to matter.
//
// The gate lies directly behind each sender, before the path's delay. So a packet that the client
// sends at t changes what the client sees no earlier than t + to_server + to_client, one that the
// server sends at t no earlier than t + to_client. This is the packet's key. What a packet is, and
// whether it is sent at all, depends only on fates of packets with smaller keys, for time is
// virtual and the lab repeats itself. Therefore the answer's time T depends only on packets with
// keys up to T: the past of the answer. The fates of all others sum to one, whatever they are.
//
// With a probability of loss for each direction and independent losses, a trial stands for the
// probability of the fates in its past, and trials whose fates were revealed in the order of keys
// are the leaves of one decision tree: their probabilities add up to one.

#include "analysis/trial.hh"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace analysis {

// What times of two runs of one pattern may differ by: microseconds of work, nothing that waits.
inline constexpr base::Nanoseconds kTimeTolerance = std::chrono::microseconds(100);

// From the arrival of the packet that completes the answer to the answer: work only. Within it,
// that packet is what the client waited for.
inline constexpr base::Nanoseconds kAnswerWork = std::chrono::microseconds(200);

struct PathTimes {
  base::Nanoseconds to_server{0};  // delays, without queues
  base::Nanoseconds to_client{0};
  base::Nanoseconds timeout{0};  // after which a query counts as never answered
};

struct RevealedPacket {
  PacketName name;
  base::Nanoseconds key{0};
  bool dropped = false;
  std::size_t index = 0;  // in Trial::packets
  bool operator==(const RevealedPacket&) const = default;
};

// By key, but a client's packet precedes the server's unless its key is larger by more than
// kTimeTolerance. Where an acknowledgement and an answer cross, microseconds would decide
// otherwise, and differently in each run. The client's may always come first: it can have caused
// the server's packet, the opposite takes a round trip. Packets of one end stay in the order of the
// gate.
std::vector<RevealedPacket> in_order_of_influence(const Trial& trial, const PathTimes& times);

// In that order, all up to the packet that completed the answer, if one that passed arrived at most
// kAnswerWork before it (the last such one): those behind it came too late. Otherwise, and without
// an answer, all with keys up to the answer or the timeout and kTimeTolerance. More than needed is
// harmless: a packet that does not matter splits a leaf into two with the same time.
//
// `decided` are packets whose fates the pattern was made by, in the order in which they were
// revealed: they come first, in that order, so that trials that differ by microseconds still are
// leaves of one tree. Each of them must have been seen.
std::vector<RevealedPacket> past_of(const Trial& trial, const PathTimes& times,
                                    std::span<const PacketName> decided = {});

// Packets of the pattern that were never seen, passed or lie outside the past, and packets that
// were dropped without being of the pattern. If there are any, the trial is not what was asked for.
std::vector<PacketName> misplaced_drops(const Trial& trial, std::span<const RevealedPacket> past);

struct Fates {
  std::uint64_t passed = 0;
  std::uint64_t dropped = 0;
  bool operator==(const Fates&) const = default;
};

// All that a trial's probability depends on.
struct PatternCounts {
  Fates client;  // of packets that the client sent
  Fates server;
  bool operator==(const PatternCounts&) const = default;
};
PatternCounts counts_of(std::span<const RevealedPacket> past);

}  // namespace analysis
