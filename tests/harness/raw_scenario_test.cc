#include "harness/raw_scenario.hh"

#include "harness/scenario.hh"
#include "tests/harness/scenario_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace harness {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ParseYaml, KeepsOrderAndPlaces) {
  std::vector<Mistake> mistakes;
  const RawNode root = parse_yaml("a: 1\nb:\n  - x\n  - {c: y}\n", "f", mistakes);
  ASSERT_EQ(root.entries.size(), 2U);
  EXPECT_EQ(root.entries[0].key, "a");
  EXPECT_EQ(to_string(root.entries[0].value.where), "f:1:4");
  const RawNode& list = root.entries[1].value;
  ASSERT_EQ(list.items.size(), 2U);
  EXPECT_EQ(to_string(list.items[1].entries[0].value.where), "f:4:9");
  EXPECT_EQ(quote(root), "{a: 1, b: [x, {c: y}]}");
  EXPECT_TRUE(mistakes.empty());
}

TEST(ParseYaml, ReportsEveryRepeatedKeyAndGoesOn) {
  std::vector<Mistake> mistakes;
  const RawNode root = parse_yaml("a: 1\nb: 2\na: 3\nb: 4\n", "f", mistakes);
  ASSERT_EQ(mistakes.size(), 2U);
  EXPECT_EQ(mistakes[0].text, "a: this key is already set at f:1:1");
  EXPECT_EQ(to_string(mistakes[0].where), "f:3:1");
  EXPECT_EQ(root.entries[0].value.text, "1");
}

struct Hostile {
  const char* name;
  std::string text;
  const char* message;
};

class HostileFile : public testing::TestWithParam<Hostile> {};

TEST_P(HostileFile, EndsWithOneClearMessage) {
  EXPECT_THAT(mistakes_of(GetParam().text),
              ElementsAre(AllOf(StartsWith("x.yaml"), HasSubstr(GetParam().message))));
}

std::string repeat(std::string_view unit, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += unit;
  return text;
}

std::string many_values() {
  return "name: x\nclient: {transports: [" + repeat("doq, ", 100000) + "doq]}\n";
}

INSTANTIATE_TEST_SUITE_P(
    All, HostileFile,
    testing::Values(
        Hostile{"empty", "", "the file is empty"}, Hostile{"blank", "\n \n", "the file is empty"},
        Hostile{"only_comments", "# nothing\n", "the file is empty"},
        Hostile{"binary",
                std::string("\x7f"
                            "ELF\x02\x01\x01\0\0",
                            9),
                "byte 0x7f: this is not a text file"},
        Hostile{"zero_byte", std::string("name: x\nsu\0mmary: y\n", 20),
                "x.yaml:2:3: byte 0x00: this is not a text file"},
        Hostile{"ten_megabytes", std::string(10'000'000, 'a'), "a scenario has at most 1048576"},
        Hostile{"truncated", "name: x\npath: { each_way: { delay: 20ms, lo", "not YAML"},
        Hostile{"truncated_quote", "name: x\nsummary: \"half a sen", "not YAML"},
        Hostile{"tab_indent", "name: x\npath:\n\tmtu: 1500\n", "not YAML"},
        Hostile{"deep_flow", repeat("[", 500'000), "nested more than 16 deep"},
        Hostile{"deep_block", repeat("- ", 100'000), "nested more than 16 deep"},
        Hostile{"deep_keys", repeat("? ", 100'000), "nested more than 16 deep"},
        Hostile{"too_many_values", many_values(), "more than 20000 values"},
        Hostile{"alias_bomb", "a: &x [1, 2]\nb: [*x, *x]\n", "an anchor (&x) is not allowed"},
        Hostile{"alias", "a: *x\n", "not YAML"},
        Hostile{"tag", "name: !!python/object x\n", "a tag ("},
        Hostile{"two_documents", "name: x\n---\nname: y\n", "more than one YAML document"},
        Hostile{"mapping_as_key", "{a: b}: c\n", "a key must be a plain word"},
        Hostile{"list", "- a\n- b\n", "the scenario: found [a, b]; allowed: a mapping with name"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Quote, ShortensWhatIsLong) {
  RawNode node;
  node.kind = RawNode::Kind::kText;
  node.text = std::string(5000, 'z');
  EXPECT_EQ(quote(node).size(), 60U);
  EXPECT_TRUE(quote(node).ends_with("..."));
}

}  // namespace
}  // namespace harness
