#include "netns/lab_network.hh"

#include "base/file_descriptor.hh"
#include "tests/netns/datagram_traffic.hh"
#include "tests/netns/lab_fixture.hh"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include <sstream>

namespace netns {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using LabNetworkTest = LabFixture;

// Packets that a device of the calling thread's namespace has (received, sent).
std::pair<std::uint64_t, std::uint64_t> packets_of(std::string_view device) {
  std::istringstream lines(base::read_file("/proc/thread-self/net/dev"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    std::uint64_t value[10]{};
    fields >> name;
    for (std::uint64_t& field : value) fields >> field;
    if (name == std::string(device) + ":") return {value[1], value[9]};
  }
  return {};
}

TEST_F(LabNetworkTest, EndsReachEachOtherAndNothingElseIsOnTheWire) {
  for (const auto* target : {"198.51.100.53", "2001:db8:53::53"})
    EXPECT_THAT(ping_server(3, target), Each(testing::Ne(std::nullopt))) << target;
  // Six requests and six answers; no ARP, neighbour discovery, multicast report or router
  // solicitation.
  for (const auto* space : {&network_->client_namespace(), &network_->server_namespace()}) {
    const Entered inside(*space);
    EXPECT_EQ(packets_of(kEndDevice), std::pair(6UL, 6UL));
  }
}

TEST_F(LabNetworkTest, UnknownAddressIsSilence) {
  EXPECT_THAT(ping_server(1, "198.51.100.99"), Each(std::nullopt));
}

TEST_F(LabNetworkTest, ClosedPortRefusesEveryTime) {
  const Entered inside(network_->client_namespace());
  for (const auto* target : {"198.51.100.53", "2001:db8:53::53"}) {
    socklen_t length = 0;
    const sockaddr_storage storage = address(target).socket_address(853, length);
    const base::FileDescriptor socket(::socket(storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(socket.number(), reinterpret_cast<const sockaddr*>(&storage), length), 0);
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(::send(socket.number(), "?", 1, 0), 1);
      char answer = 0;
      EXPECT_EQ(::recv(socket.number(), &answer, 1, 0), -1);
      EXPECT_EQ(errno, ECONNREFUSED) << target << " attempt " << i;
    }
  }
}

TEST_F(LabNetworkTest, FactsNameEveryDevice) {
  const NetworkFacts facts = network_->facts();
  ASSERT_EQ(facts.devices.size(), 4U);
  EXPECT_THAT(facts.devices,
              Each(AllOf(Field(&DeviceFact::mtu, 1500U), Field(&DeviceFact::up, true),
                         Field(&DeviceFact::carrier, true), Field(&DeviceFact::gso_max_segs, 1U))));
  for (const DeviceFact& device : facts.devices)
    for (const char* offload : {"tx-tcp-segmentation", "tx-generic-segmentation", "rx-gro",
                                "tx-udp-segmentation", "rx-checksum", "tx-checksum-ip-generic"})
      EXPECT_THAT(device.offloads, Contains(std::pair<const std::string, bool>(offload, false)))
          << device.space << " " << device.name;
  EXPECT_THAT(facts.devices[0].addresses,
              UnorderedElementsAre("198.51.100.1/24", "2001:db8:53::1/64"));
  EXPECT_THAT(facts.devices[1].addresses, IsEmpty());
  EXPECT_FALSE(facts.to_server.has_value());
}

TEST_F(LabNetworkTest, FactsBecomeJson) {
  const auto json = to_json(network_->facts());
  EXPECT_EQ(json["devices"][3]["namespace"], "server");
  EXPECT_EQ(json["netem"]["to_server"], nullptr);
  EXPECT_FALSE(json["sysctls"]["client"].empty());
  EXPECT_FALSE(json["sysctls"]["wire"].empty());
}

TEST_F(LabNetworkTest, DatagramOfTheWholeMtuPasses) {
  DatagramTraffic traffic(*network_, true);
  traffic.send(2, 1500 - 28);
  EXPECT_EQ(traffic.receive(std::chrono::milliseconds(50)).size(), 2U);
}

TEST_F(LabNetworkTest, PathWithoutImpairmentNeedsNoNetem) {
  network_->impair({}, {1, 2});
  network_->verify_impairment();
  EXPECT_EQ(network_->counters(), LabNetwork::PathCounters{});
}

TEST_F(LabNetworkTest, NetworksStandSideBySide) {
  LabNetwork other(spec());
  EXPECT_THAT(ping_server(1), Each(testing::Ne(std::nullopt)));
  EXPECT_THAT(
      ping(other.client_namespace(), {.target = address("198.51.100.53"), .count = 1}, clock_),
      Each(testing::Ne(std::nullopt)));
  const Entered inside(other.client_namespace());
  EXPECT_EQ(packets_of(kEndDevice), std::pair(1UL, 1UL));
}

TEST_F(LabNetworkTest, JumboFramesAndManyServerAddresses) {
  LabNetworkSpec many = spec();
  many.mtu = 9000;
  for (int arm = 1; arm < 8; ++arm) {
    many.server_addresses.push_back(address(std::format("198.51.100.{}", 53 + arm)));
    many.server_addresses.push_back(address(std::format("2001:db8:53::{:x}", 0x53 + arm)));
  }
  LabNetwork network(many);
  for (const IpAddress& target : many.server_addresses)
    EXPECT_THAT(ping(network.client_namespace(), {.target = target, .count = 1}, clock_),
                Each(testing::Ne(std::nullopt)))
        << target.to_string();
}

TEST_F(LabNetworkTest, SpecsThatMakeNoSenseAreRefused) {
  LabNetworkSpec small = spec();
  small.mtu = 1279;
  LabNetworkSpec twice = spec();
  twice.server_addresses.push_back(address("198.51.100.1"));
  LabNetworkSpec empty = spec();
  empty.client_addresses.clear();
  for (const auto& [wrong, text] : {std::pair(small, "mtu 1279"), std::pair(twice, "used twice"),
                                    std::pair(empty, "at least one")}) {
    try {
      const LabNetwork network(wrong);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const base::LabError& error) {
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
  }
}

using SuperPacketTest = NetemFixture;

TEST_F(SuperPacketTest, NetemSeesThePacketsOfTheWire) {
  const Entered client(network_->client_namespace());
  socklen_t length = 0;
  const sockaddr_storage storage = address("198.51.100.53").socket_address(5'300, length);
  const auto* const target = reinterpret_cast<const sockaddr*>(&storage);
  base::FileDescriptor listener;
  {
    const Entered server(network_->server_namespace());
    listener = base::FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(listener.number(), target, length), 0);
    ASSERT_EQ(::listen(listener.number(), 1), 0);
  }
  base::FileDescriptor sender(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(sender.number(), target, length), 0);
  const base::FileDescriptor receiver(::accept(listener.number(), nullptr, nullptr));
  const QdiscCounters before = *network_->counters().to_server;
  base::write_all(sender, std::string(12'000, 'x'));
  sender.close();
  std::size_t received = 0;
  for (auto part = base::read_some(receiver, 65'536); part && !part->empty();
       part = base::read_some(receiver, 65'536))
    received += part->size();
  EXPECT_EQ(received, 12'000U);
  const QdiscCounters after = *network_->counters().to_server;
  // 12000 bytes are nine segments of 1448 bytes; a super-packet would be counted as one.
  EXPECT_GE(after.sent_packets - before.sent_packets, 9U);
  EXPECT_LE((after.sent_bytes - before.sent_bytes) / (after.sent_packets - before.sent_packets),
            1514U);
}

}  // namespace
}  // namespace netns
