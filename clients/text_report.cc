#include "clients/text_report.hh"

#include <algorithm>
#include <array>
#include <format>
#include <optional>
#include <utility>
#include <vector>

namespace clients {
namespace {

using base::Nanoseconds;
using captures::Outcome;
using captures::QueryRecord;

std::string milliseconds(Nanoseconds time) {
  return std::format("{:.3f} ms", static_cast<double>(time.count()) / 1e6);
}

std::string describe_server(const QueryRecord& record) {
  std::string text = record.transport;
  if (!record.flows.empty()) {
    const captures::Flow& flow = record.flows.back();
    const bool is_ipv6 = flow.remote_address.find(':') != std::string::npos;
    text = std::format("{} over {}, port {}",
                       is_ipv6 ? "[" + flow.remote_address + "]" : flow.remote_address, text,
                       flow.remote_port);
  }
  if (record.fallback) text += std::format(" (truncated over UDP, then {})", *record.fallback);
  return text;
}

std::string describe_outcome(const QueryRecord& record) {
  switch (record.outcome) {
    case Outcome::kAnswered:
      return std::format("{} from {}: {} bytes in {}", record.rcode.value_or("?"),
                         describe_server(record), record.answer ? record.answer->bytes : 0,
                         milliseconds(record.time.value_or(Nanoseconds(0))));
    case Outcome::kNoAnswer:
      return std::format("no answer from {}", describe_server(record));
    case Outcome::kFailed:
      break;
  }
  return std::format("failed: {}; {}", record.error.value_or("unknown reason"),
                     describe_server(record));
}

std::string describe_handshake(const QueryRecord& record) {
  std::string text = "TLS handshake complete";
  if (record.tls) text += std::format(": {}, {}", record.tls->version, record.tls->cipher);
  if (record.group) text += std::format(", key exchange {}", *record.group);
  if (record.tls && !record.tls->alpn.empty()) text += std::format(", ALPN {}", record.tls->alpn);
  return text;
}

std::string describe_phases(const QueryRecord& record) {
  std::array<std::pair<std::optional<Nanoseconds>, std::string>, 5> phases{{
      {record.phases.connect, "TCP connection open"},
      {record.phases.handshake, describe_handshake(record)},
      {record.phases.sent, "request handed to the network"},
      {record.phases.first_byte, "first byte of the answer"},
      {record.phases.answer, "answer complete and checked"},
  }};
  // Early data leaves before the handshake's end.
  std::ranges::stable_sort(phases, {}, [](const auto& phase) { return phase.first; });
  std::string text;
  Nanoseconds before{0};
  for (const auto& [phase, meaning] : phases) {
    if (!phase) continue;
    text += std::format("{:>14}  {:>13}  {}\n", milliseconds(*phase),
                        "+" + milliseconds(*phase - before), meaning);
    before = *phase;
  }
  return text;
}

std::string describe_oddities(const QueryRecord& record) {
  std::string text;
  if (record.http_status && *record.http_status != 200)
    text += std::format("HTTP status {}\n", *record.http_status);
  if (record.settings.connection == "early-data" && !record.early_data.attempted)
    text += "no early data: the server's ticket does not allow it\n";
  if (record.early_data.attempted)
    text += std::format("early data: {}\n", record.early_data.accepted ? "accepted" : "refused");
  if (record.retries > 0)
    text += std::format("QUIC Retry: {} (one round trip each)\n", record.retries);
  if (record.ignored_datagrams > 0)
    text += std::format("ignored {} datagrams that do not answer this query\n",
                        record.ignored_datagrams);
  return text;
}

}  // namespace

std::string describe_query(const QueryRecord& record) {
  std::string text;
  if (record.answer) {
    for (const std::string& line : record.answer->records) text += line + '\n';
    if (!record.answer->records.empty()) text += '\n';
  }
  text += describe_outcome(record) + '\n';
  return text + describe_phases(record) + describe_oddities(record);
}

std::string describe_briefly(const QueryRecord& record, std::size_t ordinal) {
  switch (record.outcome) {
    case Outcome::kAnswered:
      return std::format("{:>5}  {:>13}  {}\n", ordinal,
                         milliseconds(record.time.value_or(Nanoseconds(0))),
                         record.rcode.value_or("?"));
    case Outcome::kNoAnswer:
      return std::format("{:>5}  {:>13}\n", ordinal, "no answer");
    case Outcome::kFailed:
      break;
  }
  return std::format("{:>5}  {:>13}  {}\n", ordinal, "failed", record.error.value_or(""));
}

std::string summarise(std::span<const QueryRecord> records) {
  std::vector<Nanoseconds> times;
  for (const QueryRecord& record : records)
    if (record.time) times.push_back(*record.time);
  std::string text = std::format("{} of {} answered", times.size(), records.size());
  if (times.empty()) return text + '\n';
  std::ranges::sort(times);
  // Nearest rank over all queries: the median of a list whose unanswered half has no times is no
  // time.
  const std::size_t middle = (records.size() + 1) / 2 - 1;
  text += std::format(": fastest {}, median {}, slowest {}\n", milliseconds(times.front()),
                      middle < times.size() ? milliseconds(times[middle]) : "no answer",
                      milliseconds(times.back()));
  return text;
}

}  // namespace clients
