// Each finding on a capture that shows it, and on a twin that was doctored so that it must be gone,
// or be there: a detector that always or never speaks fails.

#include "analysis/finding.hh"

#include "tests/analysis/stored_query.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {
namespace {

using test::Analysed;
using test::StoredQuery;
using testing::HasSubstr;

using Doctor = void (*)(StoredQuery&);
using Event = const PacketEvent&;

void untouched(StoredQuery&) {}

bool is_second_client_datagram(Event event) {
  return event.from == End::kClient && event.ordinal == 2;
}

bool repeats_initial_crypto(Event event) {
  return event.from == End::kServer &&
         std::ranges::any_of(event.packet.data, [](const DataRange& range) {
           return range.kind == StreamKind::kInitialCrypto && range.again;
         });
}

bool repeats(Event event) {
  return event.packet.ack_eliciting() && !event.packet.has_new_data();
}

bool is_lost(Event event) {
  return event.lost();
}

// A Version Negotiation packet (RFC 9000 section 17.2.1) in place of the server's first datagram's
// payload.
void version_negotiation(StoredQuery& query) {
  for (std::vector<captures::CapturedPacket>* packets :
       {&query.client.packets, &query.server.packets}) {
    const auto from_server = packets == &query.server.packets ? captures::Direction::kOutbound
                                                              : captures::Direction::kInbound;
    const auto first =
        std::ranges::find(*packets, from_server, &captures::CapturedPacket::direction);
    constexpr std::size_t kHeaders = 14 + 20 + 8;
    std::vector<std::uint8_t>& bytes = first->bytes;
    // Version 0, the two connection IDs as they are, and versions to the end.
    std::fill_n(bytes.begin() + kHeaders + 1, 4, std::uint8_t{0});
  }
}

struct Case {
  const char* name;
  const char* finding;
  const char* words;  // of its sentence
  const char* stored;
  Doctor golden;
  Doctor twin;
};

// How failures name a row.
void PrintTo(const Case& row, std::ostream* out) {
  *out << row.finding;
}

class GoldenFinding : public testing::TestWithParam<Case> {};

TEST_P(GoldenFinding, IsThereAndInTheTwinItIsNot) {
  const Case& row = GetParam();
  StoredQuery golden(row.stored);
  row.golden(golden);
  const Analysed shown = golden.analyse();
  const Finding* finding = shown.find(row.finding);
  ASSERT_NE(finding, nullptr) << row.finding;
  EXPECT_THAT(finding->text, HasSubstr(row.words));
  ASSERT_FALSE(finding->packets.empty());
  for (const PacketReference& packet : finding->packets) EXPECT_GE(packet.number, 1U);

  StoredQuery twin(row.stored);
  row.twin(twin);
  EXPECT_FALSE(twin.analyse().has(row.finding)) << row.finding;
}

const std::vector<Case> kCases{
    Case{"Retry", "retry", "asked for address validation", "retry", untouched,
         [](StoredQuery& query) {
           query.never_sent(
               [](Event event) { return event.packet.has_quic(QuicPacketType::kRetry); });
         }},
    // With the lost datagram there, the Retry answers the beginning of a ClientHello.
    Case{"SpuriousRetry", "spurious-retry", "late or lost", "spurious-retry", untouched,
         [](StoredQuery& query) { query.arrived(is_lost); }},
    Case{"Stall", "amplification-stall", "1200 bytes of UDP payload had come, so 3600 could go",
         "stall", untouched,
         // The rest of the flight never comes: nothing shows that the server waited.
         [](StoredQuery& query) {
           query.never_sent([](Event event) {
             return event.from == End::kServer && event.sent_ns > 0 && event.ordinal > 3;
           });
         }},
    // The post-quantum ClientHello's second datagram is half of the budget.
    Case{"Excess", "amplification-exceeded", "had received 1200 bytes", "split",
         [](StoredQuery& query) { query.never_sent(is_second_client_datagram); }, untouched},
    Case{"ClientHelloSplit", "client-hello-split", "spans 2 datagrams", "split", untouched,
         [](StoredQuery& query) { query.never_sent(is_second_client_datagram); }},
    Case{"ServerHelloSplit", "server-hello-split", "ServerHello of 1178 bytes spans 2 datagrams",
         "split", untouched,
         [](StoredQuery& query) {
           query.never_sent(
               [](Event event) { return event.from == End::kServer && event.ordinal == 2; });
         }},
    Case{"HelloRetryRequest", "hello-retry-request", "X25519", "hello-retry", untouched,
         [](StoredQuery& query) {
           query.never_sent(
               [](Event event) { return event.packet.carries(MessageKind::kHelloRetryRequest); });
         }},
    Case{"VersionNegotiation", "version-negotiation", "does not speak the version", "stall",
         version_negotiation, untouched},
    // nginx#1616: what was lost is acknowledged around, never repaired.
    Case{"InitialNotResent", "initial-crypto-not-resent", "32 of 1178 bytes", "initial-hole",
         [](StoredQuery& query) { query.never_sent(repeats_initial_crypto); }, untouched},
    // The client has everything, and yet its Finished never comes.
    Case{"Unfinished", "handshake-unfinished", "the client's Finished was never sent", "split",
         [](StoredQuery& query) {
           query.never_sent(
               [](Event event) { return event.from == End::kClient && event.ordinal > 2; });
           query.gave_up();
         },
         [](StoredQuery& query) { query.gave_up(); }},
    Case{"CutOff", "handshake-cut-off", "never arrived, nor was it made good", "dead", untouched,
         [](StoredQuery& query) {
           query.record.outcome = captures::Outcome::kAnswered;
           query.record.time = std::chrono::seconds(1);
         }},
    Case{"SynTimeout", "syn-rto", "(client SYN lost)", "syn", untouched,
         [](StoredQuery& query) { query.never_sent(is_lost); }},
    Case{"TcpTimeout", "tcp-rto", "DNS answer", "rto", untouched,
         [](StoredQuery& query) { query.never_sent(repeats); }},
    Case{"TailLossProbe", "tcp-tlp", "it took the round trip for", "tlp", untouched,
         [](StoredQuery& query) {
           query.never_sent([](Event event) { return event.lost() && !event.packet.data.empty(); });
         }},
    Case{"ProbeTimeout", "quic-pto", "the ", "pto", untouched,
         [](StoredQuery& query) { query.never_sent(repeats); }},
    Case{"LostProbe", "pto-probe-lost", "lost themselves", "probe-lost", untouched,
         [](StoredQuery& query) { query.never_sent(is_lost); }},
    Case{"HeadOfLine", "head-of-line-wait", "data of the server was there for 40.0 ms",
         "head-of-line", untouched, [](StoredQuery& query) { query.arrived(is_lost); }},
    Case{"Duplicate", "duplicate-answer", "2 times", "duplicate", untouched,
         [](StoredQuery& query) {
           // The copy is the second of two arrivals with the same bytes.
           auto& packets = query.client.packets;
           packets.erase(packets.end() - 1);
         }},
    Case{"Late", "late-answer", "200.0 ms too late", "late", untouched,
         [](StoredQuery& query) {
           query.lost([](Event event) { return event.from == End::kServer; });
         }},
    Case{"MtuProbe", "pmtu-probe", "IP bytes", "pmtu", untouched,
         [](StoredQuery& query) {
           query.never_sent([](Event event) { return event.packet.payload_bytes > 1200; });
         }},
    Case{"EarlyDataMissing", "early-data-missing", "does not announce any", "stall",
         [](StoredQuery& query) { query.record.early_data.attempted = true; }, untouched},
    Case{"UnpaddedQuery", "unpadded-query", "a query of 39 bytes is not padded", "unpadded",
         untouched, [](StoredQuery& query) {
           query.never_sent(
               [](Event event) { return event.packet.carries(MessageKind::kDnsQuery); });
         }}};

INSTANTIATE_TEST_SUITE_P(Findings, GoldenFinding, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case>& row) {
                           return std::string(row.param.name);
                         });

// The one that no server at hand does: an answer without padding to a padded query.
TEST(Findings, AnUnpaddedAnswerToAPaddedQueryIsNoted) {
  Analysed analysed = StoredQuery("spurious-retry").analyse();
  ASSERT_FALSE(analysed.has("unpadded-answer"));
  for (PacketEvent& event : analysed.exchange.events)
    for (DnsFacts& dns : event.packet.dns)
      if (dns.response) dns.padding.reset();
  const auto findings = find_all(analysed.exchange, {}, {.record = &analysed.record});
  EXPECT_TRUE(std::ranges::contains(findings, "unpadded-answer", &Finding::id));
}

// What is no fault of anybody's must not be called one.
TEST(Findings, ACaptureThatBeginsLateAccusesNobody) {
  StoredQuery query("stall");
  query.never_sent([](Event event) { return event.from == End::kClient && event.ordinal == 1; });
  const Exchange exchange = query.analyse().exchange;
  const auto findings = find_all(exchange, {}, {.two_ended = false});
  EXPECT_FALSE(std::ranges::contains(findings, "amplification-exceeded", &Finding::id));
  // With both ends' captures at hand nothing is excused.
  EXPECT_TRUE(query.analyse().has("amplification-exceeded"));
}

TEST(Findings, TwoAnswersToTwoQuestionsAreNoDuplicates) {
  Analysed analysed = StoredQuery("duplicate").analyse();
  ASSERT_TRUE(analysed.has("duplicate-answer"));
  std::uint16_t id = 0;
  for (PacketEvent& event : analysed.exchange.events) {
    event.extra_copies = 0;
    for (DnsFacts& dns : event.packet.dns) dns.id = ++id;
  }
  const auto findings = find_all(analysed.exchange, {}, {.record = &analysed.record});
  EXPECT_FALSE(std::ranges::contains(findings, "duplicate-answer", &Finding::id));
}

// The bytes that are missing leave after those that wait: nothing was lost or overtaken.
TEST(Findings, AStreamSentOutOfOrderIsNoHeadOfLineWait) {
  StoredQuery query("split");
  for (captures::CapturedPacket& packet : query.server.packets)
    if (&packet - query.server.packets.data() == 1) packet.timestamp_ns += 5'000'000;
  EXPECT_FALSE(query.analyse().has("head-of-line-wait"));
}

TEST(Findings, EveryRuleHasAGoldenCapture) {
  std::set<std::string_view> covered{"unpadded-answer"};
  for (const Case& row : kCases) covered.insert(row.finding);
  for (const FindingRule& rule : finding_rules()) {
    EXPECT_TRUE(covered.contains(rule.id)) << rule.id;
    EXPECT_THAT(std::string(rule.source), testing::StartsWith("RFC "));
  }
  EXPECT_EQ(covered.size(), finding_rules().size());
}

// A capture that was tampered with is noticed before anything is concluded from it.
TEST(Findings, AChangedPacketIsAComplaint) {
  StoredQuery query("stall");
  query.client.packets.at(1).bytes.back() ^= 0x55U;
  const Analysed analysed = query.analyse();
  EXPECT_GT(analysed.account.unaccounted, 0U);
  EXPECT_THAT(analysed.account.complaints,
              testing::Contains(HasSubstr("arrived but was never sent")));
}

TEST(Findings, TheStallSaysWhatWouldAvoidIt) {
  const Analysed analysed = StoredQuery("stall").analyse();
  const Finding* stall = analysed.find("amplification-stall");
  ASSERT_NE(stall, nullptr);
  EXPECT_THAT(stall->text, HasSubstr("1200 bytes of UDP payload had come, so 3600 could go"));
  EXPECT_THAT(stall->text, HasSubstr("post-quantum"));
}

}  // namespace
}  // namespace analysis
