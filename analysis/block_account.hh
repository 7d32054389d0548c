#pragma once

// What crossed the wire in one block, in numbers.

#include "base/clock.hh"
#include "captures/ip_packet.hh"
#include "captures/query_record.hh"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace analysis {

// One direction. Bytes are IP bytes as sent.
struct DirectionAccount {
  std::uint64_t sent = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;  // extra copies that arrived
  std::uint64_t corrupted = 0;
  std::optional<base::Nanoseconds> min_delay;  // empty where nothing arrived
  std::optional<base::Nanoseconds> max_delay;
  void note_delay(base::Nanoseconds delay);
  bool operator==(const DirectionAccount&) const = default;
};

struct PathAccount {
  DirectionAccount to_server;
  DirectionAccount to_client;
  bool operator==(const PathAccount&) const = default;
};

struct BlockAccount {
  // Complaints beyond this number are counted in `unaccounted` only.
  static constexpr std::size_t kMaxComplaints = 20;

  PathAccount queries;
  PathAccount preparation;        // of queries that are not cold
  PathAccount calibration;        // ICMP and ICMPv6 echoes
  std::uint64_t unaccounted = 0;  // packets that belong to nothing, or arrived and were never sent
  std::vector<std::string>
      complaints;  // about these, naming the capture and the packet's number in it
  std::set<std::string> foreign_addresses;  // outside the lab
  std::uint32_t largest_ip_packet = 0;      // bytes
  std::uint64_t capture_drops = 0;          // by the capture itself, at either end
  std::uint64_t truncated = 0;              // packets longer than the snap length

  // Nothing in the captures speaks against the block.
  bool is_sound() const;
};

// Adds the account of another block.
void merge(BlockAccount& into, const BlockAccount& other);

nlohmann::ordered_json to_json(const BlockAccount& account);

}  // namespace analysis
