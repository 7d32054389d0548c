#include "netns/offload.hh"

#include "base/errors.hh"

#include <gtest/gtest.h>

namespace netns {
namespace {

TEST(Offload, NamesOfTheKernel) {
  for (const auto* name :
       {"tx-checksum-ipv4", "tx-checksum-ip-generic", "rx-checksum", "tx-scatter-gather",
        "tx-scatter-gather-fraglist", "tx-tcp-segmentation", "tx-tcp6-segmentation",
        "tx-tcp-mangleid-segmentation", "tx-udp-segmentation", "tx-generic-segmentation",
        "tx-gso-partial", "tx-gso-list", "tx-sctp-segmentation", "rx-gro", "rx-gro-list",
        "rx-gro-hw", "rx-udp-gro-forwarding", "rx-lro"})
    EXPECT_TRUE(is_offload(name)) << name;
  for (const auto* name : {"tx-vlan-hw-insert", "rx-vlan-filter", "highdma", "tx-lockless",
                           "netns-local", "rx-all", "rx-fcs", "hw-tc-offload", "tx-nocache-copy"})
    EXPECT_FALSE(is_offload(name)) << name;
}

TEST(Offload, UnknownDeviceIsAnError) {
  EXPECT_THROW(read_offloads("no-such-dev"), base::SystemError);
}

}  // namespace
}  // namespace netns
