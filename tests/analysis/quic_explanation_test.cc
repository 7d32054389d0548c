// What the analysis says of QUIC lookups whose every datagram is known: the waits of ngtcp2's loss
// recovery are named, and the parts add up.

#include "tests/analysis/explained_lookup.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace analysis {
namespace {

using namespace std::chrono_literals;
using test::ExplainedLookup;
using testing::HasSubstr;

constexpr std::size_t kSmallChain = 2000;
constexpr std::size_t kLargeChain = 3900;
constexpr std::string_view kClassical = "X25519";
constexpr std::string_view kPostQuantum = "X25519MLKEM768";

TEST(QuicExplanation, EveryPacketIsReadWithTheClientsKeys) {
  ExplainedLookup lookup(kSmallChain, kPostQuantum);
  lookup.run();
  for (const PacketEvent& event : lookup.exchange.events) {
    EXPECT_EQ(event.packet.problem, "");
    for (const QuicPacket& packet : event.packet.quic) EXPECT_EQ(packet.undecrypted, "");
  }
  const HandshakeFacts& facts = lookup.exchange.conversations.at(0).handshake;
  EXPECT_EQ(facts.alpn, "doq");
  EXPECT_EQ(group_name(facts.group.value()), kPostQuantum);
  EXPECT_TRUE(facts.finished_by_client);
  EXPECT_TRUE(facts.finished_by_server);
  EXPECT_GT(facts.certificate_bytes, kSmallChain);
}

TEST(QuicExplanation, ALosslessLookupIsTwoRoundTrips) {
  ExplainedLookup lookup(kSmallChain, kClassical);
  lookup.run();
  EXPECT_EQ(lookup.sum_words(), "quic_handshake+query");
  EXPECT_EQ(lookup.time_of("quic_handshake"), 40ms);
  EXPECT_EQ(lookup.time_of("query"), 40ms);
  EXPECT_TRUE(lookup.explanation.complete);
  EXPECT_TRUE(lookup.findings.empty());
  EXPECT_EQ(lookup.explanation.text, "80.0 ms = 2 RTT (QUIC handshake, query)");
}

TEST(QuicExplanation, ARetryIsARoundTripOfItsOwn) {
  ExplainedLookup lookup(kSmallChain, kClassical, transport::RetryPolicy::kAlways);
  lookup.run();
  EXPECT_EQ(lookup.sum_words(), "retry+quic_handshake+query");
  EXPECT_TRUE(lookup.has_finding("retry"));
  EXPECT_FALSE(lookup.has_finding("spurious-retry"));
}

TEST(QuicExplanation, AStallSaysByHowMuchTheBudgetWasShort) {
  ExplainedLookup lookup(kLargeChain, kClassical);
  lookup.run();
  EXPECT_EQ(lookup.sum_words(), "quic_handshake+amplification_stall+query");
  EXPECT_THAT(lookup.explanation.text, HasSubstr("3600 allowed"));
  ASSERT_TRUE(lookup.has_finding("amplification-stall"));
  EXPECT_FALSE(lookup.has_finding("amplification-exceeded"));
}

TEST(QuicExplanation, ThePostQuantumClientHelloIsSplitAndDoesNotStall) {
  ExplainedLookup lookup(kLargeChain, kPostQuantum);
  lookup.run();
  EXPECT_EQ(lookup.sum_words(), "quic_handshake+query");
  EXPECT_TRUE(lookup.has_finding("client-hello-split"));
  EXPECT_TRUE(lookup.has_finding("server-hello-split"));
  EXPECT_FALSE(lookup.has_finding("amplification-stall"));
}

// RFC 9002 section 6.2.2: 333 + 4 x 166.5 ms before there is a sample; twice that for the second.
TEST(QuicExplanation, ALostInitialWaitsForTheFirstProbeTimeout) {
  ExplainedLookup lookup(kSmallChain, kClassical);
  lookup.drop(End::kClient, 0);
  lookup.run();
  EXPECT_EQ(lookup.sum_words(), "quic_pto+quic_handshake+query");
  EXPECT_NEAR(static_cast<double>(lookup.time_of("quic_pto").count()) / 1e6, 999, 1.5);
  EXPECT_THAT(lookup.explanation.text, HasSubstr("client Initial 0"));
  EXPECT_TRUE(lookup.has_finding("quic-pto"));
}

TEST(QuicExplanation, ALostProbeDoublesTheTimeout) {
  ExplainedLookup lookup(kSmallChain, kClassical);
  lookup.drop(End::kClient, 0);
  lookup.drop(End::kClient, 1);
  lookup.run();
  EXPECT_EQ(lookup.sum_words(), "quic_pto+quic_pto+quic_handshake+query");
  EXPECT_NEAR(static_cast<double>(lookup.time_of("quic_pto").count()) / 1e6, 2997, 4);
  EXPECT_TRUE(lookup.has_finding("pto-probe-lost"));
}

TEST(QuicExplanation, ALostMiddleIsFoundByTheLossTimer) {
  ExplainedLookup lookup(kLargeChain, kPostQuantum);
  lookup.drop(End::kServer, 2);
  lookup.run();
  EXPECT_EQ(lookup.explanation.unexplained, 0ns) << lookup.explanation.text;
  EXPECT_THAT(lookup.sum_words(), HasSubstr("loss"));
  EXPECT_TRUE(lookup.has_finding("head-of-line-wait"));
}

TEST(QuicExplanation, AHeadlessClientHelloIsAnsweredWithARetry) {
  ExplainedLookup lookup(kLargeChain, kPostQuantum);
  lookup.drop(End::kClient, 0);
  lookup.run();
  EXPECT_TRUE(lookup.has_finding("spurious-retry"));
  EXPECT_FALSE(lookup.has_finding("retry"));
  EXPECT_EQ(lookup.sum_words(), "retry+quic_handshake+query");
}

TEST(QuicExplanation, SoIsOneWhoseFirstDatagramIsTwoMillisecondsLate) {
  ExplainedLookup lookup(kLargeChain, kPostQuantum);
  lookup.hold(End::kClient, 0, 2ms);
  lookup.run();
  EXPECT_TRUE(lookup.has_finding("spurious-retry"));
  EXPECT_EQ(lookup.explanation.unexplained, 0ns) << lookup.explanation.text;
}

// Each single loss of a lookup, and each pair of losses among the first packets.
TEST(QuicExplanation, NoLossOfOneOrTwoDatagramsStaysUnexplained) {
  for (const std::string_view group : {kClassical, kPostQuantum}) {
    std::vector<std::pair<End, std::size_t>> datagrams;
    for (std::size_t ordinal = 0; ordinal < 5; ++ordinal) {
      datagrams.emplace_back(End::kClient, ordinal);
      datagrams.emplace_back(End::kServer, ordinal);
    }
    for (std::size_t first = 0; first < datagrams.size(); ++first)
      for (std::size_t second = first; second < datagrams.size(); ++second) {
        ExplainedLookup lookup(kLargeChain, group);
        lookup.drop(datagrams[first].first, datagrams[first].second);
        lookup.drop(datagrams[second].first, datagrams[second].second);
        lookup.run();
        EXPECT_EQ(lookup.explanation.unexplained, 0ns)
            << group << ": " << to_string(datagrams[first].first) << ' ' << datagrams[first].second
            << ", " << to_string(datagrams[second].first) << ' ' << datagrams[second].second << ": "
            << lookup.explanation.text;
      }
  }
}

}  // namespace
}  // namespace analysis
