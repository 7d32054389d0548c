#include "clients/command_line.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace clients {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Parsed {
  std::expected<CommandLine, int> command;
  std::string out;
  std::string error;
};

Parsed parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "labquery");
  std::ostringstream out;
  std::ostringstream error;
  auto command =
      parse_command_line(static_cast<int>(arguments.size()), arguments.data(), out, error);
  return {std::move(command), out.str(), error.str()};
}

TEST(CommandLine, NeedsServerAndName) {
  const Parsed parsed = parse({"dot://192.0.2.53", "a.example"});
  ASSERT_TRUE(parsed.command) << parsed.error;
  EXPECT_EQ(parsed.command->host, "192.0.2.53");
  EXPECT_EQ(parsed.command->port, 853);
  EXPECT_EQ(parsed.command->count, 1U);
  const QuerySpec& spec = parsed.command->spec;
  EXPECT_EQ(spec.transport, Transport::kDot);
  EXPECT_EQ(spec.server_name, "192.0.2.53");
  EXPECT_EQ(spec.question.name, "a.example");
  EXPECT_EQ(spec.question.type, transport::RecordType::kA);
  EXPECT_EQ(spec.trust, Trust::kSystem);
  EXPECT_THAT(spec.groups, ElementsAre("X25519MLKEM768", "X25519"));
}

TEST(CommandLine, TakesEverySetting) {
  const Parsed parsed = parse({"doh3://192.0.2.53:8443/q",
                               "a.example",
                               "TYPE65",
                               "--name",
                               "dns.example",
                               "--insecure",
                               "--timeout",
                               "2s",
                               "--groups",
                               "X25519:P-256",
                               "--initial-rtt",
                               "100ms",
                               "--max-udp-payload",
                               "1350",
                               "--pmtud",
                               "--padding",
                               "none",
                               "--method",
                               "POST",
                               "--count",
                               "3",
                               "--json",
                               "--local-port",
                               "4000",
                               "--keylog",
                               "keys"});
  ASSERT_TRUE(parsed.command) << parsed.error;
  const QuerySpec& spec = parsed.command->spec;
  EXPECT_EQ(spec.path, "/q");
  EXPECT_EQ(spec.server_name, "dns.example");
  EXPECT_EQ(spec.trust, Trust::kUnchecked);
  EXPECT_EQ(spec.timeout, std::chrono::seconds(2));
  EXPECT_EQ(spec.initial_rtt, std::chrono::milliseconds(100));
  EXPECT_THAT(spec.groups, ElementsAre("X25519", "P-256"));
  EXPECT_EQ(spec.max_udp_payload, 1350);
  EXPECT_TRUE(spec.pmtud);
  EXPECT_EQ(spec.padding, Padding::kNone);
  EXPECT_EQ(spec.method, HttpMethod::kPost);
  EXPECT_EQ(spec.local_port, 4000);
  EXPECT_EQ(static_cast<int>(spec.question.type), 65);
  EXPECT_EQ(parsed.command->count, 3U);
  EXPECT_TRUE(parsed.command->json);
  EXPECT_EQ(parsed.command->keylog_file, "keys");
}

TEST(CommandLine, LeavesTheFinalDotOutOfTlsNames) {
  EXPECT_EQ(parse({"dot://dns.example.", "a"}).command->spec.server_name, "dns.example");
  EXPECT_EQ(parse({"dot://x", "a", "--name", "y.example."}).command->spec.server_name, "y.example");
}

TEST(CommandLine, CountsUpToTheLastPort) {
  EXPECT_TRUE(parse({"dot://x", "a", "--local-port", "65535"}).command);
  EXPECT_TRUE(parse({"dot://x", "a", "--local-port", "65534", "--count", "2"}).command);
}

TEST(CommandLine, NeedsNothingElseInBatchMode) {
  const Parsed parsed = parse({"--batch", "--keylog-inline"});
  ASSERT_TRUE(parsed.command) << parsed.error;
  EXPECT_TRUE(parsed.command->batch);
  EXPECT_TRUE(parsed.command->keylog_inline);
}

TEST(CommandLine, HelpsOnStandardOutput) {
  const Parsed parsed = parse({"--help"});
  ASSERT_FALSE(parsed.command);
  EXPECT_EQ(parsed.command.error(), 0);
  EXPECT_THAT(parsed.out, HasSubstr("labquery doq://dns.quad9.net"));
  EXPECT_EQ(parsed.error, "");
}

struct Mistake {
  std::vector<const char*> arguments;
  std::string complaint;
};

class RefusesCommand : public testing::TestWithParam<Mistake> {};

TEST_P(RefusesCommand, WithExitCodeTwo) {
  const Parsed parsed = parse(GetParam().arguments);
  ASSERT_FALSE(parsed.command);
  EXPECT_EQ(parsed.command.error(), 2);
  EXPECT_THAT(parsed.error, HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, RefusesCommand,
    testing::Values(Mistake{{}, "server"}, Mistake{{"dot://x"}, "a name to ask for"},
                    Mistake{{"gopher://x", "a"}, "gopher"},
                    Mistake{{"dot://x", "a..b"}, "'a..b' is not a domain name"},
                    Mistake{{"dot://x", "a", "BOGUS"}, "'BOGUS' is not a record type"},
                    Mistake{{"dot://x", "a", "--timeout", "10"}, "'10' is not a duration"},
                    Mistake{{"dot://x", "a", "--timeout", "2000000s"}, "not a duration"},
                    Mistake{{"dot://x", "a", "--max-udp-payload", "1199"}, "1199"},
                    Mistake{{"dot://x", "a", "--padding", "468"}, "468"},
                    Mistake{{"dot://x", "a", "--count", "0"}, "0"},
                    Mistake{{"dot://x", "a", "--ca", "/nonexistent"}, "/nonexistent"},
                    Mistake{{"dot://x", "a", "--local-port", "65535", "--count", "2"}, "run out"},
                    Mistake{{"dot://x", "a", "--keylog-inline"}, "--batch"},
                    Mistake{{"dot://x", "a", "--frobnicate"}, "--frobnicate"}));

}  // namespace
}  // namespace clients
