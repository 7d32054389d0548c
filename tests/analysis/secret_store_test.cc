#include "analysis/secret_store.hh"

#include <gtest/gtest.h>

#include <format>

namespace analysis {
namespace {

ClientRandom random_of(std::uint8_t byte) {
  ClientRandom random;
  random.fill(byte);
  return random;
}

std::string line(std::string_view label, std::string_view digit, std::string_view secret) {
  std::string random;
  for (int count = 0; count < 64; ++count) random += digit;
  return std::format("{} {} {}\n", label, random, secret);
}

TEST(SecretStore, FindsByConnectionAndLabel) {
  SecretStore store;
  store.add(line("CLIENT_TRAFFIC_SECRET_0", "7", "00fFa9") +
            line("SERVER_TRAFFIC_SECRET_0", "A", "01"));
  EXPECT_EQ(store.size(), 2U);
  EXPECT_EQ(store.find(random_of(0x77), SecretLabel::kClientTraffic0), (Secret{0x00, 0xff, 0xa9}));
  EXPECT_FALSE(store.find(random_of(0x77), SecretLabel::kServerTraffic0));
  EXPECT_EQ(store.find(random_of(0xaa), SecretLabel::kServerTraffic0), Secret{1});
  EXPECT_TRUE(store.knows(random_of(0xaa)));
  EXPECT_FALSE(store.knows(random_of(0xa9)));
  EXPECT_FALSE(store.knows(random_of(0xab)));
}

TEST(SecretStore, KnowsAllTrafficLabels) {
  SecretStore store;
  for (const char* label :
       {"CLIENT_EARLY_TRAFFIC_SECRET", "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
        "SERVER_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"})
    store.add(line(label, "1", "02"));
  EXPECT_EQ(store.size(), 5U);
  EXPECT_TRUE(store.find(random_of(0x11), SecretLabel::kClientEarlyTraffic));
}

TEST(SecretStore, HasTrafficSecretsWithThoseOfBothDirections) {
  SecretStore store;
  for (const char* label : {"CLIENT_EARLY_TRAFFIC_SECRET", "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
                            "SERVER_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0"}) {
    store.add(line(label, "1", "02"));
    EXPECT_FALSE(store.has_traffic_secrets()) << label;
  }
  store.add(line("SERVER_TRAFFIC_SECRET_0", "2", "02"));  // of another connection
  EXPECT_FALSE(store.has_traffic_secrets());
  store.add(line("SERVER_TRAFFIC_SECRET_0", "1", "02"));
  EXPECT_TRUE(store.has_traffic_secrets());
}

TEST(SecretStore, LeavesOutWhatItCannotUse) {
  SecretStore store;
  store.add("# a comment\n\n" + line("EXPORTER_SECRET", "1", "02") +
            "CLIENT_TRAFFIC_SECRET_0 11 02\n" + line("CLIENT_TRAFFIC_SECRET_0", "1", "0") +
            line("CLIENT_TRAFFIC_SECRET_0", "1", "zz"));
  EXPECT_EQ(store.size(), 0U);
}

TEST(SecretStore, TakesLinesAnyWayTheyEnd) {
  SecretStore store;
  std::string windows = line("CLIENT_TRAFFIC_SECRET_0", "1", "02");
  windows.insert(windows.size() - 1, "\r");
  std::string last = line("CLIENT_TRAFFIC_SECRET_0", "2", "03");
  last.pop_back();
  store.add(windows + last);
  EXPECT_EQ(store.size(), 2U);
  // The last one given counts.
  store.add(line("CLIENT_TRAFFIC_SECRET_0", "2", "04"));
  EXPECT_EQ(store.find(random_of(0x22), SecretLabel::kClientTraffic0), Secret{4});
}

}  // namespace
}  // namespace analysis
