#include "tests/harness/scenario_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> mistakes_with(const std::string& transports, const std::string& gate) {
  return mistakes_of("name: x\nclient: { transports: [" + transports + "], queries: 4 }\n" + gate);
}

struct GateRow {
  const char* name;
  std::string rule;
  const char* message;  // the only one
};

class GateMistake : public testing::TestWithParam<GateRow> {};

TEST_P(GateMistake, IsTheOnlyOne) {
  EXPECT_THAT(mistakes_with("do53, dot, doq", "gate:\n  - " + GetParam().rule + "\n"),
              ElementsAre(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Shape, GateMistake,
    testing::Values(
        GateRow{"no_rule", "drop",
                "x.yaml:4:5: gate: found drop; allowed: pass, off, or a list of rules such as "
                "drop: { from: server, is: quic-initial, nth: 2 }"},
        GateRow{"unknown_verdict", "dorp: { from: client }",
                "x.yaml:4:5: gate: unknown verdict dorp; did you mean drop?"},
        GateRow{"far_verdict", "mangle: { from: client }",
                "x.yaml:4:5: gate: unknown verdict mangle; allowed: drop, delay, duplicate or "
                "reorder"},
        GateRow{"no_fields", "drop: client",
                "x.yaml:4:11: gate.drop: found client; allowed: fields such as { from: server, "
                "is: quic-initial }"},
        GateRow{
            "indented_too_little", "drop:\n    from: client",
            "x.yaml:4:5: gate: found drop and from side by side; a rule is one verdict with its "
            "fields below it, such as drop: { from: server, is: quic-initial }"},
        GateRow{"unknown_field", "drop: { from: client, form: server }",
                "x.yaml:4:27: gate.drop: unknown field form; did you mean from?"},
        GateRow{"far_field", "drop: { from: client, bananas: 3 }",
                "x.yaml:4:27: gate.drop: unknown field bananas; allowed: from, is, part, after, "
                "ordinal, nth, times, by or behind"},
        GateRow{"without_from", "drop: { is: syn }",
                "x.yaml:4:5: gate.drop: from is missing; allowed: client or server"},
        GateRow{"unknown_end", "drop: { from: router }",
                "x.yaml:4:19: gate.drop.from: found router; allowed: client or server"},
        GateRow{"nth_zero", "drop: { from: client, nth: 0 }",
                "x.yaml:4:32: gate.drop.nth: found 0 (too small); allowed: a whole number from 1 "
                "to 1000000"},
        GateRow{"times_every", "drop: { from: client, times: every }",
                "x.yaml:4:34: gate.drop.times: found every; allowed: a whole number from 1 to "
                "1000000, or all"},
        GateRow{"ordinal_zero", "drop: { from: client, ordinal: 0 }",
                "x.yaml:4:36: gate.drop.ordinal: found 0 (too small); allowed: a whole number from "
                "1 to 1000000"},
        GateRow{"delay_without_by", "delay: { from: client }",
                "x.yaml:4:5: gate.delay: by is missing; allowed: a duration above 0 and up to 60s, "
                "such as 2ms"},
        GateRow{"delay_by_nothing", "delay: { from: client, by: 0ms }",
                "x.yaml:4:32: gate.delay.by: found 0ms (too small); allowed: a duration above 0 "
                "and up to 60s, such as 2ms"},
        GateRow{"delay_too_long", "delay: { from: client, by: 61s }",
                "x.yaml:4:32: gate.delay.by: found 61s (too large); allowed: a duration above 0 "
                "and up to 60s, such as 2ms"},
        GateRow{"drop_by", "drop: { from: client, by: 2ms }",
                "x.yaml:4:27: gate.drop: only delay has by"},
        GateRow{"drop_behind", "drop: { from: client, behind: 2 }",
                "x.yaml:4:27: gate.drop: only reorder has behind"},
        GateRow{"too_far_behind", "reorder: { from: client, behind: 101 }",
                "x.yaml:4:38: gate.reorder.behind: found 101 (too large); allowed: a number of "
                "packets from 1 to 100"}),
    [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Names, GateMistake,
    testing::Values(
        GateRow{"unknown_name", "drop: { from: client, is: quic-intial }",
                "x.yaml:4:31: gate.drop.is: found quic-intial; did you mean quic-initial?"},
        GateRow{"named_twice", "drop: { from: client, is: [syn, syn] }",
                "x.yaml:4:37: gate.drop.is: found syn (named twice); allowed: a name or a list of "
                "names, all of which must fit, such as quic-initial"},
        GateRow{"client_syn_ack", "drop: { from: client, is: syn-ack }",
                "x.yaml:4:31: gate.drop.is: the client never sends syn-ack"},
        GateRow{"client_retry", "drop: { from: client, is: quic-retry }",
                "x.yaml:4:31: gate.drop.is: the client never sends quic-retry"},
        GateRow{"client_certificate", "drop: { from: client, is: [tcp-data, tls-certificate] }",
                "x.yaml:4:42: gate.drop.is: the client never sends tls-certificate"},
        GateRow{"client_answer", "drop: { from: client, is: dns-answer }",
                "x.yaml:4:31: gate.drop.is: the client never sends dns-answer"},
        GateRow{"server_syn", "drop: { from: server, is: syn }",
                "x.yaml:4:31: gate.drop.is: the server never sends syn"},
        GateRow{"server_client_hello", "drop: { from: server, is: tls-client-hello }",
                "x.yaml:4:31: gate.drop.is: the server never sends tls-client-hello"},
        GateRow{"server_query", "drop: { is: dns-query, from: server }",
                "x.yaml:4:17: gate.drop.is: the server never sends dns-query"},
        GateRow{"both_carriers", "drop: { from: client, is: [tcp-data, quic-initial] }",
                "x.yaml:4:42: gate.drop.is: no packet is both tcp-data and quic-initial"},
        GateRow{"alone", "drop: { from: client, is: [tls-client-hello, syn] }",
                "x.yaml:4:50: gate.drop.is: no packet is both tls-client-hello and syn"},
        GateRow{"acknowledgement_with_message",
                "drop: { from: server, is: [quic-ack, dns-answer] }",
                "x.yaml:4:42: gate.drop.is: no packet is both quic-ack and dns-answer"},
        GateRow{"early_data", "drop: { from: client, is: quic-0rtt }",
                "x.yaml:4:5: gate.drop: quic-0rtt never comes: client.connection is cold, not "
                "early-data"},
        GateRow{"version_negotiation", "drop: { from: server, is: quic-version-negotiation }",
                "x.yaml:4:31: gate.drop.is: quic-version-negotiation never happens: both ends "
                "speak QUIC version 1"},
        GateRow{"after_unknown", "drop: { from: client, after: handshake-completed }",
                "x.yaml:4:34: gate.drop.after: found handshake-completed; did you mean "
                "handshake-complete?"},
        GateRow{"after_never", "drop: { from: client, after: quic-version-negotiation }",
                "x.yaml:4:34: gate.drop.after: quic-version-negotiation never happens: both ends "
                "speak QUIC version 1"},
        GateRow{"part_unknown", "drop: { from: client, is: dns-query, part: end }",
                "x.yaml:4:48: gate.drop.part: found end; allowed: first, last, middle or whole"},
        GateRow{"part_of_nothing", "drop: { from: client, part: last }",
                "x.yaml:4:27: gate.drop.part: of no message: is must have one, such as "
                "tls-client-hello or dns-answer"},
        GateRow{"part_of_a_packet", "drop: { from: client, is: quic-initial, part: last }",
                "x.yaml:4:45: gate.drop.part: of no message: is must have one, such as "
                "tls-client-hello or dns-answer"},
        GateRow{"part_of_several",
                "drop: { from: server, is: [tls-server-hello, tls-certificate], part: last }",
                "x.yaml:4:68: gate.drop.part: of several messages: is must have no more than one"},
        GateRow{"ordinal_with_nth", "drop: { from: client, ordinal: 1, nth: 2 }",
                "x.yaml:4:39: gate.drop: nth does not go with ordinal, which names one packet"},
        GateRow{"ordinal_with_name", "drop: { from: client, ordinal: 1, is: syn }",
                "x.yaml:4:39: gate.drop: is does not go with ordinal, which names one packet"},
        GateRow{"one_query_has_not_both", "drop: { from: client, is: syn, after: quic-initial }",
                "x.yaml:4:5: gate.drop: takes no packet: no query over do53, dot or doq has syn "
                "and quic-initial"},
        GateRow{"repeated_key", "drop: { from: client, from: server }",
                "x.yaml:4:27: from: this key is already set at x.yaml:4:13"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(GateMistakes, WhatTheConnectionLeavesNoneOf) {
  const auto with = [](const std::string& client, const std::string& rule) {
    return mistakes_of(
        "name: x\nendpoint: { tickets: 1, early_data: accept }\nclient: { queries: 4, " + client +
        " }\ngate:\n  - drop: { from: client, " + rule + " }\n");
  };
  EXPECT_THAT(with("transports: [doq], connection: early-data", "is: quic-0rtt"), IsEmpty());
  EXPECT_THAT(with("transports: [doq], connection: resumed", "is: quic-0rtt"),
              ElementsAre(HasSubstr("quic-0rtt never comes: client.connection is resumed")));
  EXPECT_THAT(with("transports: [dot], connection: warm", "is: syn"),
              ElementsAre("x.yaml:5:5: gate.drop: syn never comes: client.connection is warm, so "
                          "the handshake was before"));
  EXPECT_THAT(with("transports: [doq], connection: migrated", "after: handshake-complete"),
              ElementsAre(HasSubstr("tls-finished never comes")));
  EXPECT_THAT(with("transports: [doq], connection: migrated", "is: dns-query"), IsEmpty());
  // Do53 may turn to TCP.
  EXPECT_THAT(with("transports: [do53, dot], connection: warm", "is: syn"), IsEmpty());
}

TEST(GateMistakes, ValuesThatAreNoGate) {
  EXPECT_THAT(mistakes_with("doq", "gate: maybe\n"),
              ElementsAre(HasSubstr("x.yaml:3:7: gate: found maybe; allowed: pass, off, or")));
  EXPECT_THAT(mistakes_with("doq", "gate:\n"), ElementsAre(HasSubstr("gate: found nothing")));
  EXPECT_THAT(mistakes_with("doq", "gate: {}\n"), ElementsAre(HasSubstr("gate: found {}")));
  EXPECT_THAT(mistakes_with("doq", "gates: off\n"), ElementsAre(HasSubstr("did you mean gate?")));
  EXPECT_THAT(mistakes_of(kSmall, {.assignments = {"gate=[dorp: { from: client }]"}, .blocks = {}}),
              ElementsAre("--set: gate: unknown verdict dorp; did you mean drop?"));
}

TEST(GateMistakes, AllAtOnceEachInItsPlace) {
  EXPECT_THAT(mistakes_with("do53",
                            "gate:\n"
                            "  - drop: { from: clinet, is: quic-intial, nth: 0 }\n"
                            "  - drop: { from: client, is: quic-initial }\n"
                            "  - delay: { from: server }\n"),
              ElementsAre(HasSubstr("x.yaml:4:19: gate.drop.from: found clinet"),
                          HasSubstr("x.yaml:4:31: gate.drop.is: found quic-intial"),
                          HasSubstr("x.yaml:4:49: gate.drop.nth: found 0"),
                          HasSubstr("x.yaml:5:5: gate.drop: quic-initial never comes"),
                          HasSubstr("x.yaml:6:5: gate.delay: by is missing")));
}

TEST(GateMistakes, TheSamePacketsTwice) {
  const auto both = [](const char* one, const char* other) {
    return mistakes_with("do53, dot, doq", std::string("gate:\n  - ") + one + "\n  - " + other);
  };
  constexpr const char* kMessage =
      "takes the same packets as the rule at x.yaml:4:5, which decides first";
  EXPECT_THAT(both("drop: { from: client, is: syn }", "delay: { from: client, is: syn, by: 2ms }"),
              ElementsAre(std::string("x.yaml:5:5: gate: ") + kMessage));
  EXPECT_THAT(both("drop: { from: server, is: [tls-finished, quic-handshake] }",
                   "drop: { from: server, is: [quic-handshake, tls-finished], nth: 1 }"),
              ElementsAre(HasSubstr(kMessage)));
  EXPECT_THAT(both("drop: { from: client, ordinal: 2 }", "drop: { from: client, nth: 2 }"),
              ElementsAre(HasSubstr(kMessage)));
  EXPECT_THAT(both("drop: { from: client, is: syn }", "drop: { from: client, is: syn, nth: 2 }"),
              IsEmpty());
}

TEST(GateMistakes, TooManyRules) {
  std::string gate = "gate:\n";
  for (int i = 1; i <= 101; ++i)
    gate += "  - drop: { from: client, ordinal: " + std::to_string(i) + " }\n";
  EXPECT_THAT(mistakes_with("doq", gate),
              ElementsAre("x.yaml:104:5: gate: 101 rules; allowed: at most 100"));
}

struct TransportRow {
  const char* name;
  const char* transports;
  const char* fields;
  const char* message;  // empty: some packet may fit
};

class GateTransports : public testing::TestWithParam<TransportRow> {};

TEST_P(GateTransports, DecideWhatCanCome) {
  const auto found = mistakes_with(GetParam().transports,
                                   "gate: [drop: { " + std::string(GetParam().fields) + " }]\n");
  const std::string message = GetParam().message;
  if (message.empty()) {
    EXPECT_THAT(found, IsEmpty());
  } else {
    EXPECT_THAT(found, ElementsAre("x.yaml:3:8: gate.drop: " + message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, GateTransports,
    testing::Values(
        TransportRow{"quic_over_tcp", "do53, dot, doh2", "from: client, is: quic-initial",
                     "quic-initial never comes: no query over do53, dot or doh2 uses QUIC"},
        TransportRow{"tcp_over_quic", "doq, doh3", "from: client, is: syn",
                     "syn never comes: no query over doq or doh3 uses TCP"},
        TransportRow{"tls_over_do53", "do53", "from: client, is: tls-client-hello",
                     "tls-client-hello never comes: no query over do53 uses TLS"},
        TransportRow{"handshake_over_do53", "do53", "from: server, after: handshake-complete",
                     "handshake-complete never comes: no query over do53 uses TLS"},
        TransportRow{"after_over_do53", "do53", "from: server, after: quic-retry",
                     "quic-retry never comes: no query over do53 uses QUIC"},
        TransportRow{"tcp_and_tls_apart", "do53, doq",
                     "from: client, is: [tcp-data, tls-client-hello]",
                     "takes no packet: no query over do53 or doq has tcp-data and "
                     "tls-client-hello"},
        TransportRow{"do53_falls_back", "do53", "from: client, is: syn", ""},
        TransportRow{"retry_comes_unasked_for", "doq", "from: server, is: quic-retry", ""},
        TransportRow{"tickets_come", "dot", "from: server, is: tls-new-session-ticket", ""},
        TransportRow{"icmp", "do53", "from: server, is: icmp", ""},
        TransportRow{"dns_anywhere", "doh3", "from: server, is: dns-answer", ""},
        TransportRow{"one_of_them", "do53, doq", "from: client, is: quic-initial", ""},
        TransportRow{"tls_over_quic", "doq", "from: client, is: [quic-initial, tls-client-hello]",
                     ""}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(GateMistakes, EveryArmIsChecked) {
  EXPECT_THAT(mistakes_with("do53",
                            "vary:\n  gate:\n"
                            "    - drop: { from: client, is: quic-initial }\n"
                            "    - drop: { from: client, is: tls-client-hello }\n"),
              ElementsAre(HasSubstr("x.yaml:5:7: gate.drop: quic-initial never comes"),
                          HasSubstr("x.yaml:6:7: gate.drop: tls-client-hello never comes")));
  EXPECT_THAT(mistakes_with("doq",
                            "vary:\n  gate:\n"
                            "    - drop: { from: client }\n"
                            "    - drop: { from: client }\n"),
              ElementsAre(HasSubstr("vary: gate=drop+client occurs twice among the arms")));
  EXPECT_THAT(mistakes_with("dox", "gate: [drop: { from: client, is: quic-initial }]\n"),
              ElementsAre(HasSubstr("client.transports: found dox")));
}

}  // namespace
}  // namespace harness
