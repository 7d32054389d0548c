#include "analysis/trial.hh"

#include <gtest/gtest.h>

#include <limits>

namespace analysis {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(PacketNames, AreAnEndAndANumber) {
  EXPECT_EQ(to_string(PacketName{.from = End::kClient, .ordinal = 3}), "c3");
  EXPECT_EQ(to_string(PacketName{.from = End::kServer, .ordinal = 1}), "s1");
}

TEST(PacketNames, AreReadAsTheyWereWritten) {
  for (const End from : {End::kClient, End::kServer}) {
    for (const std::uint64_t ordinal : {std::uint64_t{1}, std::uint64_t{42}, kMost}) {
      const PacketName name{.from = from, .ordinal = ordinal};
      EXPECT_EQ(parse_packet_name(to_string(name)), name);
    }
  }
}

TEST(PacketNames, AreNothingElse) {
  for (const char* text : {"", "c", "s", "c0", "c-1", "c+1", "x1", "C1", "1", "c1 ", " c1", "c 1",
                           "cc1", "c1s1", "c1.0", "c0x1", "c18446744073709551616"})
    EXPECT_FALSE(parse_packet_name(text)) << '"' << text << '"';
}

TEST(PacketNames, AreOrderedByEndAndNumber) {
  const auto name = [](std::string_view text) { return *parse_packet_name(text); };
  EXPECT_LT(name("c2"), name("c10"));
  EXPECT_LT(name("c10"), name("s1"));
}

TEST(LossPatterns, AreNamedByTheirPackets) {
  EXPECT_EQ(to_string(LossPattern{}), "none");
  EXPECT_EQ(to_string(LossPattern{{.from = End::kServer, .ordinal = 2}}), "s2");
  EXPECT_EQ(to_string(LossPattern{{.from = End::kClient, .ordinal = 3},
                                  {.from = End::kServer, .ordinal = 1}}),
            "c3 s1");
}

}  // namespace
}  // namespace analysis
