#include "analysis/summary.hh"

#include "analysis/accounting.hh"
#include "base/errors.hh"

#include <algorithm>
#include <format>
#include <numeric>

namespace analysis {
namespace {

using captures::Outcome;
using captures::QueryRecord;

PerQuery describe(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {.mean = sum / static_cast<double>(values.size()), .median = median};
}

void describe_times(CellSummary& cell, std::span<const std::optional<base::Nanoseconds>> times) {
  const OrderStatistics statistics(times, cell.spec.timeout);
  cell.p50 = statistics.percentile(0.50);
  cell.p90 = statistics.percentile(0.90);
  cell.p95 = statistics.percentile(0.95);
  cell.p99 = statistics.percentile(0.99);
  cell.min = statistics.min();
  cell.max = statistics.max();
  if (!cell.p50.value || cell.spec.rtt <= base::Nanoseconds::zero()) return;
  const auto in_rtts = [&](base::Nanoseconds time) {
    return static_cast<double>(time.count()) / static_cast<double>(cell.spec.rtt.count());
  };
  cell.rtts = in_rtts(*cell.p50.value);
  cell.excess_rtts = in_rtts(*cell.p50.value - cell.spec.floor);
}

LossAccount total(std::span<const CellSummary> cells, LossAccount CellSummary::* direction) {
  LossAccount sum;
  if (cells.empty()) return sum;
  sum.configured = (cells.front().*direction).configured;
  for (const CellSummary& cell : cells) {
    const LossAccount& loss = cell.*direction;
    sum.sent += loss.sent;
    sum.lost += loss.lost;
    if (loss.configured != sum.configured) sum.configured.reset();
  }
  return sum;
}

}  // namespace

const CellSummary* Summary::find(std::string_view cell) const {
  const auto found = std::ranges::find(
      cells, cell,
      [](const CellSummary& summary) -> std::string_view { return summary.spec.name; });
  return found == cells.end() ? nullptr : &*found;
}

SummaryBuilder::SummaryBuilder(std::span<const CellSpec> cells) {
  for (const CellSpec& spec : cells) {
    Cell& cell = cells_.emplace_back();
    cell.counted.spec = spec;
    cell.counted.to_server.configured = spec.loss_to_server;
    cell.counted.to_client.configured = spec.loss_to_client;
    by_name_.emplace(spec.name, cells_.size() - 1);
  }
}

void SummaryBuilder::add(const QueryRecord& record) {
  const auto found = by_name_.find(record.cell);
  if (found == by_name_.end())
    throw base::LabError(std::format("query {}: cell {} was not planned", record.id, record.cell));
  Cell& cell = cells_[found->second];
  CellSummary& counted = cell.counted;
  ++counted.n;
  if (record.outcome == Outcome::kAnswered) ++counted.answered;
  if (record.outcome == Outcome::kNoAnswer) ++counted.no_answer;
  if (record.outcome == Outcome::kFailed) ++counted.failed;
  cell.times.push_back(record.time);
  if (record.unexplained) {
    if (*record.unexplained > base::Nanoseconds(0)) ++counted.unexplained;
    cell.round_trips.push_back(static_cast<double>(std::ranges::count_if(
        record.sum, [](const captures::SumPart& part) { return is_round_trip(part.what); })));
  }
  if (!record.wire) return;
  cell.client.add(record.wire->client);
  cell.server.add(record.wire->server);
  counted.to_server.sent += record.wire->client.packets;
  counted.to_client.sent += record.wire->server.packets;
  for (const captures::LostPacket& lost : record.lost) {
    auto& direction = lost.from == "client" ? counted.to_server : counted.to_client;
    // What the gate drops never comes to the path, whose loss is what is judged.
    if (lost.by == "gate") {
      --direction.sent;
    } else {
      ++direction.lost;
    }
  }
}

void SummaryBuilder::Sent::add(const captures::SentCount& count) {
  packets.push_back(static_cast<double>(count.packets));
  bytes.push_back(static_cast<double>(count.bytes));
}

std::optional<SentPerQuery> SummaryBuilder::Sent::described() const {
  if (packets.empty()) return std::nullopt;
  return SentPerQuery{.packets = describe(packets), .bytes = describe(bytes)};
}

Summary SummaryBuilder::build() const {
  Summary summary;
  for (const Cell& cell : cells_) {
    CellSummary& described = summary.cells.emplace_back(cell.counted);
    described.no_answer_rate = wilson_interval(described.no_answer, described.n);
    describe_times(described, cell.times);
    if (!cell.round_trips.empty()) described.round_trips = describe(cell.round_trips);
    described.client = cell.client.described();
    described.server = cell.server.described();
  }
  summary.to_server = total(summary.cells, &CellSummary::to_server);
  summary.to_client = total(summary.cells, &CellSummary::to_client);
  return summary;
}

Summary summarise(std::span<const CellSpec> cells, std::span<const QueryRecord> records) {
  SummaryBuilder builder(cells);
  for (const QueryRecord& record : records) builder.add(record);
  return builder.build();
}

}  // namespace analysis
