#include "analysis/query_pair.hh"

#include "base/errors.hh"

#include <format>
#include <limits>
#include <map>
#include <utility>

namespace analysis {
namespace {

using Place = std::pair<std::uint64_t, std::uint64_t>;  // block, index

std::map<Place, const captures::QueryRecord*> by_place(
    std::span<const captures::QueryRecord> records) {
  std::map<Place, const captures::QueryRecord*> places;
  for (const captures::QueryRecord& record : records)
    if (!places.try_emplace({record.block, record.index}, &record).second)
      throw base::LabError(std::format("query {}: another one has its block and index", record.id));
  return places;
}

}  // namespace

Difference difference(std::optional<base::Nanoseconds> a, std::optional<base::Nanoseconds> b) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (a && b) return static_cast<double>((*a - *b).count());
  if (!a && !b) return std::nullopt;
  return a ? -kInfinity : kInfinity;
}

std::vector<RecordPair> pair_records(std::span<const captures::QueryRecord> a,
                                     std::span<const captures::QueryRecord> b) {
  const auto of_b = by_place(b);
  std::vector<RecordPair> pairs;
  for (const auto& [place, record] : by_place(a)) {
    const auto partner = of_b.find(place);
    if (partner != of_b.end()) pairs.push_back({.a = record, .b = partner->second});
  }
  return pairs;
}

QueryPairs pair_queries(std::span<const captures::QueryRecord> a,
                        std::span<const captures::QueryRecord> b) {
  QueryPairs result;
  for (const RecordPair& pair : pair_records(a, b))
    result.pairs.push_back({.block = pair.a->block, .a = pair.a->time, .b = pair.b->time});
  result.unpaired = a.size() + b.size() - 2 * result.pairs.size();
  return result;
}

}  // namespace analysis
