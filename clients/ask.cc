#include "clients/ask.hh"

#include "base/clock.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "captures/query_record.hh"
#include "clients/query_runner.hh"
#include "clients/text_report.hh"

#include <algorithm>
#include <fcntl.h>
#include <ostream>
#include <string>
#include <vector>

namespace clients {
namespace {

// Keys decrypt traffic, hence the file is its owner's alone.
base::FileDescriptor open_keylog(const std::string& path) {
  if (path.empty()) return {};
  return base::FileDescriptor(base::check_syscall(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), "open {}", path));
}

QueryIdentity identity_of(const QuerySpec& spec, std::size_t ordinal) {
  const std::string cell(to_string(spec.transport));
  return {.id = cell + ':' + std::to_string(ordinal), .cell = cell, .index = ordinal};
}

// With what it finds, where it is to find something. The record of a preparation that failed is the
// query's.
captures::QueryRecord ask_once(QueryRunner& runner, const QuerySpec& spec,
                               const QueryIdentity& identity) {
  if (spec.connection == Connection::kCold) return runner.run(spec, identity);
  captures::QueryRecord before = runner.prepare(spec, identity);
  if (before.outcome != captures::Outcome::kAnswered) return before;
  captures::QueryRecord record = runner.run(spec, identity);
  record.keylog = before.keylog + record.keylog;
  return record;
}

}  // namespace

int ask(const CommandLine& command, std::ostream& out) {
  QuerySpec spec = command.spec;
  spec.server = resolve_host(command.host, command.port);
  const base::FileDescriptor keylog = open_keylog(command.keylog_file);
  const base::SystemClock clock;
  QueryRunner runner(clock, keylog.is_open() ? KeepKeys::kYes : KeepKeys::kNo);
  std::vector<captures::QueryRecord> records;
  for (std::size_t ordinal = 0; ordinal < command.count; ++ordinal) {
    captures::QueryRecord record = ask_once(runner, spec, identity_of(spec, ordinal));
    if (keylog.is_open()) base::write_all(keylog, record.keylog);
    record.keylog.clear();
    if (command.json)
      out << captures::to_json_line(record) << '\n';
    else
      out << (command.count == 1 ? describe_query(record) : describe_briefly(record, ordinal + 1));
    out.flush();
    records.push_back(std::move(record));
    // A port of its own for each: a closed TCP connection keeps its port for a minute (TIME-WAIT,
    // RFC 9293, section 3.6.1).
    if (spec.local_port != 0)
      spec.local_port = static_cast<std::uint16_t>(spec.local_port + ports_of(spec.connection));
  }
  if (!command.json && command.count > 1) out << summarise(records);
  const bool all_answered = std::ranges::all_of(records, [](const captures::QueryRecord& record) {
    return record.outcome == captures::Outcome::kAnswered;
  });
  return all_answered ? base::kExitSuccess : base::kExitExpectationFailed;
}

}  // namespace clients
