#include "captures/flow_index.hh"

#include "base/errors.hh"
#include "captures/link_frame.hh"
#include "tests/captures/frame_builder.hh"

#include <gtest/gtest.h>

namespace captures {
namespace {

std::optional<std::size_t> owner(FlowIndex& flows, const test::Bytes& frame) {
  return flows.owner_of(parse_ethernet_frame(frame).value());
}

TEST(FlowIndex, KnowsBothDirections) {
  const std::vector<QueryRecord> records{test::udp_record("a:0", 10001),
                                         test::udp_record("a:1", 10002)};
  FlowIndex flows(records);
  EXPECT_EQ(owner(flows, test::query_frame(10002, "q")), 1U);
  EXPECT_EQ(owner(flows, test::answer_frame(10002, "a")), 1U);
  EXPECT_EQ(owner(flows, test::query_frame(10003, "q")), std::nullopt);
}

TEST(FlowIndex, TcpIsAnotherFlowThanUdp) {
  const std::vector<QueryRecord> records{test::udp_record("a:0", 10001)};
  FlowIndex flows(records);
  const auto frame =
      test::ethernet(test::ipv4(test::kClient, test::kServer, 6, test::tcp(10001, 53, "")));
  EXPECT_EQ(owner(flows, frame), std::nullopt);
}

TEST(FlowIndex, IcmpErrorsBelongToTheirCause) {
  const std::vector<QueryRecord> records{test::udp_record("a:0", 10001)};
  FlowIndex flows(records);
  const auto cause = test::ipv4(test::kServer, test::kClient, 17, test::udp(53, 10001, "late"));
  EXPECT_EQ(owner(flows, test::ethernet(
                             test::ipv4(test::kClient, test::kServer, 1, test::icmp(3, cause)))),
            0U);
}

TEST(FlowIndex, AnswersFromAnotherAddressBelongToTheOneThatAsked) {
  std::vector<QueryRecord> records{test::udp_record("a:0", 10001), test::udp_record("a:1", 10002)};
  const auto late = [](std::uint16_t port) {
    return test::ipv4("198.51.100.99", test::kClient, 17, test::udp(53, port, "late"));
  };
  FlowIndex flows(records);
  EXPECT_EQ(owner(flows, test::ethernet(late(10002))), 1U);
  EXPECT_EQ(owner(flows, test::ethernet(test::ipv4(test::kClient, "198.51.100.99", 1,
                                                   test::icmp(3, late(10001))))),
            0U);
  EXPECT_EQ(owner(flows, test::ethernet(late(10003))), std::nullopt);

  // Two servers were asked from one port.
  records[1].flows[0].local_port = 10001;
  records[1].flows[0].remote_address = "198.51.100.54";
  FlowIndex ambiguous(records);
  EXPECT_EQ(owner(ambiguous, test::ethernet(late(10001))), std::nullopt);
}

TEST(FlowIndex, LaterFragmentsFollowTheFirst) {
  const std::vector<QueryRecord> records{test::udp_record("a:0", 10001)};
  FlowIndex flows(records);
  const auto fragment = [](unsigned offset, const test::Bytes& data) {
    return test::ethernet(
        test::ipv4(test::kServer, test::kClient, 17, data,
                   {.identification = 7, .flags_and_offset = offset == 0 ? 0x2000 : offset}));
  };
  EXPECT_EQ(owner(flows, fragment(100, {1})), std::nullopt);
  EXPECT_EQ(owner(flows, fragment(0, test::udp(53, 10001, "a"))), 0U);
  EXPECT_EQ(owner(flows, fragment(100, {1})), 0U);
}

TEST(FlowIndex, RefusesFlowsThatItCannotTell) {
  std::vector<QueryRecord> records{test::udp_record("a:0", 10001), test::udp_record("a:1", 10001)};
  EXPECT_THROW(FlowIndex{records}, base::LabError);
  records.pop_back();
  records[0].flows[0].remote_address = "dns.lab.test";
  EXPECT_THROW(FlowIndex{records}, base::LabError);
}

}  // namespace
}  // namespace captures
