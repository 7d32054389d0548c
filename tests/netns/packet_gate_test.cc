#include "netns/packet_gate.hh"

#include "base/errors.hh"
#include "tests/netns/datagram_traffic.hh"
#include "tests/netns/lab_fixture.hh"

#include <gmock/gmock.h>

#include <poll.h>

namespace netns {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::ElementsAreArray;

constexpr std::size_t kIpAndUdpHeaders = 28;

// A gate in a network with one millisecond each way, so that what it lets pass meets netem too.
class PacketGateTest : public NetemFixture {
 protected:
  void SetUp() override {
    NetemFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    network_->impair({.to_server = {.delay = kDelay}, .to_client = {.delay = kDelay}}, {});
    try {
      gate_ = std::make_unique<PacketGate>(
          *network_,
          PacketGate::Observer{.judge =
                                   [this](const GatePacket& packet) {
                                     judged_.push_back(packet.direction);
                                     sizes_.push_back(packet.ip.size());
                                     return decide_ ? decide_(judged_.size()) : GateDecision{};
                                   },
                               .passed = [this](std::uint64_t number,
                                                base::Instant) { passed_.push_back(number + 1); }});
    } catch (const base::LabError& error) {
      FAIL() << base::describe_nested(error);
    }
  }

  // Lets the gate work for as long as anything may be under way.
  void attend_for(base::Nanoseconds time) {
    const base::Instant end = clock_.now() + time;
    for (base::Instant now = clock_.now(); now < end; now = clock_.now()) {
      const base::Nanoseconds left = end - now;
      pollfd ready{.fd = gate_->descriptor(), .events = POLLIN, .revents = 0};
      const timespec timeout{.tv_sec = left.count() / 1'000'000'000,
                             .tv_nsec = left.count() % 1'000'000'000};
      base::check_syscall(::ppoll(&ready, 1, &timeout, nullptr), "wait for the gate");
      gate_->attend(clock_.now());
    }
  }

  // Numbers and times of `count` datagrams that were sent to the server in one burst.
  std::vector<DatagramTraffic::Arrival> burst(std::uint32_t count) {
    DatagramTraffic traffic(*network_, true);
    traffic.send(count);
    attend_for(milliseconds(50));
    return traffic.receive();
  }
  static std::vector<std::uint32_t> numbers(const std::vector<DatagramTraffic::Arrival>& arrivals) {
    std::vector<std::uint32_t> found;
    for (const auto& arrival : arrivals) found.push_back(arrival.number);
    return found;
  }

  static constexpr base::Nanoseconds kDelay = milliseconds(1);
  // Decides by the number of the packet, from 1; without it everything passes.
  std::function<GateDecision(std::size_t)> decide_;
  std::unique_ptr<PacketGate> gate_;
  std::vector<Direction> judged_;
  std::vector<std::size_t> sizes_;
  std::vector<std::uint64_t> passed_;
};

GateDecision for_packet(std::size_t wanted, std::size_t number, GateDecision decision) {
  return wanted == number ? decision : GateDecision{};
}

TEST_F(PacketGateTest, PassesEverythingBothWays) {
  const auto to_server = burst(3);
  EXPECT_THAT(numbers(to_server), ElementsAre(0, 1, 2));
  for (const auto& arrival : to_server) {
    EXPECT_TRUE(arrival.intact);
    EXPECT_GE(arrival.after_send, kDelay);
  }
  DatagramTraffic back(*network_, false);
  back.send(1, 1200);
  attend_for(milliseconds(5));
  EXPECT_THAT(numbers(back.receive()), ElementsAre(0));
  EXPECT_THAT(judged_, ElementsAre(Direction::kToServer, Direction::kToServer, Direction::kToServer,
                                   Direction::kToClient));
  EXPECT_THAT(sizes_, ElementsAre(128, 128, 128, 1200 + kIpAndUdpHeaders));
  EXPECT_THAT(passed_, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(gate_->counters(), (GateCounters{.judged = 4}));
}

TEST_F(PacketGateTest, DropsWhatItIsToldTo) {
  decide_ = [](std::size_t number) {
    return for_packet(2, number, {.kind = GateDecision::Kind::kDrop});
  };
  EXPECT_THAT(numbers(burst(4)), ElementsAre(0, 2, 3));
  EXPECT_THAT(passed_, ElementsAre(1, 3, 4));
  EXPECT_EQ(gate_->counters(), (GateCounters{.judged = 4, .dropped = 1}));
}

TEST_F(PacketGateTest, DelayedPacketIsOvertaken) {
  decide_ = [](std::size_t number) {
    return for_packet(1, number, {.kind = GateDecision::Kind::kDelay, .by = milliseconds(2)});
  };
  const auto arrivals = burst(3);
  ASSERT_THAT(numbers(arrivals), ElementsAre(1, 2, 0));
  EXPECT_THAT(passed_, ElementsAre(2, 3, 1));
}

TEST_F(PacketGateTest, ReorderedPacketPassesBehindItsFollowers) {
  decide_ = [](std::size_t number) {
    return for_packet(1, number, {.kind = GateDecision::Kind::kReorder, .behind = 2});
  };
  EXPECT_THAT(numbers(burst(4)), ElementsAre(1, 2, 0, 3));
}

TEST_F(PacketGateTest, ReorderedPacketWithoutFollowersIsNotKeptForEver) {
  decide_ = [](std::size_t number) {
    return for_packet(1, number, {.kind = GateDecision::Kind::kReorder, .behind = 1});
  };
  DatagramTraffic traffic(*network_, true);
  traffic.send(1);
  attend_for(PacketGate::kLongestReorder + milliseconds(2));
  EXPECT_THAT(passed_, ElementsAre(1));
  EXPECT_THAT(numbers(traffic.receive()), ElementsAre(0));
}

TEST_F(PacketGateTest, DuplicateFollowsItsOriginal) {
  decide_ = [](std::size_t number) {
    return for_packet(1, number, {.kind = GateDecision::Kind::kDuplicate});
  };
  const auto arrivals = burst(2);
  EXPECT_THAT(numbers(arrivals), ElementsAre(0, 0, 1));
  for (const auto& arrival : arrivals) EXPECT_TRUE(arrival.intact);
  // The copy is not judged again.
  EXPECT_EQ(gate_->counters(), (GateCounters{.judged = 2, .duplicated = 1}));
}

TEST_F(PacketGateTest, ReleaseAllEmptiesIt) {
  decide_ = [](std::size_t) {
    return GateDecision{.kind = GateDecision::Kind::kDelay, .by = std::chrono::seconds(60)};
  };
  DatagramTraffic traffic(*network_, true);
  traffic.send(2);
  gate_->attend(clock_.now());
  EXPECT_TRUE(passed_.empty());
  gate_->release_all(clock_.now());
  EXPECT_THAT(passed_, ElementsAre(1, 2));
  EXPECT_FALSE(gate_->next_release().has_value());
  EXPECT_THAT(numbers(traffic.receive()), ElementsAre(0, 1));
}

TEST_F(PacketGateTest, NothingPassesUnjudged) {
  DatagramTraffic traffic(*network_, true);
  traffic.send(1);
  EXPECT_TRUE(traffic.receive().empty());
  gate_.reset();
  // The rule stands, and nobody serves its queue any more.
  traffic.send(1);
  EXPECT_TRUE(traffic.receive().empty());
}

TEST_F(PacketGateTest, BurstLongerThanOneReceive) {
  std::vector<std::uint32_t> all(200);
  for (std::uint32_t number = 0; number < all.size(); ++number) all[number] = number;
  EXPECT_THAT(numbers(burst(200)), ElementsAreArray(all));
}

}  // namespace
}  // namespace netns
