// Rules about the source tree itself that no compiler checks: size, direction of includes, banned
// calls.

#include "tests/paths.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <format>
#include <fstream>
#include <map>
#include <ranges>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// Each folder with those that it may include from, besides itself.
const std::map<std::string, std::set<std::string>> kMayInclude{
    {"base", {}},
    {"transport", {"base"}},
    {"netns", {"base"}},
    {"captures", {"base"}},
    {"endpoints", {"base", "transport", "captures"}},
    {"clients", {"base", "transport", "captures"}},
    {"analysis", {"base", "transport", "captures"}},
    {"harness", {"base", "transport", "netns", "captures", "endpoints", "clients", "analysis"}},
};

constexpr std::size_t kMaxColumns = 100;
constexpr std::size_t kMaxFileLines = 400;
constexpr std::size_t kMaxFunctionLines = 70;

struct SourceFile {
  fs::path path;  // from the tree's root
  std::vector<std::string> lines;
};

std::vector<SourceFile> sources() {
  std::vector<SourceFile> found;
  const fs::path root = tests::source_folder();
  std::vector<std::string> folders{"tests"};
  for (const auto& folder : kMayInclude | std::views::keys) folders.push_back(folder);
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cc" && entry.path().extension() != ".hh") continue;
      SourceFile file{.path = fs::relative(entry.path(), root), .lines = {}};
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
      found.push_back(std::move(file));
    }
  }
  return found;
}

std::string place(const SourceFile& file, std::size_t line) {
  return std::format("{}:{}", file.path.string(), line + 1);
}

// Lines of the tree that `is_bad` finds fault with.
template <typename Predicate>
std::vector<std::string> lines_where(Predicate is_bad) {
  std::vector<std::string> bad;
  for (const SourceFile& file : sources())
    for (std::size_t number = 0; number < file.lines.size(); ++number)
      if (is_bad(file, file.lines[number]))
        bad.push_back(place(file, number) + ": " + file.lines[number]);
  return bad;
}

TEST(SourceTree, HasSources) {
  EXPECT_GT(sources().size(), 50U);
}

TEST(SourceTree, IncludesPointDownOnly) {
  const std::regex include("^#include \"([a-z]+)/.*");
  EXPECT_THAT(lines_where([&](const SourceFile& file, const std::string& line) {
                const std::string folder = file.path.begin()->string();
                std::smatch match;
                if (folder == "tests" || !std::regex_match(line, match, include)) return false;
                return match[1] != folder && !kMayInclude.at(folder).contains(match[1]);
              }),
              testing::IsEmpty());
}

TEST(SourceTree, LinesFitTheScreen) {
  EXPECT_THAT(lines_where([](const SourceFile&, const std::string& line) {
                return line.size() > kMaxColumns;
              }),
              testing::IsEmpty());
}

TEST(SourceTree, FilesHaveOneSubject) {
  std::vector<std::string> long_files;
  for (const SourceFile& file : sources())
    if (file.lines.size() > kMaxFileLines)
      long_files.push_back(std::format("{}: {} lines", file.path.string(), file.lines.size()));
  EXPECT_THAT(long_files, testing::IsEmpty());
}

// With our formatting a function's body ends at the first line that begins with a closing brace at
// the indentation of its head; behind that of a lambda the call it is an argument of may end.
TEST(SourceTree, FunctionsAreShort) {
  const std::regex head("^( *)[^ #/}].*\\) *(const)? *(noexcept)? *\\{$");
  const std::regex not_a_function(
      "^ *(:|if|for|while|switch|else|\\} else|do|namespace|class|struct|TEST).*");
  std::vector<std::string> long_functions;
  for (const SourceFile& file : sources()) {
    for (std::size_t start = 0; start < file.lines.size(); ++start) {
      std::smatch match;
      if (!std::regex_match(file.lines[start], match, head) ||
          std::regex_match(file.lines[start], not_a_function))
        continue;
      const std::string end_line = match[1].str() + "}";
      std::size_t end = start;
      while (end < file.lines.size() && !file.lines[end].starts_with(end_line)) ++end;
      if (end < file.lines.size() && end - start + 1 > kMaxFunctionLines)
        long_functions.push_back(std::format("{}: {} lines", place(file, start), end - start + 1));
    }
  }
  EXPECT_THAT(long_functions, testing::IsEmpty());
}

TEST(SourceTree, NothingSleepsOrDrawsFromTheOutside) {
  const std::regex banned(
      "\\b(sleep|usleep|nanosleep|sleep_for|sleep_until|random_device|srand|gettimeofday|system|"
      "popen)\\s*\\(");
  EXPECT_THAT(lines_where([&](const SourceFile& file, const std::string& line) {
                return file.path.begin()->string() != "tests" && std::regex_search(line, banned);
              }),
              testing::IsEmpty());
}

TEST(SourceTree, NothingIsLeftToDo) {
  const std::regex marks(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b");
  EXPECT_THAT(lines_where([&](const SourceFile&, const std::string& line) {
                return std::regex_search(line, marks);
              }),
              testing::IsEmpty());
}

TEST(SourceTree, HeadersAreGuardedAndImportNoNamespace) {
  std::vector<std::string> bad;
  for (const SourceFile& file : sources()) {
    if (file.path.extension() != ".hh") continue;
    if (file.lines.empty() || file.lines[0] != "#pragma once")
      bad.push_back(file.path.string() + ": no #pragma once");
    for (const std::string& line : file.lines)
      if (line.starts_with("using namespace")) bad.push_back(file.path.string() + ": " + line);
  }
  EXPECT_THAT(bad, testing::IsEmpty());
}

}  // namespace
