#include "endpoints/command_line.hh"

#include "base/errors.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

namespace endpoints {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

struct Parsed {
  std::expected<ServerSpec, int> spec;
  std::string out;
  std::string error;
};

Parsed parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "labdns");
  std::ostringstream out;
  std::ostringstream error;
  auto spec = parse_command_line(static_cast<int>(arguments.size()), arguments.data(), out, error);
  return {.spec = std::move(spec), .out = out.str(), .error = error.str()};
}

TEST(CommandLine, ServesEverythingByDefault) {
  const ServerSpec spec = parse({}).spec.value();
  EXPECT_THAT(spec.addresses, ElementsAre("127.0.0.1"));
  EXPECT_THAT(spec.listeners, testing::ElementsAreArray(kProtocols));
  EXPECT_THAT(spec.groups, ElementsAre("X25519MLKEM768", "X25519"));
  ASSERT_THAT(spec.records, SizeIs(1));
  EXPECT_EQ(spec.records.front().name, "a.lab.test");
  EXPECT_EQ(spec.initial_rtt, 333ms);
  EXPECT_EQ(spec.retry, transport::RetryPolicy::kNever);
}

TEST(CommandLine, TakesWhatALabRunNeeds) {
  const ServerSpec spec = parse({"--address",      "198.51.100.53",
                                 "--address",      "2001:db8:53::53",
                                 "--transports",   "dot,doq",
                                 "--port-quic",    "8853",
                                 "--chain-bytes",  "3900",
                                 "--key",          "rsa-2048",
                                 "--groups",       "X25519",
                                 "--retry",        "always",
                                 "--answer-bytes", "118",
                                 "--udp-limit",    "4096",
                                 "--padding",      "none",
                                 "--initial-rtt",  "100ms",
                                 "--record",       "a.x 1 A 192.0.2.9",
                                 "--record",       "b.x 1 AAAA ::1",
                                 "--ready-fd",     "3",
                                 "--keylog-fd",    "4"})
                              .spec.value();
  EXPECT_THAT(spec.addresses, ElementsAre("198.51.100.53", "2001:db8:53::53"));
  EXPECT_THAT(spec.listeners, ElementsAre(ProtocolSpec{Protocol::kDot, "dot", 853},
                                          ProtocolSpec{Protocol::kDoq, "doq", 8853}));
  EXPECT_EQ(spec.chain.chain_bytes, 3900U);
  EXPECT_EQ(spec.chain.key, KeyType::kRsa2048);
  EXPECT_THAT(spec.groups, ElementsAre("X25519"));
  EXPECT_EQ(spec.retry, transport::RetryPolicy::kAlways);
  EXPECT_EQ(spec.answers.answer_bytes, 118U);
  EXPECT_EQ(spec.answers.udp_limit, 4096U);
  EXPECT_FALSE(spec.answers.padding);
  EXPECT_EQ(spec.initial_rtt, 100ms);
  EXPECT_THAT(spec.records, SizeIs(2));
  EXPECT_EQ(spec.ready_descriptor, 3);
  EXPECT_EQ(spec.keylog_descriptor, 4);
}

TEST(CommandLine, LeavesOutPortZeroAndAddsTheOffset) {
  const ServerSpec spec =
      parse({"--port-dns", "0", "--port-offset", "8000", "--transports", "do53,doh2"}).spec.value();
  EXPECT_THAT(spec.listeners, ElementsAre(ProtocolSpec{Protocol::kDoh2, "doh2", 8443}));
}

TEST(CommandLine, SaysWhatIsWrong) {
  struct Row {
    std::vector<const char*> arguments;
    const char* complaint;
  };
  for (const Row& row : {
           Row{{"--transports", "dox"}, "dox"},
           Row{{"--transports", "do53", "--port-dns", "0"}, "nothing is left to serve"},
           Row{{"--port-dns", "65536"}, "--port-dns"},
           Row{{"--port-offset", "65000"}, "would listen on port"},
           Row{{"--record", "a.lab.test 60 A 192.0.2.256"}, "--record"},
           Row{{"--retry", "sometimes"}, "--retry"},
           Row{{"--key", "dsa"}, "--key"},
           Row{{"--initial-rtt", "333"}, "is not a duration"},
           Row{{"--idle-timeout", "2h"}, "up to an hour"},
           Row{{"--max-udp-payload", "1199"}, "1199"},
           Row{{"--certificate", "x.pem"}, "--private-key"},
           Row{{"--certificate", "x.pem", "--private-key", "k.pem", "--chain-bytes", "3900"},
               "says how to make"},
           Row{{"--unknown"}, "--unknown"},
       }) {
    SCOPED_TRACE(row.complaint);
    const Parsed parsed = parse(row.arguments);
    ASSERT_FALSE(parsed.spec.has_value());
    EXPECT_EQ(parsed.spec.error(), base::kExitBadInput);
    EXPECT_THAT(parsed.error, HasSubstr(row.complaint));
    EXPECT_THAT(parsed.out, IsEmpty());
  }
}

TEST(CommandLine, HelpsOnStandardOutput) {
  const Parsed parsed = parse({"--help"});
  EXPECT_EQ(parsed.spec.error(), base::kExitSuccess);
  EXPECT_THAT(parsed.out, HasSubstr("--port-offset 8000"));
  EXPECT_THAT(parsed.error, IsEmpty());
}

}  // namespace
}  // namespace endpoints
