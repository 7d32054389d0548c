#include "harness/labquery_client.hh"

#include "base/errors.hh"
#include "harness/process_log.hh"

#include <sys/epoll.h>

#include <fcntl.h>
#include <format>
#include <utility>

namespace harness {
namespace {

constexpr int kKeylogDescriptor = 3;
// How long after a query's own timeout its record may come.
constexpr std::chrono::seconds kGrace{10};

base::ChildProcess start(const std::filesystem::path& program, int network_namespace,
                         const std::filesystem::path& log, const base::Pipe& requests,
                         const base::Pipe& records, const base::Pipe& keylog) {
  const base::FileDescriptor log_file(
      base::check_syscall(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644),
                          "create {}", log.string()));
  base::ChildSpec spec{.argv = {program.string(), "--batch", "--keylog-inline"},
                       .environment = {"LC_ALL=C.UTF-8"},
                       .descriptors = {{requests.read_end.number(), 0},
                                       {records.write_end.number(), 1},
                                       {log_file.number(), 2}},
                       .network_namespace = network_namespace};
  if (keylog.write_end.is_open()) {
    spec.argv.insert(spec.argv.end(), {"--keylog-fd", std::to_string(kKeylogDescriptor)});
    spec.descriptors.push_back({keylog.write_end.number(), kKeylogDescriptor});
  }
  return base::ChildProcess(spec);
}

}  // namespace

LabqueryClient::LabqueryClient(const std::filesystem::path& program, int network_namespace,
                               const std::filesystem::path& log, Keys keys, base::EventLoop& loop)
    : loop_(loop),
      log_(log),
      requests_(base::make_pipe()),
      records_(base::make_pipe()),
      keylog_(keys == Keys::kLive ? base::make_pipe() : base::Pipe{}),
      process_(start(program, network_namespace, log, requests_, records_, keylog_)),
      record_lines_(records_.read_end, captures::kMaxRecordLineBytes),
      keylog_lines_(keylog_.read_end) {
  requests_.read_end.close();
  records_.write_end.close();
  keylog_.write_end.close();
  loop_.watch(records_.read_end.number(), EPOLLIN, [this](std::uint32_t) { read_records(); });
}

LabqueryClient::~LabqueryClient() {
  loop_.forget(records_.read_end.number());
}

void LabqueryClient::ask(const std::string& request_line, const PlannedArm& /*arm*/) {
  record_.reset();
  try {
    base::write_all(requests_.write_end, request_line);
  } catch (const base::LabError&) {
    report_end();
  }
}

void LabqueryClient::read_records() {
  if (!record_lines_.fill()) report_end();
  const auto line = record_lines_.buffered();
  if (!line) return;
  auto record = captures::parse_query_record(*line);
  if (!record) throw base::LabError("read labquery's record: " + record.error());
  record_ = std::move(*record);
}

captures::QueryRecord LabqueryClient::take_record() {
  LABRUN_ASSERT(record_.has_value());
  captures::QueryRecord record = std::move(*record_);
  record_.reset();
  return record;
}

// A preparation may wait for silence as long as for its answer.
base::Nanoseconds LabqueryClient::patience(base::Nanoseconds timeout) const {
  return 2 * timeout + kGrace;
}

captures::QueryRecord LabqueryClient::give_up() {
  throw base::LabError("labquery gave no record in time for its request");
}

std::string LabqueryClient::take_keylog() {
  return keylog_.read_end.is_open() ? keylog_lines_.available() : std::string();
}

void LabqueryClient::report_end() {
  requests_.write_end.close();
  const base::ExitStatus status = process_.wait();
  throw base::LabError(
      std::format("labquery ended ({}); it said: {}", status.describe(), end_of_log(log_)));
}

void LabqueryClient::finish() {
  requests_.write_end.close();
  const base::ExitStatus status = process_.wait();
  if (!status.succeeded())
    throw base::LabError(
        std::format("labquery ended ({}); it said: {}", status.describe(), end_of_log(log_)));
}

}  // namespace harness
