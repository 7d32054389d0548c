#include "base/units.hh"

#include <gtest/gtest.h>

namespace base {
namespace {

using std::chrono::nanoseconds;

TEST(Units, DurationsNeedAUnit) {
  EXPECT_EQ(parse_duration("20ms"), nanoseconds(20'000'000));
  EXPECT_EQ(parse_duration("1.5s"), nanoseconds(1'500'000'000));
  EXPECT_EQ(parse_duration("250us"), nanoseconds(250'000));
  EXPECT_EQ(parse_duration("0.1ms"), nanoseconds(100'000));
  for (const char* bad :
       {"", "20", "ms", "-1ms", "1 ms", "1ms ", "1e3ms", "nan", "infs", "1m", "99999999999s"})
    EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
}

TEST(Units, ProbabilitiesAreSharesOrPercent) {
  EXPECT_EQ(parse_probability("2%")->value(), 0.02);
  EXPECT_EQ(parse_probability("0.5")->value(), 0.5);
  EXPECT_EQ(parse_probability("100%")->value(), 1);
  for (const char* bad : {"150%", "1.1", "-2%", "2 %", "%", "two"})
    EXPECT_EQ(parse_probability(bad), std::nullopt) << bad;
}

TEST(Units, RatesAndSizesAreTcs) {
  EXPECT_EQ(parse_bit_rate("10mbit"), BitRate(10'000'000));
  EXPECT_EQ(parse_bit_rate("128kbit"), BitRate(128'000));
  EXPECT_EQ(parse_bit_rate("10mb"), std::nullopt);
  EXPECT_EQ(parse_byte_count("3900"), ByteCount(3900));
  EXPECT_EQ(parse_byte_count("64KiB"), ByteCount(65536));
  EXPECT_EQ(parse_byte_count("4kB"), ByteCount(4000));
}

TEST(Units, WhatIsPrintedIsReadBack) {
  for (const char* text : {"20ms", "1.5s", "999us", "7ns", "0s"})
    EXPECT_EQ(to_string(*parse_duration(text)), text);
  for (const char* text : {"2%", "7%", "0.1%", "100%", "0%"})
    EXPECT_EQ(to_string(*parse_probability(text)), text);
  for (const char* text : {"10mbit", "128kbit", "1gbit"})
    EXPECT_EQ(to_string(*parse_bit_rate(text)), text);
}

}  // namespace
}  // namespace base
