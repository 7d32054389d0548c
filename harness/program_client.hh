#pragma once

// A client of Debian, one process for each query, run by a user without privileges in a folder of
// its own.

#include "base/child_process.hh"
#include "base/event_loop.hh"
#include "clients/client_program.hh"
#include "clients/query_request.hh"
#include "harness/query_client.hh"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace harness {

class ProgramClient final : public QueryClient {
 public:
  // `folder` must not exist. What the program says of queries that it does not answer goes to
  // `log`. `loop` outlives the client. Throws SystemError where the program is not installed.
  ProgramClient(const clients::ClientProgram& program, int network_namespace,
                const std::filesystem::path& folder, const std::filesystem::path& log,
                base::EventLoop& loop);
  ProgramClient(const ProgramClient&) = delete;
  ProgramClient& operator=(const ProgramClient&) = delete;
  ~ProgramClient() override;

  const std::string& version() const { return version_; }

  void ask(const std::string& request_line, const PlannedArm& arm) override;
  bool has_record() const override { return ended_.has_value(); }
  captures::QueryRecord take_record() override;
  base::Nanoseconds patience(base::Nanoseconds timeout) const override;
  captures::QueryRecord give_up() override;
  std::string take_keylog() override;
  void finish() override {}

 private:
  void empty_folder() const;
  void write_files(const clients::ClientCommand& command) const;
  void start(const clients::ClientCommand& command);
  void note_end();
  clients::ClientTraces read_traces(base::ExitStatus status) const;
  captures::QueryRecord make_record(const clients::ClientTraces& traces) const;
  void log_failure(const captures::QueryRecord& record, const clients::ClientTraces& traces) const;
  std::filesystem::path file(std::string_view name) const { return folder_ / name; }

  const clients::ClientProgram& program_;
  int network_namespace_;
  std::filesystem::path folder_;
  std::filesystem::path log_;
  base::EventLoop& loop_;
  std::string version_;
  std::optional<base::ChildProcess> process_;
  clients::QueryRequest request_;  // of the query under way, or the last one
  std::string local_address_;
  base::Instant started_;
  struct End {
    base::ExitStatus status;
    base::Instant at;
  };
  std::optional<End> ended_;
  std::size_t keys_taken_ = 0;  // bytes of the key log's file that take_keylog() has given away
};

}  // namespace harness
