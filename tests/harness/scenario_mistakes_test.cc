#include "harness/server_checks.hh"
#include "tests/harness/scenario_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Mistakes, TenAtOnceEachInItsPlace) {
  const std::string text =
      "name: bad name\n"
      "seed: -1\n"
      "path:\n"
      "  mtu: 100\n"
      "  each_way: { delay: 20, loss: 150% }\n"
      "endpoint:\n"
      "  retri: always\n"
      "  certificate: { chain_bytes: 10 }\n"
      "client:\n"
      "  transports: [doq, dox]\n"
      "  queries: many\n"
      "vary: { path.mtu: [1400, 1500] }\n"
      "expect:\n"
      "  - { cell: doq, metric: p9, within: [1ms, 2ms] }\n";
  EXPECT_THAT(
      mistakes_of(text),
      ElementsAre(
          "x.yaml:1:7: name: found bad name; allowed: letters, digits, '-', '_' and '.', at most "
          "64",
          "x.yaml:2:7: seed: found -1; allowed: a whole number from 0 to 18446744073709551615",
          "x.yaml:4:8: path.mtu: found 100 (too small); allowed: a number of bytes from 1280 to "
          "9000",
          "x.yaml:5:22: path.each_way.delay: found 20; allowed: a duration up to 600s, such as "
          "20ms",
          HasSubstr("x.yaml:5:32: path.each_way.loss: found 150%; allowed: a probability such as"),
          "x.yaml:7:3: endpoint.retri: unknown key; did you mean endpoint.retry?",
          HasSubstr("x.yaml:8:31: endpoint.certificate.chain_bytes: found 10 (too small)"),
          "x.yaml:10:21: client.transports: found dox; allowed: a list of do53, dot, doh2, doh3 or "
          "doq",
          HasSubstr("x.yaml:11:12: client.queries: found many; allowed: a whole number"),
          "x.yaml:12:9: vary: path.mtu cannot vary: all arms share the links of one network",
          "x.yaml:14:26: expect.metric: found p9; did you mean p90? (docs/scenarios.md lists "
          "all)"));
}

struct Row {
  const char* name;
  std::string added;    // to a scenario that is valid without it
  const char* message;  // the only one
};

class Mistake : public testing::TestWithParam<Row> {};

TEST_P(Mistake, IsTheOnlyOne) {
  const std::string text = "name: x\nclient: { transports: [do53, doq], queries: 4 }\n";
  EXPECT_THAT(mistakes_of(text + GetParam().added), ElementsAre(HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    All, Mistake,
    testing::Values(
        Row{"unknown_group", "endpont: { retry: never }\n",
            "endpont: unknown key; did you mean endpoint?"},
        Row{"unknown_and_far", "bananas: 3\n", "bananas: unknown key; allowed here: name, summary"},
        Row{"one_level_up", "path: { loss: 2% }\n", "did you mean path.each_way.loss?"},
        Row{"text_for_mapping", "path: 20ms\n",
            "path: found 20ms; allowed: a mapping with family, mtu, each_way"},
        Row{"nothing", "seed:\n", "seed: found nothing; allowed"},
        Row{"repeated", "seed: 1\nseed: 2\n",
            "x.yaml:4:1: seed: this key is already set at x.yaml:3:1"},
        Row{"dotted_key", "endpoint.retry: always\n", "write it as mappings"},
        Row{"seed_too_large", "seed: 18446744073709551616\n", "seed: found"},
        Row{"negative_delay", "path: { each_way: { delay: -1ms } }\n", "found -1ms"},
        Row{"jitter_beyond_delay", "path: { each_way: { delay: 1ms, jitter: 2ms } }\n",
            "path.each_way.jitter:"},
        Row{"jitter_of_one_way", "path: { server_to_client: { jitter: 2ms } }\n",
            "path.server_to_client.jitter:"},
        Row{"rate_without_unit", "path: { each_way: { rate: 100 } }\n", "a bit rate from 1kbit"},
        Row{"burst_without_r", "path: { each_way: { loss: { model: gilbert-elliott, p: 1% } } }\n",
            "needs model, p and r"},
        Row{"burst_unknown_field",
            "path: { each_way: { loss: { model: gilbert-elliott, p: 1%, r: 2%, q: 3% } } }\n",
            "path.each_way.loss.q: unknown key; allowed: model, p, r, h or k"},
        Row{"unknown_group_name", "endpoint: { key_exchange: [X25519, kyber] }\n", "found kyber"},
        Row{"group_twice", "endpoint: { key_exchange: [X25519, X25519] }\n",
            "X25519 (named twice)"},
        Row{"empty_list", "endpoint: { zone: [] }\n", "endpoint.zone: found []"},
        Row{"bad_address", "endpoint: { zone: [a.lab.test 60 A 1.2.3] }\n",
            "(the data does not fit the type A)"},
        Row{"bad_ttl", "endpoint: { zone: [a.lab.test soon A 1.2.3.4] }\n", "(soon is not a TTL)"},
        Row{"another_server", "endpoint: { server: powerdns }\n",
            "endpoint.server: found powerdns"},
        Row{"vary_unknown", "vary: { endpoint.retrie: [never] }\n", "did you mean endpoint.retry?"},
        Row{"vary_group", "vary: { path.each_way: [1] }\n", "vary: path.each_way is not one value"},
        Row{"vary_name", "vary: { name: [a, b] }\n", "vary: name cannot vary"},
        Row{"vary_seed", "vary: { seed: [1, 2] }\n", "vary: seed cannot vary: arms share it"},
        Row{"vary_no_list", "vary: { endpoint.retry: never }\n", "allowed: a list of values"},
        Row{"vary_bad_value", "vary: { endpoint.retry: [never, sometimes] }\n",
            "x.yaml:3:33: endpoint.retry: found sometimes"},
        Row{"vary_same_twice", "vary: { endpoint.retry: [never, never] }\n",
            "vary: retry=never occurs twice"},
        Row{"set_and_varied",
            "endpoint: { retry: never }\nvary: { endpoint.retry: [never, always] }\n",
            "x.yaml:3:13: endpoint.retry: is varied (x.yaml:4:9)"},
        Row{"claim_unknown_cell", "expect: [{ cell: dot, metric: p50, within: [1ms, 2ms] }]\n",
            "expect.cell: found dot; the cells are do53 or doq"},
        Row{"claim_bounds_swapped", "expect: [{ cell: doq, metric: p50, within: [2ms, 1ms] }]\n",
            "expect.within: found [2ms, 1ms]; allowed: two durations, the lower first"},
        Row{"claim_wrong_unit", "expect: [{ cell: doq, metric: answered, within: [1ms, 2ms] }]\n",
            "allowed: two numbers"},
        Row{"claim_without_metric", "expect: [{ cell: doq, within: [1, 2] }]\n",
            "an entry needs cell, metric and within"},
        Row{"claim_extra", "expect: [{ cell: doq, metric: n, within: [1, 2], why: x }]\n",
            "expect.why: unknown key"},
        Row{"expect_no_list", "expect: 3\n", "allowed: a list of claims"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Mistakes, CombinationsThatCannotBe) {
  EXPECT_THAT(mistakes_of("name: x\nendpoint: { key_exchange: [X25519] }\n"
                          "client: { transports: [doq], queries: 4, key_exchange: [P-256] }\n"),
              ElementsAre("x.yaml:3:56: client.key_exchange: the server has none of these groups, "
                          "only X25519"));
  EXPECT_THAT(mistakes_of("name: x\npath: { family: ipv6 }\n"
                          "client: { transports: [doq], queries: 4, max_udp_payload: 1453 }\n"),
              ElementsAre(HasSubstr("1453 bytes and 48 bytes of IPv6 and UDP headers exceed")));
  EXPECT_THAT(mistakes_of("name: x\nblock_queries: 10000\n"
                          "client: { transports: [do53, dot, doh2, doh3, doq], queries: 10001 }\n"
                          "vary: { endpoint.retry: [never, always] }\n"),
              ElementsAre(HasSubstr("allowed: at most 50000 in all")));
  // Two ports each.
  EXPECT_THAT(mistakes_of("name: x\nblock_queries: 10000\nendpoint: { tickets: 1 }\n"
                          "client: { transports: [dot, doh2, doq], queries: 10000 }\n"
                          "vary: { client.connection: [cold, resumed] }\n"),
              ElementsAre(HasSubstr("allowed: at most 25000 in all")));
}

TEST(Mistakes, ConnectionsThatCannotBeFound) {
  const auto with = [](const std::string& client, const std::string& endpoint) {
    return mistakes_of("name: x\nclient: { queries: 4, " + client + " }\nendpoint: { " + endpoint +
                       " }\n");
  };
  EXPECT_THAT(with("transports: [doq], connection: tepid", "tickets: 1"),
              ElementsAre(HasSubstr("client.connection: found tepid; allowed: cold, warm")));
  EXPECT_THAT(with("transports: [doq], connection: resumed", "retry: never"),
              ElementsAre("x.yaml:2:54: client.connection: resumed needs a session ticket; "
                          "endpoint.tickets is 0"));
  EXPECT_THAT(with("transports: [doq], connection: early-data", "tickets: 1"),
              ElementsAre("x.yaml:2:54: client.connection: early-data needs tickets that allow it; "
                          "endpoint.early_data is none"));
  EXPECT_THAT(with("transports: [do53, dot, doq], connection: migrated", "retry: never"),
              ElementsAre("x.yaml:2:65: client.connection: migrated is for QUIC; a connection of "
                          "dot ends with its port"));
  EXPECT_THAT(with("transports: [doq]", "early_data: accept"),
              ElementsAre("x.yaml:3:25: endpoint.early_data: accept is for sessions that tickets "
                          "resume; endpoint.tickets is 0"));
  EXPECT_THAT(with("transports: [doq]", "tickets: 17"),
              ElementsAre(HasSubstr("endpoint.tickets: found 17 (too large)")));
  EXPECT_THAT(with("transports: [do53, doq], connection: rebound", "retry: never"),
              testing::IsEmpty());
}

TEST(Mistakes, ServersThatCannotBeThat) {
  const auto with = [](const std::string& transports, const std::string& endpoint) {
    return mistakes_of("name: x\nclient: { queries: 4, transports: [" + transports +
                       "] }\nendpoint: { " + endpoint + " }\n");
  };
  EXPECT_THAT(with("doh2", "server: knot"),
              ElementsAre("x.yaml:2:35: client.transports: knot 3.4 with GnuTLS serves no doh2; it "
                          "offers do53, dot or doq"));
  EXPECT_THAT(with("doq", "server: knot, key_exchange: [X25519MLKEM768]"),
              ElementsAre(HasSubstr("endpoint.key_exchange: knot 3.4 with GnuTLS has no "
                                    "X25519MLKEM768; it offers X25519 or P-256")));
  EXPECT_THAT(with("doq", "server: knot, key_exchange: [X25519]"),
              ElementsAre(HasSubstr("takes P-256, too, and cannot be told not to")));
  EXPECT_THAT(with("dot", "server: dnsdist, zone: [a.x 60 A 192.0.2.1, a.x 60 A 192.0.2.2]"),
              ElementsAre(HasSubstr("has one address of a kind for a.x")));
  EXPECT_THAT(with("doq", "server: knot, retry: always"),
              ElementsAre(HasSubstr("endpoint.retry: knot 3.4 with GnuTLS cannot be told")));
  EXPECT_THAT(with("doh3", "server: nginx, tickets: 1, early_data: accept"),
              ElementsAre(HasSubstr("nginx 1.26 with OpenSSL takes no early data over doh3")));
  EXPECT_THAT(with("dot", "server: unbound, answer_bytes: 400"),
              ElementsAre(HasSubstr("endpoint.answer_bytes: unbound 1.26 with OpenSSL answers")));
  EXPECT_THAT(with("dot", "server: bind, udp_limit: 512"),
              ElementsAre(HasSubstr("endpoint.udp_limit: bind 9.20 with OpenSSL keeps to 1232")));
  EXPECT_THAT(with("dot", "server: dnsdist, zone: [t.lab.test 60 TXT x]"),
              ElementsAre(HasSubstr("endpoint.zone: dnsdist 2.1 with OpenSSL answers with "
                                    "addresses only")));
  EXPECT_THAT(with("dot", "server: unbund"),
              ElementsAre(HasSubstr("endpoint.server: found unbund; allowed: labdns, unbound,")));
  EXPECT_THAT(with("do53, dot, doq", "server: knot"), testing::IsEmpty());
}

TEST(Mistakes, ClientsThatCannotBeToldThat) {
  const auto with = [](const std::string& client) {
    return mistakes_of("name: x\nendpoint: { tickets: 1 }\nclient: { queries: 4, " + client +
                       " }\n");
  };
  EXPECT_THAT(with("transports: [doq], program: dig"),
              ElementsAre("x.yaml:3:35: client.transports: dig 9.20 with OpenSSL asks over do53, "
                          "dot or doh2; not doq"));
  EXPECT_THAT(with("transports: [dot], program: dig, connection: resumed"),
              ElementsAre(HasSubstr("client.connection: dig 9.20 with OpenSSL asks cold only")));
  EXPECT_THAT(with("transports: [dot], program: kdig, key_exchange: [X25519]"),
              ElementsAre(HasSubstr("client.key_exchange: kdig 3.4 with GnuTLS cannot be told its "
                                    "groups; it offers X25519, P-256, P-384 or P-521")));
  EXPECT_THAT(with("transports: [dot], program: kdig, timeout: 1500ms"),
              ElementsAre(HasSubstr("client.timeout: kdig 3.4 with GnuTLS counts its timeout in "
                                    "whole seconds")));
  EXPECT_THAT(with("transports: [doh3], program: curl, initial_rtt: 100ms"),
              ElementsAre(HasSubstr("client.initial_rtt: curl 8.21 with OpenSSL cannot be told")));
  EXPECT_THAT(with("transports: [doh3], program: curl, pmtud: true"),
              ElementsAre(HasSubstr("client.pmtud: curl 8.21 with OpenSSL cannot be told")));
  EXPECT_THAT(with("transports: [dot], program: delv"),
              ElementsAre(HasSubstr("client.program: found delv; allowed: labquery, kdig, curl or "
                                    "dig")));
  EXPECT_THAT(with("transports: [do53, dot, doh2, doq], program: kdig"), testing::IsEmpty());
  EXPECT_THAT(with("transports: [doh2, doh3], program: curl, key_exchange: [X25519]"),
              testing::IsEmpty());
}

// The check of its own, whatever those of records let through.
TEST(Mistakes, ServersAreToldPlainNamesOnly) {
  EndpointSettings endpoint;
  endpoint.server = "unbound";
  endpoint.key_exchange = usual_groups(endpoint.server);
  endpoint.udp_limit.bytes = 1232;
  constexpr std::array kDot{Transport::kDot};
  endpoint.zone = {"a.lab.test 60 A 192.0.2.1", "t.lab.test 60 TXT \"it's; {fine}\""};
  EXPECT_TRUE(problems_of(endpoint, kDot).empty());
  endpoint.zone = {R"(a\;b.lab.test 60 A 192.0.2.1)"};
  const auto problems = problems_of(endpoint, kDot);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems.front().text, HasSubstr("is told no names but of letters"));
}

// No text of a scenario reaches a configuration as anything but a name or a value.
TEST(Mistakes, NothingIsSmuggledIntoAConfiguration) {
  const auto with = [](const std::string& server, const std::string& record) {
    return mistakes_of("name: x\nclient: { queries: 4, transports: [dot] }\nendpoint:\n  server: " +
                       server + "\n  zone:\n    - \"" + record + "\"\n");
  };
  for (const char* server : {"unbound", "bind", "knot", "nginx"}) {
    EXPECT_THAT(with(server, R"(a\"b.lab.test 60 A 192.0.2.1)"), Not(testing::IsEmpty())) << server;
    EXPECT_THAT(with(server, R"(a{b.lab.test 60 A 192.0.2.1)"), Not(testing::IsEmpty())) << server;
    EXPECT_THAT(with(server, R"(a;b.lab.test 60 A 192.0.2.1)"), Not(testing::IsEmpty())) << server;
    EXPECT_THAT(with(server, R"(a.lab.test 60 CNAME b'c.lab.test)"), Not(testing::IsEmpty()))
        << server;
    EXPECT_THAT(with(server, R"(a.lab.test 60 A 192.0.2.1\n  local-data: x)"),
                Not(testing::IsEmpty()))
        << server;
  }
  for (const char* server : {"/usr/sbin/unbound", "unbound@/tmp", "../unbound", "labdns;true"})
    EXPECT_THAT(with(server, "a.lab.test 60 A 192.0.2.1"), Not(testing::IsEmpty())) << server;
}

TEST(Mistakes, WhatIsMissingIsSaid) {
  EXPECT_THAT(mistakes_of("summary: nothing else\n"),
              ElementsAre(HasSubstr("x.yaml: client.queries: missing"),
                          HasSubstr("x.yaml: client.transports: missing"),
                          HasSubstr("x.yaml: name: missing")));
}

TEST(Mistakes, OptionsNameThemselves) {
  const auto with = [](std::string option) {
    return mistakes_of(kSmall, {.assignments = {std::move(option)}, .blocks = {}});
  };
  EXPECT_THAT(with("client.querys=3"),
              ElementsAre("--set: client.querys: unknown key; did you mean client.queries?"));
  EXPECT_THAT(with("client.queries=0"), ElementsAre(HasSubstr("--set: client.queries: found 0")));
  EXPECT_THAT(with("client.queries"), ElementsAre(HasSubstr("allowed: key=value")));
  EXPECT_THAT(with("client.queries="), ElementsAre(HasSubstr("found nothing")));
  EXPECT_THAT(with("client.queries=[1"), ElementsAre(HasSubstr("--set client.queries:1:")));
  EXPECT_THAT(mistakes_of(kSmall, {.assignments = {}, .blocks = 5}),
              ElementsAre(HasSubstr("--blocks: found 5; allowed: from 1 to 10000")));
}

TEST(Mistakes, TooManyArms) {
  std::string text = std::string(kSmall) + "vary:\n  client.initial_rtt: [";
  for (int i = 1; i <= 65; ++i) text += std::to_string(i) + "ms, ";
  EXPECT_THAT(mistakes_of(text + "70ms]\n"), ElementsAre(HasSubstr("more than 64 arms")));
}

}  // namespace
}  // namespace harness
