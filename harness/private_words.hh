#pragma once

// What of this machine and its user must not be in a file that is handed on.

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace harness {

class PrivateWords {
 public:
  // Of this process's user and machine, and the paths `more`.
  static PrivateWords of_this_machine(const std::vector<std::filesystem::path>& more);
  // (what is private, what stands for it); longer ones are looked for first.
  explicit PrivateWords(std::vector<std::pair<std::string, std::string>> words);

  // The text with each private word replaced, where it stands as a whole word or path.
  std::string removed_from(std::string text) const;
  // The first one that bytes of any kind hold; empty where there is none.
  std::string_view found_in(std::string_view bytes) const;

 private:
  std::vector<std::pair<std::string, std::string>> words_;
};

}  // namespace harness
