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

QueryPairs pair_queries(std::span<const captures::QueryRecord> a,
                        std::span<const captures::QueryRecord> b) {
  const auto of_a = by_place(a);
  const auto of_b = by_place(b);
  QueryPairs result;
  for (const auto& [place, record] : of_a) {
    const auto partner = of_b.find(place);
    if (partner == of_b.end()) continue;
    result.pairs.push_back({.block = place.first, .a = record->time, .b = partner->second->time});
  }
  result.unpaired = of_a.size() + of_b.size() - 2 * result.pairs.size();
  return result;
}

}  // namespace analysis
