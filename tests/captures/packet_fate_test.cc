#include "captures/packet_fate.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace captures {
namespace {

using namespace std::chrono_literals;

PacketFate held_back() {
  return {.query = "retry=always/doq:117",
          .from = "server",
          .ordinal = 3,
          .bytes = 1280,
          .in = 60'000'005ns,
          .out = 62'000'005ns,
          .meaning = "Initial 0 [ServerHello 1-1162 of 1461]",
          .verdict = Verdict::kDelay,
          .reason = "delay server \"packet\" 3, by 2ms"};
}

constexpr std::string_view kLine =
    R"({"query":"retry=always/doq:117","from":"server","ordinal":3,"bytes":1280,"in_ns":60000005,)"
    R"("out_ns":62000005,"meaning":"Initial 0 [ServerHello 1-1162 of 1461]","verdict":"delay",)"
    R"("reason":"delay server \"packet\" 3, by 2ms"})";

std::string with(const char* key, const nlohmann::json& value) {
  nlohmann::json object = nlohmann::json::parse(kLine);
  object[key] = value;
  return object.dump();
}

TEST(PacketFate, IsOneLineWithItsKeysInOrder) {
  EXPECT_EQ(to_json_line(held_back()), kLine);
}

TEST(PacketFate, IsReadAsItWasWritten) {
  PacketFate fate = held_back();
  EXPECT_EQ(parse_packet_fate(to_json_line(fate)), fate);
  fate.from = "client";
  fate.ordinal = std::numeric_limits<std::uint64_t>::max();
  fate.in = -5ns;  // the client was woken late
  fate.reason.clear();
  for (const auto& [verdict, word] :
       {std::pair{Verdict::kPass, "pass"}, std::pair{Verdict::kDelay, "delay"},
        std::pair{Verdict::kDuplicate, "duplicate"}, std::pair{Verdict::kReorder, "reorder"},
        std::pair{Verdict::kDrop, "drop"}}) {
    fate.verdict = verdict;
    EXPECT_EQ(to_string(verdict), word);
    EXPECT_EQ(parse_packet_fate(to_json_line(fate)), fate) << word;
  }
  fate.out.reset();
  EXPECT_EQ(parse_packet_fate(to_json_line(fate)), fate);
}

TEST(PacketFate, IgnoresKeysOfLaterVersions) {
  EXPECT_EQ(parse_packet_fate(with("signature", "quic-initial")), held_back());
}

TEST(PacketFate, NamesEveryKeyThatIsMissing) {
  const nlohmann::json whole = nlohmann::json::parse(kLine);
  for (const auto& member : whole.items()) {
    const std::string& key = member.key();
    nlohmann::json object = whole;
    object.erase(key);
    const auto fate = parse_packet_fate(object.dump());
    if (key == "out_ns") {
      EXPECT_TRUE(fate && !fate->out);
      continue;
    }
    ASSERT_FALSE(fate) << key;
    EXPECT_EQ(fate.error(), key + ": missing");
  }
}

TEST(PacketFate, NamesEveryFieldThatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> complaints{
      {"", "not JSON"},
      {R"({"query":"doq:1")", "not JSON"},
      {"\"\xff\"", "not JSON"},
      {"[]", "not a JSON object"},
      {with("query", 117), "query: not a string"},
      {with("from", "router"), "from: neither client nor server"},
      {with("from", true), "from: not a string"},
      {with("ordinal", 0), "ordinal: below 1"},
      {with("ordinal", -1), "ordinal: not an integer in range"},
      {with("ordinal", 1.0), "ordinal: not an integer in range"},
      {with("bytes", -60), "bytes: not an integer in range"},
      {with("bytes", "60"), "bytes: not an integer in range"},
      {with("in_ns", std::numeric_limits<std::uint64_t>::max()), "in_ns: not an integer in range"},
      {with("in_ns", nullptr), "in_ns: missing"},
      {with("out_ns", "late"), "out_ns: not an integer in range"},
      {with("meaning", {"SYN"}), "meaning: not a string"},
      {with("verdict", "mangle"), "verdict: no known verdict"},
      {with("verdict", 1), "verdict: not a string"},
      {with("reason", 5), "reason: not a string"},
  };
  for (const auto& [line, complaint] : complaints) {
    const auto fate = parse_packet_fate(line);
    ASSERT_FALSE(fate) << line;
    EXPECT_EQ(fate.error(), complaint) << line;
  }
}

}  // namespace
}  // namespace captures
