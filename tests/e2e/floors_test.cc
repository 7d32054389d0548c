// Nothing is lost: in virtual time every answer takes its round trips, exactly.

#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gtest/gtest.h>

#include <chrono>

namespace e2e {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Round trips of a cold query, from the protocols alone.
int floor_round_trips(const captures::QueryRecord& record) {
  if (record.transport == "do53") return 1;
  if (record.transport == "dot" || record.transport == "doh2") return 3;
  const bool retry = record.cell.contains("retry=always");
  // RFC 9000 section 8.1: 3 x 1200 bytes carry no chain of 3.9 kB. A ClientHello with a
  // post-quantum share takes two datagrams, and a Retry validates the address.
  const bool stalls = record.cell.contains("key_exchange=X25519,") &&
                      record.cell.contains("chain_bytes=3900") && !retry;
  return 2 + (retry || stalls ? 1 : 0);
}

TEST(Floors, EveryQueryOfHandshakeTakesItsRoundTrips) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"labrun", scenario("handshake"), "--out", folder.path() / "run"});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  const auto records = read_records(folder.path() / "run");
  ASSERT_EQ(records.size(), 8U * 5U * 10U);
  for (const captures::QueryRecord& record : records) {
    ASSERT_TRUE(record.time.has_value()) << record.id;
    const auto floor = floor_round_trips(record) * milliseconds(40);
    EXPECT_GE(*record.time, floor) << record.id;
    EXPECT_LE(*record.time, floor + microseconds(100)) << record.id;
    EXPECT_TRUE(record.lost.empty()) << record.id;
    const bool quic = record.transport == "doq" || record.transport == "doh3";
    EXPECT_EQ(record.retries, quic && record.cell.contains("retry=always") ? 1U : 0U) << record.id;
    if (record.transport == "do53") continue;
    EXPECT_EQ(record.group, record.cell.contains("MLKEM") ? "X25519MLKEM768" : "X25519")
        << record.id;
  }
}

class FloorsOfShippedScenario : public testing::TestWithParam<const char*> {};

// Their claims are exact, so that whatever holds them holds in every run.
TEST_P(FloorsOfShippedScenario, HoldItsClaims) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"labrun", scenario(GetParam()), "--out", folder.path() / "run"});
  EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(Exact, FloorsOfShippedScenario,
                         testing::Values("packets", "keyexchange", "retry", "amplification",
                                         "connections", "port-change", "servers", "second-opinion",
                                         "client-hello-frames"));

TEST(Floors, SmokeAnswersOverBothFamilies) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"labrun", scenario("smoke"), "--out", folder.path() / "run"});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  std::size_t over_ipv6 = 0;
  for (const captures::QueryRecord& record : read_records(folder.path() / "run"))
    over_ipv6 += record.flows.at(0).remote_address.contains(':') ? 1 : 0;
  EXPECT_EQ(over_ipv6, 25U);
}

}  // namespace
}  // namespace e2e
