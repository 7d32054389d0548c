#include "netns/netem_options.hh"

#include "base/errors.hh"

#include <gmock/gmock.h>
#include <linux/rtnetlink.h>

namespace netns {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

base::Probability probability(double value) {
  return base::Probability::from(value).value();
}

std::vector<OneWaySpec> specs() {
  return {
      {.limit = 7},
      {.delay = 20ms, .limit = 1000},
      {.delay = 5s, .jitter = 1ns, .limit = 1000},
      {.loss = RandomLoss{probability(0.02)}, .limit = 1},
      {.loss = RandomLoss{probability(1)}, .limit = 1},
      {.loss = GilbertElliottLoss{probability(0.01), probability(0.3), probability(0.9),
                                  probability(0.001)},
       .limit = 1},
      {.rate = base::BitRate{1'000}, .limit = 1},
      {.rate = base::BitRate{34'359'738'368}, .limit = 1},  // 2^32 bytes
      {.rate = base::BitRate{100'000'000'000}, .limit = 1},
      {.delay = 1ms, .reorder = Reorder{probability(0.5), 9}, .limit = 1},
      {.duplicate = probability(0.125), .corrupt = probability(0.07), .limit = kLargestQueue},
  };
}

NetemState through_netlink(const OneWaySpec& spec, base::Seed seed) {
  NetlinkMessage message(RTM_NEWQDISC, 0, tcmsg{});
  put_netem_options(message, spec, seed);
  return parse_netem_options(
      NetlinkAttributes(message.header(), sizeof(tcmsg)).payload(TCA_OPTIONS));
}

TEST(NetemOptions, WhatIsWrittenIsReadBack) {
  for (const OneWaySpec& spec : specs()) {
    const NetemState read = through_netlink(spec, 0xfedcba9876543210);
    EXPECT_EQ(read, expected_state(spec, 0xfedcba9876543210)) << to_string(spec);
    EXPECT_EQ(first_difference(expected_state(spec, 0xfedcba9876543210), read), std::nullopt);
    EXPECT_EQ(to_spec(read), spec) << to_string(spec) << " became " << to_string(to_spec(read));
  }
}

TEST(NetemOptions, QueueWithoutALimitIsAmple) {
  EXPECT_EQ(expected_state({}, 1).limit, kAmpleQueue);
}

TEST(NetemOptions, FractionsKeepTheEnds) {
  EXPECT_EQ(to_fraction({}), 0U);
  EXPECT_EQ(to_fraction(probability(1)), 0xffffffffU);
  EXPECT_EQ(to_fraction(probability(0.02)), 85899346U);
  EXPECT_EQ(to_fraction(probability(1e-300)), 1U);
  EXPECT_EQ(from_fraction(85899346U).value(), 0.02);
  for (const std::uint32_t fraction : {0U, 1U, 2U, 12345U, 0x7fffffffU, 0xfffffffeU, 0xffffffffU})
    EXPECT_EQ(to_fraction(from_fraction(fraction)), fraction);
}

TEST(NetemOptions, DifferenceNamesTheField) {
  const NetemState wanted =
      expected_state({.delay = 20ms, .loss = RandomLoss{probability(0.02)}}, 5);
  struct Row {
    const char* text;
    void (*spoil)(NetemState&);
  };
  const Row rows[] = {
      {"delay in ns: wanted 20000000, the kernel has 19999936",
       [](NetemState& s) { s.delay_ns = 19'999'936; }},
      {"jitter", [](NetemState& s) { s.jitter_ns = 1; }},
      {"loss in 1/2^32: wanted 85899346", [](NetemState& s) { s.loss = 0; }},
      {"Gilbert-Elliott loss: wanted false", [](NetemState& s) { s.gilbert_elliott = true; }},
      {"p in", [](NetemState& s) { s.good_to_bad = 1; }},
      {"r in", [](NetemState& s) { s.bad_to_good = 1; }},
      {"h in", [](NetemState& s) { s.pass_in_bad = 1; }},
      {"1-k in", [](NetemState& s) { s.loss_in_good = 1; }},
      {"rate", [](NetemState& s) { s.rate_bytes_per_second = 1; }},
      {"gap", [](NetemState& s) { s.gap = 1; }},
      {"reordering in", [](NetemState& s) { s.reorder = 1; }},
      {"duplication", [](NetemState& s) { s.duplicate = 1; }},
      {"corruption", [](NetemState& s) { s.corrupt = 1; }},
      {"correlations", [](NetemState& s) { s.correlations = 1; }},
      {"limit: wanted 100000", [](NetemState& s) { s.limit = 1000; }},
      {"seed: wanted 5, the kernel has 6", [](NetemState& s) { s.seed = 6; }},
  };
  for (const Row& row : rows) {
    NetemState found = wanted;
    row.spoil(found);
    EXPECT_THAT(first_difference(wanted, found).value_or(""), HasSubstr(row.text));
  }
}

TEST(NetemOptions, KernelWithoutSeedsIsNoDifference) {
  NetemState found = expected_state({.delay = 20ms}, 5);
  found.seed.reset();
  EXPECT_EQ(first_difference(expected_state({.delay = 20ms}, 5), found), std::nullopt);
}

TEST(NetemOptions, TruncatedReportIsAnError) {
  const std::array<std::byte, 23> short_header{};
  EXPECT_THROW(parse_netem_options(short_header), base::LabError);
}

TEST(NetemOptions, AnotherKernelsReportIsNoCrash) {
  // Attributes of odd sizes and unknown numbers after a header: read as far as they go.
  std::vector<std::byte> report(24);
  for (const int byte : {5, 0, 11, 0, 1, 0, 0, 0, 4, 0, 99, 0, 255, 255, 1, 0})
    report.push_back(static_cast<std::byte>(byte));
  const NetemState state = parse_netem_options(report);
  EXPECT_EQ(state.delay_ns, 0);
  EXPECT_EQ(state.seed, std::nullopt);
}

}  // namespace
}  // namespace netns
