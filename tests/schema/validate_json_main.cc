// validate_json SCHEMA FILE [jsonl]: exits 0 when the file fits its JSON Schema, otherwise prints
// what does not. With "jsonl" every line of the file is one instance.

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "tests/schema/json_schema.hh"

#include <format>
#include <iostream>
#include <ranges>
#include <string>
#include <string_view>

namespace {

int validate(const char* schema_path, const char* path, bool by_line) {
  const std::string schema = base::read_file(schema_path);
  const std::string text = base::read_file(path);
  std::size_t number = 0;
  std::size_t bad = 0;
  const auto check = [&](std::string_view instance) {
    ++number;
    for (const std::string& complaint : tests::complaints(schema, instance)) {
      std::cerr << std::format("{}:{}: {}\n", path, by_line ? number : 1, complaint);
      ++bad;
    }
  };
  if (by_line) {
    for (const auto line : std::views::split(text, '\n'))
      if (!line.empty()) check(std::string_view(line));
  } else {
    check(text);
  }
  // An empty file has nothing wrong in it and proves nothing.
  if (number == 0) std::cerr << std::format("{}: empty\n", path);
  return bad == 0 && number > 0 ? base::kExitSuccess : base::kExitExpectationFailed;
}

}  // namespace

int main(int argc, char** argv) {
  const bool by_line = argc == 4 && std::string_view(argv[3]) == "jsonl";
  if (argc != 3 && !by_line) {
    std::cerr << "usage: validate_json SCHEMA FILE [jsonl]\n";
    return base::kExitBadInput;
  }
  try {
    return validate(argv[1], argv[2], by_line);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return base::kExitLabFailure;
  }
}
