#include "analysis/summary.hh"

#include "base/errors.hh"

#include <algorithm>
#include <format>
#include <map>
#include <numeric>

namespace analysis {
namespace {

using captures::Outcome;
using captures::QueryRecord;
using Records = std::vector<const QueryRecord*>;

PerQuery describe(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {.mean = sum / static_cast<double>(values.size()), .median = median};
}

std::optional<SentPerQuery> describe_sent(const Records& records,
                                          captures::SentCount captures::WireCounts::* end) {
  std::vector<double> packets;
  std::vector<double> bytes;
  for (const QueryRecord* record : records) {
    if (!record->wire) continue;
    packets.push_back(static_cast<double>(((*record->wire).*end).packets));
    bytes.push_back(static_cast<double>(((*record->wire).*end).bytes));
  }
  if (packets.empty()) return std::nullopt;
  return SentPerQuery{.packets = describe(std::move(packets)), .bytes = describe(std::move(bytes))};
}

void count_losses(CellSummary& cell, const Records& records) {
  for (const QueryRecord* record : records) {
    if (!record->wire) continue;
    cell.to_server.sent += record->wire->client.packets;
    cell.to_client.sent += record->wire->server.packets;
    for (const captures::LostPacket& lost : record->lost)
      ++(lost.from == "client" ? cell.to_server : cell.to_client).lost;
  }
}

void count_outcomes(CellSummary& cell, const Records& records) {
  cell.n = records.size();
  for (const QueryRecord* record : records) {
    if (record->outcome == Outcome::kAnswered) ++cell.answered;
    if (record->outcome == Outcome::kNoAnswer) ++cell.no_answer;
    if (record->outcome == Outcome::kFailed) ++cell.failed;
  }
  cell.no_answer_rate = wilson_interval(cell.no_answer, cell.n);
}

void describe_times(CellSummary& cell, const Records& records) {
  std::vector<std::optional<base::Nanoseconds>> times;
  for (const QueryRecord* record : records) times.push_back(record->time);
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

CellSummary summarise_cell(const CellSpec& spec, const Records& records) {
  CellSummary cell;
  cell.spec = spec;
  cell.to_server.configured = spec.loss_to_server;
  cell.to_client.configured = spec.loss_to_client;
  count_outcomes(cell, records);
  describe_times(cell, records);
  count_losses(cell, records);
  cell.client = describe_sent(records, &captures::WireCounts::client);
  cell.server = describe_sent(records, &captures::WireCounts::server);
  return cell;
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

Summary summarise(std::span<const CellSpec> cells, std::span<const QueryRecord> records) {
  std::map<std::string_view, Records> by_cell;
  for (const CellSpec& cell : cells) by_cell[cell.name];
  for (const QueryRecord& record : records) {
    const auto cell = by_cell.find(record.cell);
    if (cell == by_cell.end())
      throw base::LabError(
          std::format("query {}: cell {} was not planned", record.id, record.cell));
    cell->second.push_back(&record);
  }
  Summary summary;
  for (const CellSpec& cell : cells)
    summary.cells.push_back(summarise_cell(cell, by_cell[cell.name]));
  summary.to_server = total(summary.cells, &CellSummary::to_server);
  summary.to_client = total(summary.cells, &CellSummary::to_client);
  return summary;
}

}  // namespace analysis
