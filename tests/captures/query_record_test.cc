#include "captures/query_record.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace captures {
namespace {

using namespace std::chrono_literals;

QueryRecord full_record() {
  QueryRecord record{
      .id = "retry=always/doq:117",
      .cell = "retry=always/doq",
      .transport = "doq",
      .block = 2,
      .index = 117,
      .seed = std::numeric_limits<std::uint64_t>::max(),
      .start = base::Instant(123456789ns),
      .outcome = Outcome::kAnswered,
      .time = 120ms,
      .own_time = 125ms,
      .client = ClientFacts{.program = "kdig",
                            .version = "3.4.6",
                            .ended = "exit code 0",
                            .fault = Fault::kUnknown},
      .phases = {.connect = std::nullopt,
                 .handshake = 80ms,
                 .sent = 80ms,
                 .first_byte = 120ms,
                 .answer = 120ms},
      .error = std::nullopt,
      .rcode = "NOERROR",
      .fallback = "tcp",
      .group = "X25519MLKEM768",
      .retries = 1,
      .early_data = {.attempted = true, .accepted = false},
      .tls = TlsFacts{"TLSv1.3", "TLS_AES_128_GCM_SHA256", "doq"},
      .http_status = 200,
      .answer = AnswerFacts{.bytes = 118, .records = {"a.lab.test. 60 A 192.0.2.1"}},
      .ignored_datagrams = 3,
      .flows = {{"udp", "198.51.100.1", 10117, "198.51.100.53", 853}},
      .preparation = Preparation{.client_packets = 7, .server_packets = 6},
      .settings = {.connection = "warm",
                   .initial_rtt = 333ms,
                   .max_udp_payload = 1200,
                   .pmtud = false,
                   .padding = "rfc8467",
                   .groups = {"X25519MLKEM768", "X25519"}},
      .wire = WireCounts{.client = {5, 3600}, .server = {6, 5100}},
      .lost = {{"server", 2, "netem"}},
      .sum = {{.what = "quic_pto",
               .time = std::chrono::milliseconds(999),
               .at = "client",
               .note = "client Initial 0 lost"},
              {.what = "query", .time = std::chrono::milliseconds(40), .at = "", .note = ""}},
      .unexplained = std::chrono::microseconds(1500),
      .explanation = "1040.5 ms = ...",
      .findings = {"quic-pto", "retry"},
      .keylog = "CLIENT_RANDOM aa bb\n"};
  return record;
}

TEST(QueryRecord, SurvivesItsJsonForm) {
  const auto read = parse_query_record(to_json_line(full_record(), Keylog::kInclude));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, full_record());
}

TEST(QueryRecord, SurvivesWithNothingOptional) {
  QueryRecord bare;
  bare.id = "do53:1";
  bare.cell = bare.transport = "do53";
  bare.outcome = Outcome::kNoAnswer;
  bare.settings.padding = "none";
  const auto read = parse_query_record(to_json_line(bare));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, bare);
}

TEST(QueryRecord, UsesTheDocumentedNames) {
  const auto json = nlohmann::json::parse(to_json_line(full_record()));
  EXPECT_EQ(json["id"], "retry=always/doq:117");
  EXPECT_EQ(json["seed"], "18446744073709551615");
  EXPECT_EQ(json["outcome"], "answered");
  EXPECT_EQ(json["time_ns"], 120'000'000);
  EXPECT_TRUE(json["phases_ns"]["connect"].is_null());
  EXPECT_EQ(json["phases_ns"]["first_byte"], 120'000'000);
  EXPECT_EQ(json["wire"]["server"]["bytes"], 5100);
  EXPECT_EQ(json["lost"][0]["by"], "netem");
}

TEST(QueryRecord, LeavesSecretsOutUnlessAsked) {
  EXPECT_THAT(to_json_line(full_record()), testing::Not(testing::HasSubstr("keylog")));
  EXPECT_THAT(to_json_line(full_record(), Keylog::kInclude), testing::HasSubstr("CLIENT_RANDOM"));
}

TEST(QueryRecord, IsOneLineWhateverTheServerSaid) {
  QueryRecord record = full_record();
  record.error = "server said \"\xff\xfe\n\r\"";
  const std::string line = to_json_line(record);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_TRUE(parse_query_record(line));
}

TEST(QueryRecord, IgnoresKeysOfLaterFormats) {
  auto json = nlohmann::json::parse(to_json_line(full_record()));
  json["unexplained_ns"] = 0;
  EXPECT_TRUE(parse_query_record(json.dump()));
}

struct Damage {
  const char* pointer;  // what is replaced
  nlohmann::json value;
  const char* complaint;
};

class DamagedRecord : public testing::TestWithParam<Damage> {};

TEST_P(DamagedRecord, IsRefusedByName) {
  auto json = nlohmann::json::parse(to_json_line(full_record()));
  json[nlohmann::json::json_pointer(GetParam().pointer)] = GetParam().value;
  const auto read = parse_query_record(json.dump());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), GetParam().complaint);
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedRecord,
    testing::Values(
        Damage{"/id", 5, "id: not a string"}, Damage{"/id", nullptr, "id: missing"},
        Damage{"/block", -1, "block: not an integer in range"},
        Damage{"/block", 1.5, "block: not an integer in range"},
        Damage{"/seed", 5, "seed: not a string"},
        Damage{"/seed", "18446744073709551616", "seed: not a decimal number below 2^64"},
        Damage{"/seed", "-1", "seed: not a decimal number below 2^64"},
        Damage{"/start_ns", 18446744073709551615U, "start_ns: not an integer in range"},
        Damage{"/outcome", "lost", "outcome: neither answered, no_answer nor failed"},
        Damage{"/time_ns", nullptr,
               "time_ns: must be there if and only if the outcome is answered"},
        Damage{"/client/fault", "nobody", "client.fault: neither client, server nor unknown"},
        Damage{"/phases_ns/sent", "1", "phases_ns.sent: not an integer in range"},
        Damage{"/phases_ns", 7, "phases_ns: not an object"},
        Damage{"/flows/0/local_port", 65536, "flows[0].local_port: not an integer in range"},
        Damage{"/flows", "x", "flows: not an array"},
        Damage{"/answer/records/0", 1, "answer.records: not a string"},
        Damage{"/settings/pmtud", 0, "settings.pmtud: not a boolean"}));

TEST(QueryRecord, RefusesWhatIsNoRecord) {
  for (const std::string line : {"", "{", "null", "[]", "\xff", "{}"})
    EXPECT_FALSE(parse_query_record(line)) << line;
  EXPECT_FALSE(parse_query_record(std::string(kMaxRecordLineBytes + 1, ' ')));
  EXPECT_FALSE(parse_query_record(std::string(100'000, '[')));
}

}  // namespace
}  // namespace captures
