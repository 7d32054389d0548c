#pragma once

// The running labquery: one process that is asked all queries of a block.

#include "base/child_process.hh"
#include "base/event_loop.hh"
#include "base/line_reader.hh"
#include "captures/query_record.hh"
#include "harness/query_client.hh"

#include <filesystem>
#include <optional>
#include <string>

namespace harness {

class LabqueryClient final : public QueryClient {
 public:
  // kLive: keys can be had while the query runs, with take_keylog(); else they come in the records.
  enum class Keys { kInRecords, kLive };
  // `loop` outlives it.
  LabqueryClient(const std::filesystem::path& program, int network_namespace,
                 const std::filesystem::path& log, Keys keys, base::EventLoop& loop);
  LabqueryClient(const LabqueryClient&) = delete;
  LabqueryClient& operator=(const LabqueryClient&) = delete;
  ~LabqueryClient() override;

  void ask(const std::string& request_line, const PlannedArm& arm) override;
  bool has_record() const override { return record_.has_value(); }
  captures::QueryRecord take_record() override;
  base::Nanoseconds patience(base::Nanoseconds timeout) const override;
  captures::QueryRecord give_up() override;
  std::string take_keylog() override;
  void finish() override;

 private:
  // Throws LabError that says how labquery ended and what it said.
  [[noreturn]] void report_end();

  // Reads what has come.
  void read_records();

  base::EventLoop& loop_;
  std::filesystem::path log_;
  base::Pipe requests_;
  base::Pipe records_;
  base::Pipe keylog_;
  base::ChildProcess process_;
  base::LineReader record_lines_;
  base::LineReader keylog_lines_;
  std::optional<captures::QueryRecord> record_;
};

}  // namespace harness
