#include "harness/zone_record.hh"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <format>
#include <ranges>
#include <vector>

namespace harness {
namespace {

constexpr std::array<std::string_view, 6> kTypes{"A", "AAAA", "TXT", "CNAME", "NS", "SOA"};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const auto part : std::views::split(text, ' '))
    if (!part.empty()) words.emplace_back(part);
  return words;
}

bool is_number(std::string_view word) {
  constexpr std::size_t kLongest = 10;
  return !word.empty() && word.size() <= kLongest &&
         std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_address(int family, std::string_view text) {
  in6_addr room{};
  return ::inet_pton(family, std::string(text).c_str(), &room) == 1;
}

bool data_fits(std::string_view type, const std::vector<std::string_view>& data) {
  if (type == "A") return data.size() == 1 && is_address(AF_INET, data[0]);
  if (type == "AAAA") return data.size() == 1 && is_address(AF_INET6, data[0]);
  if (type == "CNAME" || type == "NS") return data.size() == 1 && is_domain_name(data[0]);
  if (type == "SOA") {
    return data.size() == 7 && is_domain_name(data[0]) && is_domain_name(data[1]) &&
           std::ranges::all_of(data | std::views::drop(2), is_number);
  }
  return !data.empty();
}

}  // namespace

bool is_domain_name(std::string_view name) {
  constexpr std::size_t kLongestName = 253;
  constexpr std::size_t kLongestLabel = 63;
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty() || name.size() > kLongestName) return false;
  return std::ranges::all_of(std::views::split(name, '.'), [](auto label) {
    const std::string_view text(label);
    return !text.empty() && text.size() <= kLongestLabel &&
           std::ranges::all_of(
               text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
  });
}

std::optional<Question> parse_question(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.empty() || words.size() > 2 || !is_domain_name(words[0])) return std::nullopt;
  const std::string_view type = words.size() == 2 ? words[1] : "A";
  if (!std::ranges::contains(kTypes, type)) return std::nullopt;
  std::string_view name = words[0];
  if (name.ends_with('.')) name.remove_suffix(1);
  return Question{std::string(name), std::string(type)};
}

std::optional<std::string> problem_of_zone_record(std::string_view text) {
  std::vector<std::string_view> words = words_of(text);
  if (words.size() < 4) return "a record has a name, a TTL, a type and data";
  if (!is_domain_name(words[0])) return std::format("{} is not a domain name", words[0]);
  if (!is_number(words[1])) return std::format("{} is not a TTL", words[1]);
  const std::string_view type = words[2];
  if (!std::ranges::contains(kTypes, type)) return std::format("{} is not a known type", type);
  words.erase(words.begin(), words.begin() + 3);
  if (!data_fits(type, words)) return std::format("the data does not fit the type {}", type);
  return std::nullopt;
}

}  // namespace harness
