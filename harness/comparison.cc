#include "harness/comparison.hh"

#include "base/errors.hh"

#include <algorithm>
#include <format>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace harness {
namespace {

using captures::QueryRecord;

// One block of a run at a time, by cell.
class BlockWalk {
 public:
  explicit BlockWalk(const StoredRun& run) : run_(run), reader_(run) { advance(); }

  bool done() const { return !block_; }
  std::uint64_t block() const { return *block_; }
  bool is_at(std::uint64_t block) const { return block_ == block; }
  bool is_valid() const { return run_.is_valid_block(*block_); }
  std::span<const QueryRecord> records(const std::string& cell) const {
    const auto found = cells_.find(cell);
    return found == cells_.end() ? std::span<const QueryRecord>() : found->second;
  }

  // Blocks come in ascending order, or two runs could not be walked side by side.
  void advance() {
    const std::optional<std::uint64_t> before = block_;
    block_.reset();
    cells_.clear();
    for (QueryRecord& record : reader_.next_block()) {
      block_ = record.block;
      cells_[record.cell].push_back(std::move(record));
    }
    if (block_ && before && *block_ <= *before)
      throw base::LabError(std::format("read {}: block {} comes after block {}",
                                       (run_.path() / "queries.jsonl").string(), *block_, *before));
  }

 private:
  const StoredRun& run_;
  RecordReader reader_;
  std::optional<std::uint64_t> block_;
  std::map<std::string, std::vector<QueryRecord>> cells_;
};

// A block that only one of them has is paired with nothing.
void add_block(Comparison& comparison, const BlockWalk& a, bool in_a, const BlockWalk& b,
               bool in_b) {
  const bool invalid_in_a = in_a && !a.is_valid();
  const bool invalid_in_b = in_b && !b.is_valid();
  if (invalid_in_a) comparison.invalid_of_a.insert(a.block());
  if (invalid_in_b) comparison.invalid_of_b.insert(b.block());
  if (invalid_in_a || invalid_in_b) return;
  for (auto& [names, pairs] : comparison.cells)
    pairs.add(in_a ? a.records(names.a) : std::span<const QueryRecord>(),
              in_b ? b.records(names.b) : std::span<const QueryRecord>());
}

}  // namespace

std::vector<CellChoice> cells_in_common(const Plan& a, const Plan& b) {
  std::vector<CellChoice> cells;
  for (const PlannedCell& cell : a.cells)
    if (std::ranges::contains(b.cells, cell.name, &PlannedCell::name))
      cells.push_back({.a = cell.name, .b = cell.name});
  return cells;
}

base::Nanoseconds timeout_of(const Plan& plan, const std::string& name) {
  const auto cell = std::ranges::find(plan.cells, name, &PlannedCell::name);
  LABRUN_ASSERT(cell != plan.cells.end());
  return plan.arms.at(cell->arm).client.timeout;
}

Comparison compare_runs(const StoredRun& a, const StoredRun& b, std::span<const CellChoice> cells) {
  Comparison comparison;
  for (const CellChoice& names : cells) {
    const base::Nanoseconds timeout =
        std::min(timeout_of(a.plan(), names.a), timeout_of(b.plan(), names.b));
    comparison.cells.push_back({.names = names, .pairs = PairedCells(timeout)});
  }
  BlockWalk of_a(a);
  BlockWalk of_b(b);
  while (!of_a.done() || !of_b.done()) {
    std::uint64_t block = of_a.done() ? of_b.block() : of_a.block();
    if (!of_b.done()) block = std::min(block, of_b.block());
    const bool in_a = of_a.is_at(block);
    const bool in_b = of_b.is_at(block);
    add_block(comparison, of_a, in_a, of_b, in_b);
    if (in_a) of_a.advance();
    if (in_b) of_b.advance();
  }
  return comparison;
}

}  // namespace harness
