#include "harness/leaf_json.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "base/temporary_folder.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace harness {
namespace {

using namespace std::chrono_literals;
using analysis::End;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

WalkedLeaf answered() {
  return {.pattern = {{.from = End::kClient, .ordinal = 1}, {.from = End::kServer, .ordinal = 2}},
          .leaf = {.time = 1'040'000'007ns,
                   .counts = {.client = {.passed = 4, .dropped = 1},
                              .server = {.passed = 3, .dropped = 1}}}};
}

constexpr std::string_view kLine =
    R"({"pattern":["c1","s2"],"time_ns":1040000007,"client":{"passed":4,"dropped":1},)"
    R"("server":{"passed":3,"dropped":1}})";

class LeafJson : public testing::Test {
 protected:
  std::vector<WalkedLeaf> read(const std::string& text) const {
    base::write_file_atomically(file, text);
    return read_leaves(file);
  }
  std::string complaint(const std::string& text) const {
    try {
      read(text);
    } catch (const base::LabError& error) {
      return error.what();
    }
    return "accepted";
  }

  base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "leaves.jsonl";
};

void expect_same(const WalkedLeaf& read, const WalkedLeaf& written) {
  EXPECT_EQ(read.pattern, written.pattern);
  EXPECT_EQ(read.leaf.time, written.leaf.time);
  EXPECT_EQ(read.leaf.counts, written.leaf.counts);
}

TEST_F(LeafJson, IsOneLineWithItsKeysInOrder) {
  EXPECT_EQ(to_json_line(answered()), kLine);
}

TEST_F(LeafJson, IsReadAsItWasWritten) {
  WalkedLeaf never = answered();
  never.pattern.clear();
  never.leaf.time.reset();
  const auto leaves = read(to_json_line(answered()) + '\n' + to_json_line(never) + '\n');
  ASSERT_EQ(leaves.size(), 2U);
  expect_same(leaves[0], answered());
  expect_same(leaves[1], never);
  EXPECT_THAT(read(""), IsEmpty());
}

TEST_F(LeafJson, NamesTheLineAndTheKey) {
  const auto with = [](std::string_view was, std::string_view is) {
    std::string line(kLine);
    return line.replace(line.find(was), was.size(), is);
  };
  const std::vector<std::pair<std::string, std::string>> complaints{
      {"{", "parse error"},
      {"[]", "not a JSON object"},
      {with("\"s2\"", "\"s0\""), "pattern: it names a packet that cannot be"},
      {with("[\"c1\",\"s2\"]", "\"c1\""), "pattern: not an array"},
      {with("1040000007", "1.5"), "time_ns: not an integer in range"},
      {with("\"passed\":4", "\"passed\":-4"), "client.passed: not an integer in range"},
      {with("\"dropped\":1}}", "\"lost\":1}}"), "server.dropped: missing"},
      {with("\"client\"", "\"customer\""), "client: missing"},
  };
  for (const auto& [line, text] : complaints)
    EXPECT_THAT(complaint(std::string(kLine) + '\n' + line + '\n'),
                AllOf(HasSubstr(file.string() + ", line 2: "), HasSubstr(text)))
        << line;
}

TEST_F(LeafJson, AFileThatIsMissingIsALabError) {
  EXPECT_THROW(static_cast<void>(read_leaves(folder.path() / "none")), base::LabError);
}

}  // namespace
}  // namespace harness
