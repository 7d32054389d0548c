#include "clients/dig_text.hh"

#include "transport/dns_text.hh"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ranges>
#include <string>
#include <utility>

namespace clients {
namespace {

constexpr std::string_view kHeaderMark = "->>HEADER<<-";
constexpr std::string_view kAnswerMark = ";; ANSWER SECTION:";

// What stands behind `mark`, up to what is neither letter nor digit nor point.
std::string_view word_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + mark.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::size_t end =
      text.find_first_not_of("0123456789.ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  return text.substr(0, end);
}

std::optional<double> number_behind(std::string_view text, std::string_view mark) {
  const std::string_view word = word_behind(text, mark);
  double number = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || rest != word.data() + word.size()) return std::nullopt;
  return number;
}

// In the words of all records, whatever the columns.
std::string record_text(std::string_view line) {
  const auto record = transport::parse_record(line);
  return record ? transport::to_string(*record) : std::string(line);
}

// "in 80.1 ms" of kdig, "Query time: 80123 usec" of dig.
std::optional<base::Nanoseconds> own_time(std::string_view text) {
  constexpr double kNanosecondsOfMicrosecond = 1e3;
  constexpr double kNanosecondsOfMillisecond = 1e6;
  if (const auto time = number_behind(text, ";; Query time:"))
    return base::Nanoseconds(std::llround(*time * kNanosecondsOfMicrosecond));
  const std::size_t from = text.find(";; From ");
  if (from == std::string_view::npos) return std::nullopt;
  const auto time = number_behind(text.substr(from), " in ");
  if (!time) return std::nullopt;
  return base::Nanoseconds(std::llround(*time * kNanosecondsOfMillisecond));
}

// The lines that say where the answer came from.
bool came_over_tcp(std::string_view text) {
  for (const std::string_view mark : {";; SERVER: ", ";; From "}) {
    const std::size_t from = text.find(mark);
    if (from == std::string_view::npos) continue;
    return text.substr(from, text.find('\n', from) - from).contains("(TCP)");
  }
  return false;
}

}  // namespace

bool read_dig_text(std::string_view text, captures::QueryRecord& record) {
  const std::size_t header = text.find(kHeaderMark);
  if (header == std::string_view::npos) return false;
  const std::string_view answer = text.substr(header);
  const std::string_view status = word_behind(answer, "status:");
  if (status.empty()) return false;
  auto bytes = number_behind(answer, ";; MSG SIZE  rcvd:");
  if (!bytes) bytes = number_behind(answer, ";; Received");
  captures::AnswerFacts facts{.bytes = static_cast<std::uint64_t>(bytes.value_or(0)),
                              .records = {}};
  if (const std::size_t begin = answer.find(kAnswerMark); begin != std::string_view::npos) {
    const std::string_view section = answer.substr(answer.find('\n', begin) + 1);
    for (const auto part : std::views::split(section, '\n')) {
      const std::string_view line(part);
      if (line.empty()) break;
      facts.records.push_back(record_text(line));
    }
  }
  record.outcome = captures::Outcome::kAnswered;
  record.rcode = std::string(status);
  record.answer = std::move(facts);
  record.own_time = own_time(answer);
  if (record.transport == "do53" && came_over_tcp(answer)) record.fallback = "tcp";
  return true;
}

}  // namespace clients
