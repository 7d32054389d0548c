#include "harness/query_client.hh"

#include "base/errors.hh"
#include "harness/process_log.hh"

#include <fcntl.h>
#include <format>

namespace harness {
namespace {

// How long after a query's own timeout its record may come.
constexpr std::chrono::seconds kGrace{10};

base::ChildProcess start(const std::filesystem::path& program, int network_namespace,
                         const std::filesystem::path& log, const base::Pipe& requests,
                         const base::Pipe& records) {
  const base::FileDescriptor log_file(
      base::check_syscall(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644),
                          "create {}", log.string()));
  return base::ChildProcess({.argv = {program.string(), "--batch", "--keylog-inline"},
                             .environment = {"LC_ALL=C.UTF-8"},
                             .descriptors = {{requests.read_end.number(), 0},
                                             {records.write_end.number(), 1},
                                             {log_file.number(), 2}},
                             .network_namespace = network_namespace});
}

}  // namespace

QueryClient::QueryClient(const std::filesystem::path& program, int network_namespace,
                         const std::filesystem::path& log)
    : log_(log),
      requests_(base::make_pipe()),
      records_(base::make_pipe()),
      process_(start(program, network_namespace, log, requests_, records_)),
      record_lines_(records_.read_end, captures::kMaxRecordLineBytes) {
  requests_.read_end.close();
  records_.write_end.close();
}

captures::QueryRecord QueryClient::ask(std::string_view request_line, base::Nanoseconds within,
                                       const base::Clock& clock) {
  std::optional<std::string> line;
  try {
    base::write_all(requests_.write_end, request_line);
    line = record_lines_.next(clock, clock.now() + within + kGrace, "labquery's record");
  } catch (const base::LabError&) {
    report_end();
  }
  if (!line)
    throw base::LabError(
        std::format("labquery gave no record within {} of its request", within + kGrace));
  auto record = captures::parse_query_record(*line);
  if (!record) throw base::LabError("read labquery's record: " + record.error());
  return std::move(*record);
}

void QueryClient::report_end() {
  requests_.write_end.close();
  const base::ExitStatus status = process_.wait();
  throw base::LabError(
      std::format("labquery ended ({}); it said: {}", status.describe(), end_of_log(log_)));
}

void QueryClient::finish() {
  requests_.write_end.close();
  const base::ExitStatus status = process_.wait();
  if (!status.succeeded())
    throw base::LabError(
        std::format("labquery ended ({}); it said: {}", status.describe(), end_of_log(log_)));
}

}  // namespace harness
