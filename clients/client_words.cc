#include "clients/client_words.hh"

#include "captures/keylog.hh"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <ranges>
#include <utility>

namespace clients {
namespace {

// dig writes "<date> <time> LABEL <client random> <secret>".
std::optional<std::string_view> keylog_part(std::string_view line) {
  constexpr int kMostMarks = 2;
  for (int marks = 0; marks <= kMostMarks; ++marks) {
    if (captures::parse_keylog_line(line)) return line;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    line.remove_prefix(space + 1);
  }
  return std::nullopt;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (const auto line : std::views::split(text, '\n')) lines.emplace_back(line);
  return lines;
}

}  // namespace

std::string keylog_lines(std::string_view text) {
  std::string keys;
  for (const std::string_view line : lines_of(text))
    if (const auto part = keylog_part(line)) keys.append(*part).append("\n");
  return keys;
}

std::string without_keylog_lines(std::string_view text) {
  std::string rest;
  for (const std::string_view line : lines_of(text))
    if (!line.empty() && !keylog_part(line)) rest.append(line).append("\n");
  return rest;
}

std::vector<std::string> plain_environment(const ClientSite& site) {
  return {"LC_ALL=C.UTF-8", "PATH=/usr/bin", "HOME=" + site.folder.string(),
          "SSLKEYLOGFILE=" + (site.folder / kKeysFile).string()};
}

std::string seconds_text(base::Nanoseconds timeout) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(timeout).count());
}

bool is_padded(const QuerySpec& spec) {
  return is_encrypted(spec.transport) && spec.padding == Padding::kRfc8467;
}

void fail(captures::QueryRecord& record, captures::Fault fault, std::string error) {
  record.outcome = captures::Outcome::kFailed;
  record.error = std::move(error);
  if (record.client) record.client->fault = fault;
}

std::string in_one_line(std::string_view text) {
  std::string joined;
  for (std::string_view line : lines_of(text)) {
    // Comment marks of zone files.
    line.remove_prefix(std::min(line.find_first_not_of("; \t"), line.size()));
    if (line.empty()) continue;
    if (!joined.empty()) joined += "; ";
    joined += line;
  }
  return joined;
}

bool contains_any(std::string_view text, const std::vector<std::string_view>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
}

}  // namespace clients
