#pragma once

// The figures of a run, cell by cell: what summary.json and the table show.

#include "analysis/binomial.hh"
#include "analysis/cell_spec.hh"
#include "analysis/loss_account.hh"
#include "analysis/percentile.hh"
#include "base/clock.hh"
#include "captures/query_record.hh"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace analysis {

// Of the values that each query has.
struct PerQuery {
  double mean = 0;
  double median = 0;  // mean of the two middle values where n is even
};

// What one end sent per query; IP bytes.
struct SentPerQuery {
  PerQuery packets;
  PerQuery bytes;
};

struct CellSummary {
  CellSpec spec;
  std::uint64_t n = 0;
  std::uint64_t answered = 0;
  std::uint64_t no_answer = 0;
  std::uint64_t failed = 0;
  ProbabilityInterval no_answer_rate;  // 95 %, of queries without an answer in time

  // Over all n: queries without an answer and failed ones are censored samples.
  Percentile p50;
  Percentile p90;
  Percentile p95;
  Percentile p99;
  std::optional<base::Nanoseconds> min;
  std::optional<base::Nanoseconds> max;  // empty where a sample is censored

  // Median in round trips, and what of it lies above the floor. Empty where the median is, or the
  // path has no delay.
  std::optional<double> rtts;
  std::optional<double> excess_rtts;

  // Of the answers that the analysis has explained: round trips that they waited for, each begun by
  // a flight of the client; and how many queries have time that no rule explains. Empty where none
  // was explained.
  std::optional<PerQuery> round_trips;
  std::uint64_t unexplained = 0;

  // Empty where no record carries wire counts.
  std::optional<SentPerQuery> client;
  std::optional<SentPerQuery> server;
  LossAccount to_server;
  LossAccount to_client;
};

struct Summary {
  std::vector<CellSummary> cells;  // in the plan's order
  // Of all cells together; judged where all cells are configured alike.
  LossAccount to_server;
  LossAccount to_client;

  const CellSummary* find(std::string_view cell) const;  // nullptr where there is none
};

// Takes records one by one and keeps a few numbers of each, so that a run of any length fits.
class SummaryBuilder {
 public:
  explicit SummaryBuilder(std::span<const CellSpec> cells);

  // Throws LabError for a record of a cell that is not among them.
  void add(const captures::QueryRecord& record);
  // Cells without a record have n = 0.
  Summary build() const;

 private:
  // What one end sent for each query.
  struct Sent {
    void add(const captures::SentCount& count);
    std::optional<SentPerQuery> described() const;
    std::vector<double> packets;
    std::vector<double> bytes;
  };
  struct Cell {
    CellSummary counted;  // its counts only
    std::vector<std::optional<base::Nanoseconds>> times;
    std::vector<double> round_trips;
    Sent client;
    Sent server;
  };
  std::vector<Cell> cells_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

// All at once.
Summary summarise(std::span<const CellSpec> cells, std::span<const captures::QueryRecord> records);

// The contents of summary.json.
nlohmann::ordered_json to_json(const Summary& summary);

}  // namespace analysis
