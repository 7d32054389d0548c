#include "harness/fidelity.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// A block of 500 Do53 queries at 2 % loss each way over 40 ms, as good as can be; each test spoils
// one thing.
class FidelityTest : public testing::Test {
 protected:
  FidelityTest() {
    PlannedArm arm;
    arm.client_address = "198.51.100.1";
    arm.server_address = "198.51.100.53";
    arm.path.to_server.delay = arm.path.to_client.delay = std::chrono::milliseconds(20);
    arm.path.to_server.loss = arm.path.to_client.loss =
        netns::RandomLoss{*base::Probability::from(0.02)};
    arm.rtt = std::chrono::milliseconds(40);
    plan_.arms.push_back(arm);
    plan_.cells.push_back({.name = "do53",
                           .arm = 0,
                           .transport = Transport::kDo53,
                           .floor_round_trips = 1,
                           .floor = std::chrono::milliseconds(40)});
    facts_["calibration"] = {
        {{"server_address", "198.51.100.53"}, {"measured_rtt_ns", {40'000'512, 40'000'512}}}};
    account_.largest_ip_packet = 1500;
    for (std::uint32_t index = 0; index < 500; ++index) add_query(index, index % 50 == 0);
  }

  void add_query(std::uint32_t index, bool lost) {
    captures::QueryRecord record;
    record.id = "do53:" + std::to_string(index);
    record.cell = "do53";
    record.index = index;
    record.outcome = lost ? captures::Outcome::kNoAnswer : captures::Outcome::kAnswered;
    if (!lost) record.time = std::chrono::milliseconds(40);
    record.wire = captures::WireCounts{.client = {.packets = 1, .bytes = 67},
                                       .server = {.packets = 1, .bytes = 144}};
    if (lost) {
      record.lost.push_back({.from = "client", .ordinal = 1, .by = "netem"});
      record.lost.push_back({.from = "server", .ordinal = 1, .by = "netem"});
    }
    records_.push_back(record);
  }

  std::vector<std::string> judge(bool virtual_time = true) {
    return reasons_to_distrust(
        plan_,
        {.facts = facts_, .account = account_, .records = records_, .virtual_time = virtual_time});
  }

  Plan plan_;
  nlohmann::json facts_;
  analysis::BlockAccount account_;
  std::vector<captures::QueryRecord> records_;
};

TEST_F(FidelityTest, AGoodBlockIsTrusted) {
  EXPECT_THAT(judge(), IsEmpty());
}

TEST_F(FidelityTest, ARoundTripOffByMoreThanATenthOfAMillisecondIsNot) {
  facts_["calibration"][0]["measured_rtt_ns"][1] = 40'100'001;
  EXPECT_THAT(judge(), Contains(HasSubstr("round trip 40.100001ms instead of 40ms")));
  // Real time is not that exact.
  EXPECT_THAT(judge(false), IsEmpty());
}

TEST_F(FidelityTest, ARoundTripShorterThanThePathIsNot) {
  facts_["calibration"][0]["measured_rtt_ns"][0] = 39'999'999;
  EXPECT_THAT(judge(false), Contains(HasSubstr("round trip")));
}

TEST_F(FidelityTest, AnEchoLostOnAPathWithoutLossIsNot) {
  facts_["calibration"][0]["measured_rtt_ns"][0] = nullptr;
  EXPECT_THAT(judge(), Contains(HasSubstr("an echo was lost")));
}

TEST_F(FidelityTest, RateAddsToTheCalibration) {
  facts_["calibration"][0]["measured_rtt_ns"] = {42'000'000};
  EXPECT_THAT(judge(), Contains(HasSubstr("round trip")));
  plan_.arms[0].path.to_server.rate = plan_.arms[0].path.to_client.rate = base::BitRate{800'000};
  EXPECT_THAT(judge(), IsEmpty());
}

TEST_F(FidelityTest, FarMoreLossThanConfiguredIsNot) {
  for (std::uint32_t index = 0; index < 60; ++index) add_query(500 + index, true);
  EXPECT_THAT(judge(), Contains(HasSubstr("packets lost, configured 2%")));
}

TEST_F(FidelityTest, LossWithoutALossModelIsNot) {
  plan_.arms[0].path.to_client.loss = netns::NoLoss{};
  EXPECT_THAT(judge(),
              Contains(HasSubstr("server to client: 10 of 500 packets lost, configured 0%")));
}

TEST_F(FidelityTest, CapturesThatMissOrCutPacketsAreNot) {
  account_.capture_drops = 1;
  account_.truncated = 2;
  EXPECT_THAT(judge(), Contains(HasSubstr("missed 1")));
  EXPECT_THAT(judge(), Contains(HasSubstr("cut 2")));
}

TEST_F(FidelityTest, PacketsOfNobodyStrangersAndGiantsAreNot) {
  account_.unaccounted = 1;
  account_.foreign_addresses.insert("203.0.113.7");
  account_.largest_ip_packet = 1501;
  plan_.mtu = 1500;
  EXPECT_THAT(judge(), Contains(HasSubstr("belong to no query")));
  EXPECT_THAT(judge(), Contains(HasSubstr("203.0.113.7")));
  EXPECT_THAT(judge(), Contains(HasSubstr("1501 bytes")));
}

}  // namespace
}  // namespace harness
