#pragma once

// Two cells' queries as pairs: query `index` of both was asked in the same block, by the same
// kernel and near the same moment, so that their difference is about the cells. Their losses are
// drawn apart.

#include "base/clock.hh"
#include "captures/query_record.hh"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace analysis {

// A time is empty where there was no answer in time, or a failed one: it is longer than every
// other.
struct QueryPair {
  std::uint64_t block = 0;
  std::optional<base::Nanoseconds> a;
  std::optional<base::Nanoseconds> b;
  bool operator==(const QueryPair&) const = default;
};

// Nanoseconds of A minus B: above zero where A is slower. Infinite where only one side is known to
// be longer than the timeout; empty where both are, for then nobody can tell.
using Difference = std::optional<double>;

Difference difference(std::optional<base::Nanoseconds> a, std::optional<base::Nanoseconds> b);

// The records of two queries that belong together; they are owned by whoever had them paired.
struct RecordPair {
  const captures::QueryRecord* a = nullptr;
  const captures::QueryRecord* b = nullptr;
};

// `a` and `b` are the records of one cell each, in any order; the pairs are by block, then index.
// Throws LabError where a list has two records of the same block and index: it is more than one
// cell.
std::vector<RecordPair> pair_records(std::span<const captures::QueryRecord> a,
                                     std::span<const captures::QueryRecord> b);

struct QueryPairs {
  std::vector<QueryPair> pairs;  // by block, then index
  std::uint64_t unpaired = 0;    // queries of either list whose partner the other does not have
};

// The times of pair_records().
QueryPairs pair_queries(std::span<const captures::QueryRecord> a,
                        std::span<const captures::QueryRecord> b);

}  // namespace analysis
