#pragma once

// The running labquery: the one client of a block, in the client namespace, asked query by query.

#include "base/child_process.hh"
#include "base/line_reader.hh"
#include "captures/query_record.hh"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace harness {

class QueryClient {
 public:
  // kLive: keys can be had while the query runs, with take_keylog(); else they come in the records.
  enum class Keys { kInRecords, kLive };
  QueryClient(const std::filesystem::path& program, int network_namespace,
              const std::filesystem::path& log, Keys keys);

  QueryClient(const QueryClient&) = delete;
  QueryClient& operator=(const QueryClient&) = delete;

  // Sends one request line. Its record follows.
  void ask(std::string_view request_line);
  // Readable when take_record() has something to read.
  int descriptor() const { return records_.read_end.number(); }
  // Reads what has come: the record once all of it is there. Throws LabError where the client has
  // ended or answers nonsense.
  std::optional<captures::QueryRecord> take_record();
  // Key log lines since the last call; of kLive only.
  std::string take_keylog();
  // Tells it that there are no more queries and waits for its end.
  void finish();

 private:
  // Throws LabError that says how labquery ended and what it said.
  [[noreturn]] void report_end();

  std::filesystem::path log_;
  base::Pipe requests_;
  base::Pipe records_;
  base::Pipe keylog_;
  base::ChildProcess process_;
  base::LineReader record_lines_;
  base::LineReader keylog_lines_;
};

}  // namespace harness
