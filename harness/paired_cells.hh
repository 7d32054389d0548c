#pragma once

// Two cells, query by query, reduced to what a comparison needs: two times of each pair and a few
// sums, so that memory does not grow with whole records.

#include "analysis/query_pair.hh"
#include "base/clock.hh"
#include "captures/query_record.hh"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace harness {

// Sums over the queries of one side that have a partner.
struct PairedSide {
  captures::WireCounts sent;           // of those whose captures were counted
  std::uint64_t counted = 0;           // how many these are
  std::uint64_t unexplained = 0;       // answered, but a part of the time fits no rule
  std::uint64_t without_analysis = 0;  // of a run from before times were explained
  std::uint64_t unpaired = 0;          // queries without a partner; in no other sum
  std::map<std::string, std::uint64_t, std::less<>> findings;  // queries with each
};

class PairedCells {
 public:
  // A query counts as answered within `timeout`, the shorter one of both sides: a longer time of
  // one side could not have been seen on the other.
  explicit PairedCells(base::Nanoseconds timeout) : timeout_(timeout) {}

  // The records of one block, either list may be empty.
  void add(std::span<const captures::QueryRecord> a, std::span<const captures::QueryRecord> b);

  base::Nanoseconds timeout() const { return timeout_; }
  const std::vector<analysis::QueryPair>& pairs() const { return pairs_; }
  const PairedSide& a() const { return a_; }
  const PairedSide& b() const { return b_; }

 private:
  base::Nanoseconds timeout_;
  std::vector<analysis::QueryPair> pairs_;
  PairedSide a_;
  PairedSide b_;
};

}  // namespace harness
