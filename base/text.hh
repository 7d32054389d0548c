#pragma once

// Words put together.

#include <cstdint>
#include <format>
#include <string>
#include <string_view>
#include <vector>

namespace base {

inline std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

// "1st", "2nd", "11th".
inline std::string ordinal_word(std::uint64_t number) {
  const std::uint64_t last = number % 10;
  const bool teen = number / 10 % 10 == 1;
  const std::string_view ending = teen || last == 0 || last > 3 ? "th"
                                  : last == 1                   ? "st"
                                  : last == 2                   ? "nd"
                                                                : "rd";
  return std::format("{}{}", number, ending);
}

}  // namespace base
