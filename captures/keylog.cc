#include "captures/keylog.hh"

#include <algorithm>
#include <format>
#include <ranges>

namespace captures {
namespace {

constexpr std::size_t kClientRandomDigits = 64;  // 32 bytes
// Longest secrets: 48 bytes of a TLS 1.2 master secret, 64 bytes for hashes as long as SHA-512.
constexpr std::size_t kMaxSecretDigits = 128;
constexpr std::size_t kMaxLabelLength = 64;

bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabelLength &&
         std::ranges::all_of(text, [](char character) {
           return (character >= 'A' && character <= 'Z') ||
                  (character >= '0' && character <= '9') || character == '_';
         });
}

// Lower case, or nullopt where a character is no hexadecimal digit.
std::optional<std::string> lower_hexadecimal(std::string_view text) {
  std::string lower(text);
  for (char& character : lower) {
    if (character >= 'A' && character <= 'F') character = static_cast<char>(character - 'A' + 'a');
    const bool digit =
        (character >= '0' && character <= '9') || (character >= 'a' && character <= 'f');
    if (!digit) return std::nullopt;
  }
  return lower;
}

std::string_view without_carriage_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::optional<KeylogLine> parse_keylog_line(std::string_view line) {
  line = without_carriage_return(line);
  const std::size_t first = line.find(' ');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = line.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view label = line.substr(0, first);
  const auto client_random = lower_hexadecimal(line.substr(first + 1, second - first - 1));
  const auto secret = lower_hexadecimal(line.substr(second + 1));
  if (!is_label(label) || !client_random || client_random->size() != kClientRandomDigits)
    return std::nullopt;
  if (!secret || secret->empty() || secret->size() % 2 != 0 || secret->size() > kMaxSecretDigits)
    return std::nullopt;
  return KeylogLine{
      .label = std::string(label), .client_random = *client_random, .secret = *secret};
}

void KeylogCollection::add(std::string_view text) {
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line = without_carriage_return(std::string_view(part));
    if (line.empty() || line.starts_with('#')) continue;
    const auto parsed = parse_keylog_line(line);
    if (!parsed) {
      ++malformed_lines_;
      continue;
    }
    std::vector<KeylogLine>& known = lines_[parsed->client_random];
    if (known.empty()) order_.push_back(parsed->client_random);
    if (!std::ranges::contains(known, *parsed)) known.push_back(*parsed);
  }
}

std::string KeylogCollection::lines_of(const std::string& client_random) const {
  const auto found = lines_.find(client_random);
  if (found == lines_.end()) return {};
  std::string text;
  for (const KeylogLine& line : found->second)
    text += std::format("{} {} {}\n", line.label, line.client_random, line.secret);
  return text;
}

}  // namespace captures
