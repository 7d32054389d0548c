#include "harness/packet_words.hh"

#include <gtest/gtest.h>

namespace harness {
namespace {

using analysis::End;

TEST(PacketWords, NumberTheLost) {
  EXPECT_EQ(numbers_in_words({}), "nothing");
  EXPECT_EQ(numbers_in_words({{End::kServer, 1}}), "server 1");
  EXPECT_EQ(numbers_in_words({{End::kClient, 3}, {End::kClient, 12}, {End::kServer, 1}}),
            "client 3 12, server 1");
}

TEST(PacketWords, SayASet) {
  EXPECT_EQ(set_in_words({{End::kClient, 2}}), "the 2nd packet of the client, alone");
  EXPECT_EQ(set_in_words({{End::kServer, 1}, {End::kServer, 3}}),
            "the 1st and 3rd packet of the server, together");
  EXPECT_EQ(
      set_in_words({{End::kClient, 1}, {End::kClient, 2}, {End::kClient, 11}, {End::kServer, 23}}),
      "the 1st, 2nd and 11th packet of the client and the 23rd of the server, together");
}

}  // namespace
}  // namespace harness
