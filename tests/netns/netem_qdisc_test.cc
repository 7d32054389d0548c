#include "netns/netem_qdisc.hh"

#include "tests/netns/datagram_traffic.hh"
#include "tests/netns/lab_fixture.hh"
#include "tests/netns/netem_model.hh"

#include <gmock/gmock.h>

namespace netns {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;

base::Probability probability(double value) {
  return base::Probability::from(value).value();
}

class NetemTest : public NetemFixture {
 protected:
  // Sets the way to the server and sends over it.
  std::vector<DatagramTraffic::Arrival> send_over(const OneWaySpec& spec, base::Seed seed,
                                                  std::uint32_t count, std::size_t payload = 100) {
    network_->impair({.to_server = spec, .to_client = {}}, {.to_server = seed, .to_client = 1});
    network_->verify_impairment();
    before_ = *network_->counters().to_server;
    DatagramTraffic traffic(*network_, true);
    traffic.send(count, payload);
    auto arrivals = traffic.receive();
    after_ = *network_->counters().to_server;
    return arrivals;
  }
  std::uint64_t dropped() const { return after_.dropped - before_.dropped; }

  QdiscCounters before_;
  QdiscCounters after_;
};

std::vector<base::Nanoseconds> delays_of(const std::vector<DatagramTraffic::Arrival>& arrivals) {
  std::vector<base::Nanoseconds> delays;
  for (const auto& arrival : arrivals) delays.push_back(arrival.after_send);
  return delays;
}

std::vector<std::uint32_t> order_of(const std::vector<DatagramTraffic::Arrival>& arrivals) {
  std::vector<std::uint32_t> order;
  for (const auto& arrival : arrivals) order.push_back(arrival.number);
  return order;
}

TEST_F(NetemTest, RoundTripIsTheSumOfBothDelays) {
  network_->impair({.to_server = {.delay = 15ms}, .to_client = {.delay = 25ms}}, {1, 2});
  for (const auto* target : {"198.51.100.53", "2001:db8:53::53"})
    for (const auto& round_trip : ping_server(5, target)) {
      ASSERT_TRUE(round_trip.has_value()) << target;
      // Virtual time moves by some hundred nanoseconds at each clock reading.
      EXPECT_THAT(*round_trip, AllOf(Ge(40ms), Le(40ms + 2us))) << target;
    }
}

TEST_F(NetemTest, SeedDecidesWhichPacketsAreLost) {
  constexpr std::uint32_t kCount = 600;
  for (const base::Seed seed : {0ULL, 1ULL, 42424242ULL, 0xfeedfacecafebeefULL}) {
    NetemDraws draws(seed);
    const std::uint32_t threshold = to_fraction(probability(0.02));
    const auto predicted = predict_losses(kCount, [&] { return threshold >= draws.next(); });
    const OneWaySpec spec{.delay = 20ms, .loss = RandomLoss{probability(0.02)}};
    for (const bool again : {false, true})
      EXPECT_THAT(missing_from(send_over(spec, seed, kCount), kCount), ElementsAreArray(predicted))
          << "seed " << seed << (again ? ", again" : "");
    EXPECT_EQ(dropped(), predicted.size());
    EXPECT_EQ(after_.dropped_by_queue(), 0U);
  }
}

TEST_F(NetemTest, GilbertElliottStartsGoodWithEachSeed) {
  constexpr std::uint32_t kCount = 400;
  const GilbertElliottLoss model{.good_to_bad = probability(0.05),
                                 .bad_to_good = probability(0.25),
                                 .loss_in_bad = probability(0.7),
                                 .loss_in_good = probability(0.01)};
  for (const base::Seed seed : {7ULL, 8ULL}) {
    NetemDraws draws(seed);
    bool bad = false;
    const auto predicted = predict_losses(kCount, [&] {
      const bool was_bad = bad;
      const double change = draws.next() / 4294967295.0;
      if (change < (bad ? 0.25 : 0.05)) bad = !bad;
      const double loss = draws.next() / 4294967295.0;
      // The state before the change decides; netem draws "lost in bad" from the upper end.
      return was_bad ? loss > 1 - 0.7 : loss < 0.01;
    });
    for (int round = 0; round < 2; ++round)
      EXPECT_THAT(missing_from(send_over({.delay = 5ms, .loss = model}, seed, kCount), kCount),
                  ElementsAreArray(predicted));
  }
}

TEST_F(NetemTest, DirectionsHaveDrawsOfTheirOwn) {
  const OneWaySpec lossy{.delay = 1ms, .loss = RandomLoss{probability(0.3)}};
  const auto losses = [&](bool to_server) {
    network_->impair({.to_server = lossy, .to_client = lossy}, {.to_server = 5, .to_client = 6});
    DatagramTraffic traffic(*network_, to_server);
    traffic.send(100);
    return missing_from(traffic.receive(), 100);
  };
  const auto to_server = losses(true);
  EXPECT_NE(to_server, losses(false));
  EXPECT_EQ(to_server, losses(true));
}

TEST_F(NetemTest, RateSerialisesPackets) {
  // 1000 bytes of Ethernet frame at 8 Mbit/s take 1 ms each: 14 Ethernet, 20 IPv4, 8 UDP.
  const auto arrivals = send_over({.delay = 10ms, .rate = base::BitRate{8'000'000}}, 1, 5, 958);
  ASSERT_EQ(arrivals.size(), 5U);
  for (const auto& arrival : arrivals) {
    const auto expected = 10ms + (arrival.number + 1) * 1ms;
    EXPECT_THAT(arrival.after_send, AllOf(Ge(expected - 50us), Le(expected + 50us)));
  }
}

TEST_F(NetemTest, RatesBeyond32BitsOfBytesAreKept) {
  EXPECT_EQ(send_over({.rate = base::BitRate{80'000'000'000}}, 1, 3).size(), 3U);
  EXPECT_EQ(send_over({.rate = base::BitRate{8'000'000}}, 1, 3).size(), 3U);
}

TEST_F(NetemTest, JitterSpreadsAroundTheDelay) {
  const auto delays = delays_of(send_over({.delay = 20ms, .jitter = 5ms}, 3, 200));
  ASSERT_EQ(delays.size(), 200U);
  EXPECT_THAT(delays, Each(AllOf(Ge(15ms), Le(25ms + 200us))));
  const auto [shortest, longest] = std::ranges::minmax(delays);
  EXPECT_LT(shortest, 16ms);
  EXPECT_GT(longest, 24ms);
}

TEST_F(NetemTest, ReorderedPacketsSkipTheDelay) {
  // Every third packet, always.
  const OneWaySpec spec{.delay = 20ms, .reorder = Reorder{probability(1), 3}};
  EXPECT_THAT(order_of(send_over(spec, 1, 9)), ElementsAre(2, 5, 8, 0, 1, 3, 4, 6, 7));
  // Switching it off again really does.
  EXPECT_THAT(order_of(send_over({.delay = 20ms}, 1, 4)), ElementsAre(0, 1, 2, 3));
}

TEST_F(NetemTest, DuplicatesAreSentTwice) {
  EXPECT_THAT(order_of(send_over({.delay = 2ms, .duplicate = probability(1)}, 1, 3)),
              ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST_F(NetemTest, CorruptPacketsDoNotReachTheProgram) {
  // With checksum offload on, the receiver would take them all. Only an inverted bit in the source
  // MAC address, 6 of 142 bytes, harms nobody.
  const auto arrivals = send_over({.delay = 2ms, .corrupt = probability(1)}, 1, 50);
  EXPECT_LE(arrivals.size(), 10U);
  EXPECT_THAT(arrivals, Each(testing::Field(&DatagramTraffic::Arrival::intact, true)));
  EXPECT_EQ(dropped(), 0U);
  if (after_.netem) {
    EXPECT_EQ(after_.netem->corrupted - before_.netem->corrupted, 50U);
  }
}

TEST_F(NetemTest, FullQueueIsToldFromLoss) {
  const auto arrivals = send_over({.delay = 20ms, .limit = 10}, 1, 25);
  EXPECT_EQ(arrivals.size(), 10U);
  EXPECT_EQ(dropped(), 15U);
  if (after_.netem) {
    EXPECT_EQ(after_.dropped_by_queue(), 15U);
  }
}

TEST_F(NetemTest, PacketsUnderWayOutliveAChange) {
  const PathSpec path{.to_server = {.delay = 50ms}, .to_client = {}};
  network_->impair(path, {1, 2});
  DatagramTraffic traffic(*network_, true);
  traffic.send(3);
  EXPECT_EQ(network_->counters().to_server->queued_packets, 3U);
  network_->impair(path, {3, 4});
  EXPECT_THAT(order_of(traffic.receive()), ElementsAre(0, 1, 2));
  EXPECT_EQ(network_->counters().to_server->queued_packets, 0U);
}

TEST_F(NetemTest, EveryOptionIsReadBackAndCleared) {
  const OneWaySpec everything{.delay = 20ms + 1ns,
                              .jitter = 3ms + 7ns,
                              .loss = GilbertElliottLoss{probability(0.01), probability(0.3),
                                                         probability(0.9), probability(0.001)},
                              .rate = base::BitRate{10'000'000},
                              .reorder = Reorder{probability(0.25), 5},
                              .duplicate = probability(0.01),
                              .corrupt = probability(0.001),
                              .limit = 500};
  network_->impair({.to_server = everything, .to_client = everything}, {11, 12});
  network_->verify_impairment();
  const NetworkFacts facts = network_->facts();
  EXPECT_EQ(facts.to_server->spec, everything);
  EXPECT_EQ(facts.to_server->seed, 11U);
  EXPECT_EQ(facts.to_client->spec, everything);
  EXPECT_EQ(facts.to_client->seed, 12U);

  network_->impair({}, {1, 2});
  network_->verify_impairment();
  EXPECT_EQ(network_->facts().to_server->spec, OneWaySpec{.limit = kAmpleQueue});
}

TEST_F(NetemTest, ChangeByAnotherHandIsFound) {
  network_->impair({.to_server = {.delay = 20ms}, .to_client = {.delay = 20ms}}, {1, 2});
  {
    const Entered inside(network_->wire_namespace());
    NetlinkSocket other;
    const InterfaceIndex to_server = read_link(other, "to-server").index;
    const InterfaceIndex to_client = read_link(other, "to-client").index;
    NetemPair(other, to_server, to_client,
              {.to_server = {.delay = 20ms}, .to_client = {.delay = 21ms}}, {1, 2});
  }
  try {
    network_->verify_impairment();
    FAIL() << "the change went unnoticed";
  } catch (const base::LabError& error) {
    EXPECT_THAT(error.what(), HasSubstr("way to the client: delay in ns: wanted 20000000"));
  }
}

TEST_F(NetemTest, SpecThatNetemCannotKeepIsRefused) {
  EXPECT_THROW(network_->impair({.to_server = {.delay = 1ms, .jitter = 2ms}, .to_client = {}}, {}),
               base::LabError);
}

}  // namespace
}  // namespace netns
