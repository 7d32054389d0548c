#include "analysis/metrics.hh"

#include "analysis/expectations.hh"
#include "base/errors.hh"

#include <algorithm>
#include <array>
#include <format>

namespace analysis {
namespace {

using Reader = Reading (*)(const CellSummary&);

struct ReadableMetric {
  Metric metric;
  Reader read;
};

double in_nanoseconds(base::Nanoseconds time) {
  return static_cast<double>(time.count());
}

Reading count(std::uint64_t value) {
  return {.value = static_cast<double>(value), .censored = false, .reason = {}};
}

Reading no_samples(std::string_view what) {
  return {.value = std::nullopt, .censored = false, .reason = std::format("no {}", what)};
}

Reading duration(base::Nanoseconds time) {
  return {.value = in_nanoseconds(time), .censored = false, .reason = {}};
}

Reading percentile(const Percentile& from) {
  if (from.value) return duration(*from.value);
  return {.value = std::nullopt, .censored = from.censored, .reason = from.reason};
}

// The maximum of a cell that ran is empty only where a sample is censored.
Reading maximum(const CellSummary& cell) {
  if (cell.n == 0) return no_samples("samples");
  if (cell.max) return duration(*cell.max);
  return {.value = std::nullopt, .censored = true, .reason = "a query got no answer"};
}

Reading minimum(const CellSummary& cell) {
  return cell.min ? duration(*cell.min) : no_samples("answers");
}

Reading less(Reading reading, double subtrahend) {
  if (reading.value) *reading.value -= subtrahend;
  return reading;
}

Reading p99_minus_p50(const CellSummary& cell) {
  if (!cell.p50.value) return percentile(cell.p50);
  return less(percentile(cell.p99), in_nanoseconds(*cell.p50.value));
}

Reading rate(std::uint64_t of, std::uint64_t n) {
  if (n == 0) return no_samples("samples");
  return {
      .value = static_cast<double>(of) / static_cast<double>(n), .censored = false, .reason = {}};
}

Reading ratio(const std::optional<double>& value, const CellSummary& cell) {
  if (value) return {.value = value, .censored = false, .reason = {}};
  if (cell.p50.censored) return percentile(cell.p50);
  return no_samples(cell.p50.value ? "delay on the path to divide by" : "median");
}

Reading sent(const std::optional<SentPerQuery>& from, PerQuery SentPerQuery::* what) {
  if (!from) return no_samples("wire counts");
  return {.value = ((*from).*what).mean, .censored = false, .reason = {}};
}

Reading sent_by_both(const CellSummary& cell, PerQuery SentPerQuery::* what) {
  Reading client = sent(cell.client, what);
  const Reading server = sent(cell.server, what);
  if (!client.value || !server.value) return client;
  return {.value = *client.value + *server.value, .censored = false, .reason = {}};
}

Reading round_trips(const CellSummary& cell) {
  if (!cell.round_trips) return no_samples("explained answers");
  return {.value = cell.round_trips->mean, .censored = false, .reason = {}};
}

double floor_of(const CellSummary& cell) {
  return in_nanoseconds(cell.spec.floor);
}

using Cell = const CellSummary&;
using enum MetricUnit;

constexpr std::array kMetrics{
    ReadableMetric{{"min", kDuration, "shortest time to the answer"},
                   [](Cell cell) { return minimum(cell); }},
    ReadableMetric{{"p50", kDuration, "median time to the answer"},
                   [](Cell cell) { return percentile(cell.p50); }},
    ReadableMetric{{"p90", kDuration, "90th percentile; needs 29 queries"},
                   [](Cell cell) { return percentile(cell.p90); }},
    ReadableMetric{{"p95", kDuration, "95th percentile; needs 59 queries"},
                   [](Cell cell) { return percentile(cell.p95); }},
    ReadableMetric{{"p99", kDuration, "99th percentile; needs 299 queries"},
                   [](Cell cell) { return percentile(cell.p99); }},
    ReadableMetric{{"max", kDuration, "longest time to the answer"},
                   [](Cell cell) { return maximum(cell); }},
    ReadableMetric{{"p99_minus_p50", kDuration, "how far the tail lies above the median"},
                   [](Cell cell) { return p99_minus_p50(cell); }},
    ReadableMetric{{"min_minus_floor", kDuration, "shortest time above the transport's floor"},
                   [](Cell cell) { return less(minimum(cell), floor_of(cell)); }},
    ReadableMetric{{"p50_minus_floor", kDuration, "median above the transport's floor"},
                   [](Cell cell) { return less(percentile(cell.p50), floor_of(cell)); }},
    ReadableMetric{{"max_minus_floor", kDuration, "longest time above the transport's floor"},
                   [](Cell cell) { return less(maximum(cell), floor_of(cell)); }},
    ReadableMetric{{"rtts", kRatio, "median in round trips"},
                   [](Cell cell) { return ratio(cell.rtts, cell); }},
    ReadableMetric{{"excess_rtts", kRatio, "median above the floor, in round trips"},
                   [](Cell cell) { return ratio(cell.excess_rtts, cell); }},
    ReadableMetric{{"round_trips", kRatio, "round trips that an answer waited for, mean"},
                   [](Cell cell) { return round_trips(cell); }},
    ReadableMetric{{"unexplained", kCount, "answers with time that no rule explains"},
                   [](Cell cell) { return count(cell.unexplained); }},
    ReadableMetric{{"n", kCount, "queries"}, [](Cell cell) { return count(cell.n); }},
    ReadableMetric{{"answered", kCount, "queries with a checked answer"},
                   [](Cell cell) { return count(cell.answered); }},
    ReadableMetric{{"no_answer", kCount, "queries without an answer within the timeout"},
                   [](Cell cell) { return count(cell.no_answer); }},
    ReadableMetric{{"failed", kCount, "queries that were refused or answered wrongly"},
                   [](Cell cell) { return count(cell.failed); }},
    ReadableMetric{{"no_answer_rate", kProbability, "share of queries without an answer in time"},
                   [](Cell cell) { return rate(cell.no_answer, cell.n); }},
    ReadableMetric{{"loss_client_to_server", kProbability, "share of IP packets lost on the way"},
                   [](Cell cell) { return rate(cell.to_server.lost, cell.to_server.sent); }},
    ReadableMetric{{"loss_server_to_client", kProbability, "share of IP packets lost on the way"},
                   [](Cell cell) { return rate(cell.to_client.lost, cell.to_client.sent); }},
    ReadableMetric{{"packets", kRatio, "IP packets per query, both ends, mean"},
                   [](Cell cell) { return sent_by_both(cell, &SentPerQuery::packets); }},
    ReadableMetric{{"bytes", kRatio, "IP bytes per query, both ends, mean"},
                   [](Cell cell) { return sent_by_both(cell, &SentPerQuery::bytes); }},
    ReadableMetric{{"packets_client", kRatio, "IP packets the client sent per query, mean"},
                   [](Cell cell) { return sent(cell.client, &SentPerQuery::packets); }},
    ReadableMetric{{"packets_server", kRatio, "IP packets the server sent per query, mean"},
                   [](Cell cell) { return sent(cell.server, &SentPerQuery::packets); }},
    ReadableMetric{{"bytes_client", kRatio, "IP bytes the client sent per query, mean"},
                   [](Cell cell) { return sent(cell.client, &SentPerQuery::bytes); }},
    ReadableMetric{{"bytes_server", kRatio, "IP bytes the server sent per query, mean"},
                   [](Cell cell) { return sent(cell.server, &SentPerQuery::bytes); }},
};

constexpr auto kPublicMetrics = [] {
  std::array<Metric, kMetrics.size()> names{};
  std::ranges::transform(kMetrics, names.begin(), &ReadableMetric::metric);
  return names;
}();

}  // namespace

std::span<const Metric> metrics() {
  return kPublicMetrics;
}

const Metric* find_metric(std::string_view name) {
  const auto found = std::ranges::find(kPublicMetrics, name, &Metric::name);
  return found == kPublicMetrics.end() ? nullptr : &*found;
}

Reading read_metric(std::string_view metric, const CellSummary& cell) {
  for (const ReadableMetric& known : kMetrics)
    if (known.metric.name == metric) return known.read(cell);
  throw base::LabError(std::format("there is no metric \"{}\"", metric));
}

}  // namespace analysis
