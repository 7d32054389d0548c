#include "harness/rule_counter.hh"

#include "tests/harness/scenario_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace harness {
namespace {

using analysis::End;
using analysis::Meaning;
using analysis::MeaningPart;
using analysis::PacketMeaning;
using testing::ElementsAre;

std::vector<GateRule> rules(const std::string& list) {
  return parse_scenario(
             "name: x\nclient: { transports: [do53, dot, doq], queries: 1 }\ngate: " + list + "\n",
             "x.yaml")
      .arms.at(0)
      .settings.gate.rules;
}

PacketMeaning packet(std::vector<Meaning> is) {
  PacketMeaning meaning;
  for (const Meaning one : is) {
    meaning.is.set(static_cast<std::size_t>(one));
    if (is_message(one)) meaning.parts.push_back({.meaning = one, .first = true, .last = true});
  }
  return meaning;
}

PacketMeaning parts(Meaning message, std::vector<std::pair<bool, bool>> first_and_last) {
  PacketMeaning meaning;
  meaning.is.set(static_cast<std::size_t>(message));
  for (const auto& [first, last] : first_and_last)
    meaning.parts.push_back({.meaning = message, .first = first, .last = last});
  return meaning;
}

// One query: packets in the order in which they come, with the gate's answer in a letter each: "."
// for what simply passed, otherwise the place of the deciding rule.
class Query {
 public:
  explicit Query(const std::string& list) : rules_(rules(list)), matcher_(rules_) {}
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& client(const PacketMeaning& meaning) { return judge(End::kClient, ++client_, meaning); }
  Query& server(const PacketMeaning& meaning) { return judge(End::kServer, ++server_, meaning); }
  const std::string& verdicts() const { return verdicts_; }
  std::vector<std::uint64_t> matches() const {
    return {matcher_.matches().begin(), matcher_.matches().end()};
  }

 private:
  Query& judge(End from, std::uint64_t ordinal, const PacketMeaning& meaning) {
    const GateRule* rule = matcher_.judge(from, ordinal, meaning);
    verdicts_ += rule == nullptr ? '.' : static_cast<char>('0' + (rule - rules_.data()));
    return *this;
  }

  std::vector<GateRule> rules_;
  RuleMatcher matcher_;
  std::uint64_t client_ = 0;
  std::uint64_t server_ = 0;
  std::string verdicts_;
};

struct CountingRow {
  const char* name;
  const char* rule;
  const char* verdicts;  // of six client packets with a DNS query, the fourth without
};

class Counting : public testing::TestWithParam<CountingRow> {};

TEST_P(Counting, TakesWhatItSays) {
  Query query("[drop: { from: client, " + std::string(GetParam().rule) + " }]");
  for (int i = 1; i <= 6; ++i) {
    query.server(packet({Meaning::kDnsAnswer}));  // of the other end: neither taken nor counted
    query.client(packet({i == 4 ? Meaning::kRst : Meaning::kDnsQuery}));
  }
  std::string of_client;
  for (std::size_t i = 1; i < query.verdicts().size(); i += 2) of_client += query.verdicts()[i];
  EXPECT_EQ(of_client, GetParam().verdicts);
}

INSTANTIATE_TEST_SUITE_P(
    All, Counting,
    testing::Values(CountingRow{"first", "is: dns-query", "0....."},
                    CountingRow{"nth", "is: dns-query, nth: 4", "....0."},
                    CountingRow{"times", "is: dns-query, times: 4", "000.0."},
                    CountingRow{"nth_and_times", "is: dns-query, nth: 2, times: 2", ".00..."},
                    CountingRow{"all", "is: dns-query, times: all", "000.00"},
                    CountingRow{"all_from_nth", "is: dns-query, nth: 3, times: all", "..0.00"},
                    CountingRow{"beyond", "is: dns-query, nth: 6", "......"},
                    CountingRow{"any_packet", "nth: 4", "...0.."},
                    CountingRow{"any_packet_all", "times: all", "000000"},
                    CountingRow{"ordinal", "ordinal: 5", "....0."},
                    CountingRow{"all_names_must_hold", "is: [tcp-data, dns-query]", "......"}),
    [](const auto& row) { return std::string(row.param.name); });

struct PartRow {
  const char* name;
  std::vector<std::pair<bool, bool>> carried;  // first and last of each part in the packet
  const char* fitting;                         // among first, last, middle, whole
};

class Parts : public testing::TestWithParam<PartRow> {};

TEST_P(Parts, FitWhatTheyAre) {
  std::string fitting;
  for (const char* part : {"first", "last", "middle", "whole"}) {
    Query query("[drop: { from: client, is: tls-client-hello, part: " + std::string(part) + " }]");
    query.client(parts(Meaning::kClientHello, GetParam().carried));
    if (query.verdicts() == "0") fitting += fitting.empty() ? part : std::string(" ") + part;
  }
  EXPECT_EQ(fitting, GetParam().fitting);
}

INSTANTIATE_TEST_SUITE_P(
    All, Parts,
    testing::Values(
        PartRow{"beginning", {{true, false}}, "first"}, PartRow{"end", {{false, true}}, "last"},
        PartRow{"middle", {{false, false}}, "middle"},
        PartRow{"whole", {{true, true}}, "first last whole"},
        PartRow{"both_ends_without_the_middle", {{true, false}, {false, true}}, "first last"},
        PartRow{"two_pieces_of_the_end", {{false, false}, {false, true}}, "last"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(RuleMatcher, LooksAtThePartsOfItsOwnMessage) {
  Query query("[drop: { from: server, is: [quic-initial, tls-server-hello], part: last }]");
  PacketMeaning both = parts(Meaning::kServerHello, {{true, false}});
  both.is.set(static_cast<std::size_t>(Meaning::kQuicInitial));
  both.is.set(static_cast<std::size_t>(Meaning::kEncryptedExtensions));
  both.parts.push_back({.meaning = Meaning::kEncryptedExtensions, .first = true, .last = true});
  query.server(both);
  both.parts.front() = {.meaning = Meaning::kServerHello, .first = false, .last = true};
  query.server(both);
  EXPECT_EQ(query.verdicts(), ".0");
}

TEST(RuleMatcher, TheFirstRuleDecidesAndAllCount) {
  Query query(
      "[drop: { from: client, is: syn, nth: 2 }, duplicate: { from: client, times: 2 },"
      " delay: { from: client, ordinal: 2, by: 1ms }, drop: { from: client, is: syn, nth: 3 }]");
  for (int i = 0; i < 4; ++i) query.client(packet({Meaning::kSyn}));
  EXPECT_EQ(query.verdicts(), "103.");
  EXPECT_THAT(query.matches(), ElementsAre(1U, 2U, 1U, 1U));
}

TEST(RuleMatcher, AfterWaitsForWhatPassed) {
  Query query("[drop: { from: client, after: syn-ack, nth: 1 }]");
  query.client(packet({Meaning::kSyn})).server(packet({Meaning::kSynAck}));
  query.client(packet({Meaning::kTcpAck})).client(packet({Meaning::kTcpData}));
  EXPECT_EQ(query.verdicts(), "..0.");
}

TEST(RuleMatcher, AfterOfTheSameEndBeginsWithTheNextPacket) {
  Query query("[drop: { from: client, is: syn, after: syn }]");
  for (int i = 0; i < 3; ++i) query.client(packet({Meaning::kSyn}));
  EXPECT_EQ(query.verdicts(), ".0.");
}

TEST(RuleMatcher, WhatIsDroppedHasNotPassed) {
  Query query("[drop: { from: server, is: syn-ack }, duplicate: { from: client, after: syn-ack }]");
  query.server(packet({Meaning::kSynAck})).client(packet({Meaning::kSyn}));
  query.server(packet({Meaning::kSynAck})).client(packet({Meaning::kTcpAck}));
  EXPECT_EQ(query.verdicts(), "0..1");
}

TEST(RuleMatcher, WhatIsDelayedDoubledOrReorderedPasses) {
  for (const char* verdict : {"delay: { by: 1ms,", "duplicate: {", "reorder: {"}) {
    Query query("[" + std::string(verdict) +
                " from: server, is: syn-ack }, drop: { from: client, after: syn-ack }]");
    query.server(packet({Meaning::kSynAck})).client(packet({Meaning::kTcpAck}));
    EXPECT_EQ(query.verdicts(), "01") << verdict;
  }
}

TEST(RuleMatcher, TheHandshakeIsCompleteWithTheFinishedOfTheClient) {
  Query query(
      "[drop: { from: client, is: tls-finished, nth: 1 },"
      " drop: { from: server, after: handshake-complete, times: all }]");
  query.server(packet({Meaning::kFinished})).server(packet({Meaning::kDnsAnswer}));
  query.client(packet({Meaning::kFinished})).server(packet({Meaning::kDnsAnswer}));
  EXPECT_EQ(query.verdicts(), "..0.") << "neither the server's nor one that was dropped";
  query.client(packet({Meaning::kQuicHandshake, Meaning::kFinished}));
  query.server(packet({Meaning::kDnsAnswer})).client(packet({Meaning::kRst}));
  EXPECT_EQ(query.verdicts(), "..0..1.");
}

TEST(RuleMatcher, WithoutRulesEverythingPasses) {
  RuleMatcher matcher({});
  EXPECT_EQ(matcher.judge(End::kClient, 1, packet({Meaning::kSyn})), nullptr);
  EXPECT_TRUE(matcher.matches().empty());
}

}  // namespace
}  // namespace harness
