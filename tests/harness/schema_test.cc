#include "analysis/expectations.hh"
#include "analysis/summary.hh"
#include "base/file_descriptor.hh"
#include "captures/query_record.hh"
#include "harness/gate_checks.hh"
#include "harness/gate_fields.hh"
#include "harness/plan_json.hh"
#include "harness/scenario_keys.hh"
#include "tests/harness/scenario_text.hh"
#include "tests/paths.hh"
#include "tests/schema/json_schema.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>

namespace harness {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string text_of(std::string_view path) {
  return base::read_file(tests::source_folder() / path);
}

// Dotted names of all keys that a schema of objects allows.
void collect_keys(const json& schema, const std::string& prefix, std::set<std::string>& keys) {
  if (!schema.contains("properties")) {
    keys.insert(prefix);
    return;
  }
  for (const auto& [name, member] : schema["properties"].items())
    collect_keys(member, prefix.empty() ? name : prefix + "." + name, keys);
}

TEST(ScenarioSchema, KnowsEveryKeyOfTheParserAndNoOther) {
  std::set<std::string> in_schema;
  collect_keys(json::parse(text_of("scenarios/scenario.schema.json")), "", in_schema);
  std::set<std::string> in_parser{"vary", "expect"};
  for (const Key& key : scenario_keys()) in_parser.insert(key.name);
  // The items of `expect` are no keys of their own.
  EXPECT_EQ(in_schema, in_parser);
}

TEST(ScenarioSchema, AllowsToVaryWhatTheParserDoes) {
  const json schema = json::parse(text_of("scenarios/scenario.schema.json"));
  std::set<std::string> in_parser;
  for (const Key& key : scenario_keys())
    if (key.fixed_because.empty()) in_parser.insert(key.name);
  EXPECT_EQ(schema["properties"]["vary"]["propertyNames"]["enum"].get<std::set<std::string>>(),
            in_parser);
}

TEST(ScenarioSchema, KnowsEveryMetric) {
  const json schema = json::parse(text_of("scenarios/scenario.schema.json"));
  std::set<std::string> known;
  for (const analysis::Metric& metric : analysis::metrics()) known.emplace(metric.name);
  EXPECT_EQ(schema["properties"]["expect"]["items"]["properties"]["metric"]["enum"]
                .get<std::set<std::string>>(),
            known);
}

TEST(ScenarioSchema, KnowsEveryPacketName) {
  const json schema = json::parse(text_of("scenarios/scenario.schema.json"));
  std::set<std::string> possible;
  for (const std::string_view name : analysis::meaning_names())
    if (!why_never(*analysis::parse_meaning(name))) possible.emplace(name);
  EXPECT_EQ(schema["$defs"]["packet_name"]["enum"].get<std::set<std::string>>(), possible);
  const std::string reference = text_of("docs/scenarios.md");
  for (const std::string_view name : analysis::meaning_names())
    EXPECT_THAT(reference, HasSubstr("`" + std::string(name) + "`"));
}

TEST(ScenarioSchema, KnowsEveryFieldOfAGateRule) {
  const json schema = json::parse(text_of("scenarios/scenario.schema.json"));
  std::set<std::string> in_schema;
  for (const captures::Verdict verdict : kRuleVerdicts) {
    const json& rule = schema["$defs"]["gate_rule"]["properties"][to_string(verdict)];
    for (const auto& [name, value] : rule["properties"].items()) in_schema.insert(name);
  }
  std::set<std::string> in_parser;
  for (const RuleField& field : kRuleFields) in_parser.emplace(field.name);
  EXPECT_EQ(in_schema, in_parser);
}

TEST(ScenarioSchema, TellsGatesFromOtherThings) {
  const auto complaints_about = [](const std::string& gate) {
    return tests::complaints(text_of("scenarios/scenario.schema.json"),
                             R"({"name": "x", "client": {"transports": "doq", "queries": 1},
                                 "gate": )" +
                                 gate + "}");
  };
  for (const char* gate :
       {R"("off")", R"("pass")", "[]", R"({"drop": {"from": "client", "ordinal": 1}})",
        R"([{"delay": {"from": "server", "is": ["quic-initial", "tls-server-hello"],
                       "part": "last", "after": "handshake-complete", "times": "all",
                       "by": "2ms"}},
            {"reorder": {"from": "client", "is": "dns-query", "nth": 2, "behind": 3}}])"})
    EXPECT_THAT(complaints_about(gate), IsEmpty()) << gate;
  for (const char* gate :
       {R"("on")", R"([{"mangle": {"from": "client"}}])", R"([{"drop": {"is": "syn"}}])",
        R"([{"drop": {"from": "client", "by": "2ms"}}])", R"([{"delay": {"from": "client"}}])",
        R"([{"drop": {"from": "server", "is": "quic-version-negotiation"}}])",
        R"([{"drop": {"from": "client"}, "delay": {"from": "client", "by": "1ms"}}])"})
    EXPECT_THAT(complaints_about(gate), Not(IsEmpty())) << gate;
}

TEST(ScenarioSchema, RequiresWhatTheParserRequires) {
  const json schema = json::parse(text_of("scenarios/scenario.schema.json"));
  for (const Key& key : scenario_keys()) {
    const std::size_t dot = key.name.rfind('.');
    json::json_pointer group("");
    for (std::size_t start = 0; dot != std::string::npos && start < dot;) {
      const std::size_t end = key.name.find('.', start);
      group = group / "properties" / key.name.substr(start, end - start);
      start = end + 1;
    }
    const json& required = schema[group]["required"];
    const std::string last = dot == std::string::npos ? key.name : key.name.substr(dot + 1);
    EXPECT_EQ(required.dump().contains("\"" + last + "\""),
              key.presence == Key::Presence::kRequired)
        << key.name;
  }
}

TEST(ScenarioReference, HasASectionForEveryKeyAndMetric) {
  const std::string reference = text_of("docs/scenarios.md");
  for (const Key& key : scenario_keys()) {
    // The three directions share their sections.
    std::string name = key.name;
    for (const char* direction : {"client_to_server", "server_to_client"})
      if (const auto at = name.find(direction); at != std::string::npos)
        name.replace(at, std::string_view(direction).size(), "each_way");
    EXPECT_THAT(reference, HasSubstr("### `" + name + "`\n"));
  }
  for (const analysis::Metric& metric : analysis::metrics())
    EXPECT_THAT(reference, HasSubstr("| `" + std::string(metric.name) + "` |"));
}

TEST(ScenarioReference, GivesTheDefaultsOfTheParser) {
  const std::string reference = text_of("docs/scenarios.md");
  for (const Key& key : scenario_keys()) {
    if (key.fallback.empty()) continue;
    const std::size_t section = reference.find("### `" + key.name + "`\n");
    ASSERT_NE(section, std::string::npos) << key.name;
    const std::string body = reference.substr(section, reference.find("\n### ", section) - section);
    EXPECT_THAT(body, HasSubstr("Default: `" + key.fallback + "`")) << key.name;
  }
}

TEST(ScenarioReference, ExamplesAreValid) {
  const std::string reference = text_of("docs/scenarios.md");
  constexpr std::string_view kOpen = "```yaml\n";
  int examples = 0;
  for (std::size_t at = reference.find(kOpen); at != std::string::npos;
       at = reference.find(kOpen, at + 1)) {
    const std::size_t start = at + kOpen.size();
    std::string example = reference.substr(start, reference.find("```", start) - start);
    if (!example.starts_with("name:")) example = "name: x\n" + example;
    // What the examples leave out.
    Overrides rest;
    rest.assignments.emplace_back("client.queries=300");
    if (!example.contains("client: { transports:"))
      rest.assignments.emplace_back("client.transports=[do53, dot, doh2, doh3, doq]");
    EXPECT_THAT(mistakes_of(example, rest), IsEmpty()) << example;
    ++examples;
  }
  EXPECT_GT(examples, 30);
}

json to_json(const YAML::Node& node) {
  json result;
  if (node.IsMap())
    for (const auto& member : node) result[member.first.Scalar()] = to_json(member.second);
  if (node.IsSequence())
    for (const auto& member : node) result.push_back(to_json(member));
  if (!node.IsScalar()) return result;
  // As editors read YAML: a quoted scalar is a string, a plain one what it looks like.
  if (node.Tag() == "!") return node.Scalar();
  json value = json::parse(node.Scalar(), nullptr, false);
  return value.is_discarded() ? json(node.Scalar()) : value;
}

TEST(ScenarioSchema, AcceptsEveryShippedScenario) {
  std::size_t scenarios = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(tests::source_folder() / "scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    ++scenarios;
    EXPECT_THAT(tests::complaints(text_of("scenarios/scenario.schema.json"),
                                  to_json(YAML::LoadFile(entry.path())).dump()),
                IsEmpty())
        << entry.path();
  }
  EXPECT_GE(scenarios, 9U);
}

TEST(PlanSchema, FitsWhatWeWrite) {
  const std::string schema = text_of("docs/schemas/plan.schema.json");
  const auto plan_text = [](std::string_view text) {
    return plan_to_json(make_plan(parse_scenario(text, "x.yaml")));
  };
  EXPECT_THAT(tests::complaints(schema, plan_text(kSmall)), IsEmpty());
  const std::string rich =
      "name: r\npath:\n  each_way: { delay: 20ms, loss: 2%, rate: 10mbit, reorder: 1% }\n"
      "  client_to_server: { loss: { model: gilbert-elliott, p: 1%, r: 20% } }\n"
      "client: { transports: [do53, dot, doh2, doh3, doq], queries: 2 }\n"
      "vary:\n  endpoint.retry: [never, always]\n"
      "  gate: [off, pass, [drop: { from: server, is: dns-answer, part: last, times: all },"
      " reorder: { from: client, ordinal: 2 }, delay: { from: client, after: syn, by: 2ms }]]\n"
      "expect: [{ cell: \"*\", metric: p50, within: [0ms, 1s] }]\n";
  EXPECT_THAT(tests::complaints(schema, plan_text(rich)), IsEmpty());
  json broken = json::parse(plan_text(rich));
  broken["blocks"][0]["seed"] = 5;
  EXPECT_THAT(tests::complaints(schema, broken.dump()), Not(IsEmpty()));
}

captures::QueryRecord answered_record() {
  captures::QueryRecord record;
  record.id = "doq:1";
  record.cell = record.transport = "doq";
  record.seed = UINT64_MAX;
  record.outcome = captures::Outcome::kAnswered;
  record.time = 80ms;
  record.phases = {
      .connect = {}, .handshake = 40ms, .sent = 40ms, .first_byte = 80ms, .answer = 80ms};
  record.rcode = "NOERROR";
  record.group = "X25519";
  record.tls = captures::TlsFacts{"TLSv1.3", "TLS_AES_128_GCM_SHA256", "doq"};
  record.answer = captures::AnswerFacts{56, {"a.lab.test 60 A 192.0.2.1"}};
  record.flows = {{"udp", "198.51.100.1", 10000, "198.51.100.53", 853}};
  record.settings = {.initial_rtt = 333ms,
                     .max_udp_payload = 1200,
                     .pmtud = false,
                     .padding = "rfc8467",
                     .groups = {"X25519"}};
  record.wire = captures::WireCounts{{4, 4000}, {6, 6000}};
  record.lost = {{"client", 1, "netem"}};
  return record;
}

TEST(QuerySchema, FitsWhatWeWrite) {
  const std::string schema = text_of("docs/schemas/query.schema.json");
  captures::QueryRecord record = answered_record();
  EXPECT_THAT(tests::complaints(schema, captures::to_json_line(record)), IsEmpty());
  record.keylog = "CLIENT_RANDOM";
  EXPECT_THAT(tests::complaints(schema, captures::to_json_line(record, captures::Keylog::kInclude)),
              Not(IsEmpty()))
      << "keys belong into the captures";
  captures::QueryRecord silent;
  silent.id = "do53:7";
  silent.cell = silent.transport = "do53";
  silent.outcome = captures::Outcome::kNoAnswer;
  silent.settings.padding = "none";
  EXPECT_THAT(tests::complaints(schema, captures::to_json_line(silent)), IsEmpty());
  json wrong = json::parse(captures::to_json_line(silent));
  wrong["time_ns"] = 5;
  EXPECT_THAT(tests::complaints(schema, wrong.dump()), Not(IsEmpty()))
      << "a time without an answer";
}

TEST(SummarySchema, FitsWhatWeWrite) {
  const std::string schema = text_of("docs/schemas/summary.schema.json");
  const std::vector<analysis::CellSpec> cells{{.name = "doq",
                                               .rtt = 40ms,
                                               .floor = 80ms,
                                               .timeout = 10s,
                                               .loss_to_server = base::Probability::from(0.02),
                                               .loss_to_client = {}},
                                              {.name = "dot",
                                               .rtt = 40ms,
                                               .floor = 120ms,
                                               .timeout = 10s,
                                               .loss_to_server = {},
                                               .loss_to_client = {}}};
  std::vector<captures::QueryRecord> records(40, answered_record());
  records.back().outcome = captures::Outcome::kNoAnswer;
  records.back().time.reset();
  std::string text = analysis::to_json(analysis::summarise(cells, records)).dump();
  EXPECT_THAT(tests::complaints(schema, text), IsEmpty());
  json wrong = json::parse(text);
  wrong["cells"]["doq"].erase("p99_reason");
  EXPECT_THAT(tests::complaints(schema, wrong.dump()), Not(IsEmpty()))
      << "a percentile that is null without a reason";
}

TEST(ScenarioSchema, IsASchema) {
  EXPECT_THAT(tests::complaints(text_of("scenarios/scenario.schema.json"),
                                R"({"name": "x", "client": {"transports": "doq", "queries": 1},
                                    "path": {"each_way": {"delay": "20ms", "loss": "2%"}},
                                    "vary": {"endpoint.retry": ["never", "always"]},
                                    "expect": [{"cell": "*", "metric": "p50",
                                                "within": ["1ms", "2ms"]}]})"),
              IsEmpty());
  for (const char* wrong :
       {R"({"name": "x"})", R"({"name": "x", "client": {"transports": "dox", "queries": 1}})",
        R"({"name": "x", "client": {"transports": "doq", "queries": 1}, "sead": 1})",
        R"({"name": "x", "client": {"transports": "doq", "queries": 1}, "vary": {"seed": [1]}})"})
    EXPECT_THAT(tests::complaints(text_of("scenarios/scenario.schema.json"), wrong), Not(IsEmpty()))
        << wrong;
}

}  // namespace
}  // namespace harness
