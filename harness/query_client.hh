#pragma once

// The running labquery: the one client of a block, in the client namespace, asked query by query.

#include "base/child_process.hh"
#include "base/clock.hh"
#include "base/line_reader.hh"
#include "captures/query_record.hh"

#include <filesystem>
#include <string_view>

namespace harness {

class QueryClient {
 public:
  QueryClient(const std::filesystem::path& program, int network_namespace,
              const std::filesystem::path& log);

  QueryClient(const QueryClient&) = delete;
  QueryClient& operator=(const QueryClient&) = delete;

  // Sends one request line and waits for its record; `within` is the query's own timeout. Throws
  // LabError where the client ends, answers nonsense, or stays silent for long after the timeout.
  captures::QueryRecord ask(std::string_view request_line, base::Nanoseconds within,
                            const base::Clock& clock);
  // Tells it that there are no more queries and waits for its end.
  void finish();

 private:
  // Throws LabError that says how labquery ended and what it said.
  [[noreturn]] void report_end();

  std::filesystem::path log_;
  base::Pipe requests_;
  base::Pipe records_;
  base::ChildProcess process_;
  base::LineReader record_lines_;
};

}  // namespace harness
