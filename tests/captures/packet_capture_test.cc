#include "captures/packet_capture.hh"

#include "base/child_process.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "tests/captures/frame_builder.hh"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

namespace captures {
namespace {

// An EtherType for local experiments (IEEE 802): tells the tests' frames from those that the kernel
// sends by itself.
constexpr unsigned kExperimental = 0x88b5;

constexpr const char* kAddress = "02:00:00:00:00:01";

// A namespace of its own with a veth pair "here" and "there". The process stays in it: no other
// test needs a network.
class VethPair : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return;
    available_ = run_ip({"link", "add", "name", "here", "address", kAddress, "type", "veth", "peer",
                         "name", "there"}) &&
                 run_ip({"link", "set", "dev", "here", "up"}) &&
                 run_ip({"link", "set", "dev", "there", "up"}) && becomes_operational("here");
  }

  void SetUp() override {
    if (!available_) GTEST_SKIP() << "no network namespace with a veth pair to be had here";
  }

  static bool run_ip(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "/usr/sbin/ip");
    base::ChildProcess ip({.argv = std::move(arguments), .environment = {}, .descriptors = {}});
    return ip.wait().succeeded();
  }

  // The kernel starts an interface's queue in a worker of its own, some time after the carrier
  // came: until then frames are discarded before a capture sees them.
  static bool becomes_operational(const std::string& interface) {
    const base::FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::ranges::copy(interface, request.ifr_name);
    constexpr int kTries = 200;
    constexpr int kTryMilliseconds = 10;
    for (int tries = 0; tries < kTries; ++tries) {
      base::check_syscall(::ioctl(socket.number(), SIOCGIFFLAGS, &request), "SIOCGIFFLAGS");
      if ((request.ifr_flags & IFF_RUNNING) != 0) return true;
      ::poll(nullptr, 0, kTryMilliseconds);
    }
    return false;
  }

  // From "here", with rising first bytes of the payload.
  static void send_frames(std::size_t count, std::size_t size) {
    const base::FileDescriptor socket(
        base::check_syscall(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), "packet socket"));
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_ifindex = static_cast<int>(::if_nametoindex("here"));
    base::check_syscall(
        ::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
        "bind to here");
    test::Bytes frame(12);
    test::append_16(frame, kExperimental);
    frame.resize(size, 0xab);
    frame[ETH_ALEN] = 2;  // kAddress, as bytes
    frame[2 * ETH_ALEN - 1] = 1;
    for (std::size_t sent = 0; sent < count; ++sent) {
      frame[ETH_HLEN] = static_cast<std::uint8_t>(sent);
      base::check_syscall(::send(socket.number(), frame.data(), frame.size(), 0), "send");
    }
  }

  // Only frames of the tests' own EtherType.
  static std::vector<CapturedPacket> drain(PacketCapture& capture) {
    std::vector<CapturedPacket> packets;
    capture.drain(packets);
    std::erase_if(packets, [](const CapturedPacket& packet) {
      return packet.bytes.at(12) != kExperimental >> 8U ||
             packet.bytes.at(13) != (kExperimental & 0xffU);
    });
    return packets;
  }

  static bool available_;
};

bool VethPair::available_ = false;

TEST_F(VethPair, BothEndsSeeTheSameFrameInOppositeDirections) {
  PacketCapture here("here");
  PacketCapture there("there");
  send_frames(2, 600);
  const auto sent = drain(here);
  const auto arrived = drain(there);
  ASSERT_EQ(sent.size(), 2U);
  ASSERT_EQ(arrived.size(), 2U);
  EXPECT_EQ(sent[1].bytes, arrived[1].bytes);
  EXPECT_EQ(sent[1].bytes.size(), 600U);
  EXPECT_EQ(sent[1].bytes[ETH_HLEN], 1);
  EXPECT_EQ(sent[1].original_length, 600U);
  EXPECT_EQ(sent[1].direction, Direction::kOutbound);
  EXPECT_EQ(arrived[1].direction, Direction::kInbound);
  EXPECT_GT(sent[0].timestamp_ns, 1'700'000'000'000'000'000);
  EXPECT_LE(sent[0].timestamp_ns, arrived[0].timestamp_ns);
}

TEST_F(VethPair, DrainingTwiceGivesEachFrameOnce) {
  PacketCapture capture("here");
  EXPECT_TRUE(drain(capture).empty());
  send_frames(3, 100);
  EXPECT_EQ(drain(capture).size(), 3U);
  EXPECT_TRUE(drain(capture).empty());
}

TEST_F(VethPair, FramesAsLongAsTheMtuAreWhole) {
  PacketCapture capture("here");
  send_frames(1, 1514);
  const auto packets = drain(capture);
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].bytes.size(), 1514U);
  EXPECT_EQ(capture.counters().truncated, 0U);
}

TEST_F(VethPair, HundredsOfFramesFitBetweenTwoReadings) {
  PacketCapture capture("here");
  send_frames(2000, 1514);
  EXPECT_EQ(drain(capture).size(), 2000U);
  EXPECT_EQ(capture.counters().dropped, 0U);
}

TEST_F(VethPair, AnOverflowIsCounted) {
  PacketCapture capture("here");
  send_frames(20'000, 100);
  const std::size_t kept = drain(capture).size();
  EXPECT_LT(kept, 20'000U);
  // No fewer than ours that are missing; frames that the kernel sent by itself may be among the
  // dropped.
  EXPECT_GE(capture.counters().dropped, 20'000U - kept);
}

TEST_F(VethPair, AnInterfaceThatIsNotThereIsAnErrorThatNamesIt) {
  try {
    PacketCapture capture("nowhere");
    FAIL() << "no exception";
  } catch (const base::LabError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("capture nowhere"));
  }
  EXPECT_THROW(PacketCapture(std::string(40, 'x')), base::LabError);
}

}  // namespace
}  // namespace captures
