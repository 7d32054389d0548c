// How long a lookup over QUIC takes, and why: round trips, Retry, the anti-amplification limit, and
// what a lost datagram costs.

#include "base/rng.hh"
#include "base/units.hh"
#include "tests/transport/quic_lookup.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace transport {
namespace {

using std::chrono::milliseconds;

// Arrives within ngtcp2's timer granularity of a millisecond.
constexpr base::Nanoseconds kTolerance = milliseconds(2);
constexpr std::size_t kSmallChain = 2000;
constexpr std::size_t kLargeChain = 3900;

// Before it has a proof of the client's address, a server sends at most three times what it got
// (RFC 9000 section 8.1). Counted until the client's first Handshake packet can have arrived.
void expect_no_amplification(const QuicNetwork& network) {
  std::size_t received = 0;
  std::size_t sent = 0;
  for (const SentDatagram& datagram : network.sent) {
    if (datagram.from_client) {
      const bool handshake = (datagram.bytes[0] & 0xf0U) == 0xe0U;
      const bool coalesced = datagram.ordinal > 0 && datagram.bytes.size() == 1200;
      if (handshake || coalesced) return;
      received += datagram.bytes.size();
    } else {
      sent += datagram.bytes.size();
      EXPECT_LE(sent, 3 * received);
    }
  }
}

struct FloorRow {
  const char* name;
  std::size_t chain_bytes;
  const char* group;
  RetryPolicy retry;
  int round_trips;
};

class Floor : public testing::TestWithParam<FloorRow> {};

TEST_P(Floor, IsWholeRoundTrips) {
  const FloorRow& row = GetParam();
  Lookup lookup(row.chain_bytes, row.group, row.retry);
  ASSERT_TRUE(lookup.run());
  EXPECT_EQ(*lookup.client.answered_at, row.round_trips * kRtt);
  EXPECT_EQ(*lookup.client.handshake_at, (row.round_trips - 1) * kRtt);
  EXPECT_EQ(base::as_text(lookup.client.answer), "answer");
  const QuicFacts facts = lookup.network.client->facts();
  const bool retry = row.retry == RetryPolicy::kAlways;
  EXPECT_EQ(facts.tls.group, row.group);
  EXPECT_EQ(facts.tls.alpn, "doq");
  EXPECT_EQ(facts.version, 1U);
  EXPECT_EQ(facts.retries, retry ? 1U : 0U);
  EXPECT_EQ(lookup.log.facts.at(0).token_accepted, retry);
  EXPECT_EQ(lookup.network.listener().counters().accepted, 1U);
  if (!retry) expect_no_amplification(lookup.network);
  for (const SentDatagram& datagram : lookup.network.sent) EXPECT_LE(datagram.bytes.size(), 1200U);
}

INSTANTIATE_TEST_SUITE_P(
    QuicRecovery, Floor,
    testing::Values(FloorRow{"classical", kSmallChain, "X25519", RetryPolicy::kNever, 2},
                    FloorRow{"post_quantum", kSmallChain, "X25519MLKEM768", RetryPolicy::kNever, 2},
                    // The certificate does not fit into 3 x 1200 bytes: one round trip more.
                    FloorRow{"classical_stalls", kLargeChain, "X25519", RetryPolicy::kNever, 3},
                    // Two datagrams of ClientHello double the budget.
                    FloorRow{"post_quantum_does_not_stall", kLargeChain, "X25519MLKEM768",
                             RetryPolicy::kNever, 2},
                    FloorRow{"retry", kSmallChain, "X25519", RetryPolicy::kAlways, 3},
                    FloorRow{"retry_post_quantum", kSmallChain, "X25519MLKEM768",
                             RetryPolicy::kAlways, 3},
                    // A token lifts the limit, so that the round trip is not paid twice.
                    FloorRow{"retry_large_chain", kLargeChain, "X25519", RetryPolicy::kAlways, 3}),
    [](const auto& row) { return row.param.name; });

TEST(QuicRecovery, FinishedAndQuestionLeaveInOneDatagram) {
  Lookup lookup(kSmallChain, "X25519");
  ASSERT_TRUE(lookup.run());
  std::vector<base::Nanoseconds> client_datagrams;
  for (const SentDatagram& datagram : lookup.network.sent) {
    // What leaves between two flights are acknowledgements that waited for their timer.
    const bool in_flight = datagram.sent_at.count() % kRtt.count() == 0;
    if (datagram.from_client && in_flight) client_datagrams.push_back(datagram.sent_at);
  }
  EXPECT_THAT(client_datagrams, testing::ElementsAre(0 * kRtt, 1 * kRtt));
}

TEST(QuicRecovery, LargerDatagramsRaiseTheServersBudget) {
  Lookup lookup(3500, "X25519");
  lookup.quic.max_udp_payload = 1452;
  ASSERT_TRUE(lookup.run());
  EXPECT_EQ(lookup.network.sent.front().bytes.size(), 1452U);
  // 3 x 1452 = 4356 bytes carry what 3 x 1200 would not.
  EXPECT_EQ(*lookup.client.answered_at, 2 * kRtt);
}

TEST(QuicRecovery, ProbesOfPathMtuDiscoveryAreASetting) {
  for (const bool pmtud : {false, true}) {
    Lookup lookup(kSmallChain, "X25519");
    lookup.quic.pmtud = pmtud;
    lookup.quic.max_udp_payload = pmtud ? 1452 : 1200;
    ASSERT_TRUE(lookup.run());
    const bool probed = std::ranges::any_of(
        lookup.network.sent, [](const auto& datagram) { return datagram.bytes.size() > 1200; });
    EXPECT_EQ(probed, pmtud);
  }
}

struct LossRow {
  const char* name;
  const char* group;
  std::size_t chain_bytes;
  bool from_client;
  std::size_t ordinal;
  milliseconds initial_rtt;
  milliseconds extra;
};

class SingleLoss : public testing::TestWithParam<LossRow> {};

TEST_P(SingleLoss, CostsWhatTheTimersSay) {
  const LossRow& row = GetParam();
  Lookup lookup(row.chain_bytes, row.group);
  lookup.quic.initial_rtt = row.initial_rtt;
  lookup.network.path = drop_one(row.from_client, row.ordinal);
  ASSERT_TRUE(lookup.run());
  const base::Nanoseconds extra = *lookup.client.answered_at - 2 * kRtt;
  EXPECT_LE(std::chrono::abs(extra - row.extra), kTolerance) << base::to_string(extra);
}

INSTANTIATE_TEST_SUITE_P(
    QuicRecovery, SingleLoss,
    testing::Values(
        // RFC 9002 section 6.2.2: 333 ms assumed, PTO after three times that.
        LossRow{"initial", "X25519", kSmallChain, true, 0, milliseconds(333), milliseconds(999)},
        LossRow{"initial_with_100_ms", "X25519", kSmallChain, true, 0, milliseconds(100),
                milliseconds(300)},
        // The server has acknowledged the first half, so that the client has a sample: 3 RTT.
        LossRow{"second_half_of_client_hello", "X25519MLKEM768", kSmallChain, true, 1,
                milliseconds(333), 3 * milliseconds(40)}),
    [](const auto& row) { return row.param.name; });

TEST(QuicRecovery, ReorderedClientHelloBringsASpuriousRetry) {
  Lookup lookup(kSmallChain, "X25519MLKEM768");
  lookup.network.path = [](const SentDatagram& datagram) {
    const bool first = datagram.from_client && datagram.ordinal == 0;
    return std::optional<base::Nanoseconds>(first ? milliseconds(2) : milliseconds(0));
  };
  ASSERT_TRUE(lookup.run());
  EXPECT_EQ(lookup.network.listener().counters().spurious_retries_sent, 1U);
  EXPECT_EQ(lookup.network.client->facts().retries, 1U);
  EXPECT_LE(std::chrono::abs(*lookup.client.answered_at - 3 * kRtt), kTolerance);
}

TEST(QuicRecovery, RandomLossNeverLosesALookup) {
  base::Rng rng(20260730);
  for (int round = 0; round < 150; ++round) {
    const char* const group = round % 2 == 0 ? "X25519" : "X25519MLKEM768";
    Lookup lookup(kLargeChain, group, round % 3 == 0 ? RetryPolicy::kAlways : RetryPolicy::kNever);
    lookup.network.path = [&rng](const SentDatagram&) -> std::optional<base::Nanoseconds> {
      if (rng.below(100) < 5) return std::nullopt;
      return base::Nanoseconds(0);
    };
    ASSERT_TRUE(lookup.run()) << "round " << round << ": "
                              << lookup.client.close.value_or(QuicClose{}).describe();
    EXPECT_EQ(base::as_text(lookup.client.answer), "answer");
  }
}

}  // namespace
}  // namespace transport
