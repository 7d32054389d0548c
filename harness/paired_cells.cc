#include "harness/paired_cells.hh"

#include <optional>

namespace harness {
namespace {

using captures::Outcome;
using captures::QueryRecord;

void add(captures::SentCount& sum, const captures::SentCount& sent) {
  sum.packets += sent.packets;
  sum.bytes += sent.bytes;
}

void add(PairedSide& side, const QueryRecord& record) {
  if (record.wire) {
    add(side.sent.client, record.wire->client);
    add(side.sent.server, record.wire->server);
    ++side.counted;
  }
  for (const std::string& finding : record.findings) ++side.findings[finding];
  if (record.outcome != Outcome::kAnswered) return;
  // Every answered query that was analysed has an unexplained time, if only one of 0.
  if (!record.unexplained) ++side.without_analysis;
  if (record.unexplained.value_or(base::Nanoseconds(0)) != base::Nanoseconds(0)) ++side.unexplained;
}

}  // namespace

void PairedCells::add(std::span<const QueryRecord> a, std::span<const QueryRecord> b) {
  const auto in_time = [&](const QueryRecord& record) {
    return record.time && *record.time <= timeout_ ? record.time : std::nullopt;
  };
  const auto together = analysis::pair_records(a, b);
  for (const auto& [of_a, of_b] : together) {
    pairs_.push_back({.block = of_a->block, .a = in_time(*of_a), .b = in_time(*of_b)});
    harness::add(a_, *of_a);
    harness::add(b_, *of_b);
  }
  a_.unpaired += a.size() - together.size();
  b_.unpaired += b.size() - together.size();
}

}  // namespace harness
