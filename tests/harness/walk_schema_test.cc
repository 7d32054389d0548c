// JSON Schemas of what the packet gate and walks over losses leave.

#include "base/file_descriptor.hh"
#include "harness/exact_json.hh"
#include "harness/gate_report.hh"
#include "harness/loss_map.hh"
#include "harness/manifest.hh"
#include "tests/harness/scenario_text.hh"
#include "tests/harness/walked_cell.hh"
#include "tests/paths.hh"
#include "tests/schema/json_schema.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <format>
#include <string>
#include <vector>

namespace harness {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> complaints(const std::string& schema, const std::string& text) {
  return tests::complaints(
      base::read_file(tests::source_folder() / std::format("docs/schemas/{}.schema.json", schema)),
      text);
}

// Whether a schema notices that a member of a text has another value, or is gone.
void expect_rejected(const std::string& schema, const std::string& text, const char* pointer,
                     const json& value) {
  json changed = json::parse(text);
  changed.at(json::json_pointer(pointer)) = value;
  EXPECT_THAT(complaints(schema, changed.dump()), Not(IsEmpty())) << pointer << ' ' << value;
}

void expect_required(const std::string& schema, const std::string& text, const char* pointer) {
  const json whole = json::parse(text);
  const json::json_pointer place(pointer);
  for (const auto& member : whole.at(place).items()) {
    json less = whole;
    less.at(place).erase(member.key());
    EXPECT_THAT(complaints(schema, less.dump()), Not(IsEmpty())) << pointer << ' ' << member.key();
  }
}

captures::PacketFate fate() {
  return {.query = "doq:117",
          .from = "server",
          .ordinal = 3,
          .bytes = 1280,
          .in = 60ms,
          .out = 62ms,
          .meaning = "Initial 0 [ServerHello 1-1162 of 1461]",
          .verdict = captures::Verdict::kDelay,
          .reason = "delay server packet 3, by 2ms"};
}

TEST(PacketSchema, FitsWhatWeWrite) {
  captures::PacketFate written = fate();
  for (const auto verdict : {captures::Verdict::kPass, captures::Verdict::kDelay,
                             captures::Verdict::kDuplicate, captures::Verdict::kReorder}) {
    written.verdict = verdict;
    EXPECT_THAT(complaints("packet", to_json_line(written)), IsEmpty());
  }
  written.verdict = captures::Verdict::kDrop;
  EXPECT_THAT(complaints("packet", to_json_line(written)), Not(IsEmpty()))
      << "what is dropped never leaves the gate";
  written.out.reset();
  EXPECT_THAT(complaints("packet", to_json_line(written)), IsEmpty());
}

TEST(PacketSchema, NoticesWhatIsWrong) {
  const std::string line = to_json_line(fate());
  expect_required("packet", line, "");
  expect_rejected("packet", line, "/from", "router");
  expect_rejected("packet", line, "/ordinal", 0);
  expect_rejected("packet", line, "/bytes", -1);
  expect_rejected("packet", line, "/in_ns", nullptr);
  expect_rejected("packet", line, "/out_ns", 1.5);
  expect_rejected("packet", line, "/verdict", "mangle");
}

std::string exact_text() {
  ExactCell cell = walked_cell(2).cell;
  cell.rates = {.client = 0.02, .server = 0};
  cell.faults = {fault_of("c1"), fault_of("c1 s2"), fault_of("none")};
  ExactCell never = walked_cell(0).cell;
  never.planned.name = "retry=always/doq";
  never.lossless.time.reset();
  never.leaves.at(0).leaf.time.reset();
  const std::vector<std::optional<base::Nanoseconds>> samples(100, 40'200us);
  const FittedCell fitted{.name = "do53",
                          .samples = samples.size(),
                          .fit = goodness_of_fit(cell.distribution(cell.rates), samples)};
  return exact_to_json(std::vector{cell, never}, std::vector{fitted}, walk_facts());
}

TEST(ExactSchema, FitsWhatWeWrite) {
  EXPECT_THAT(complaints("exact", exact_text()), IsEmpty());
  EXPECT_THAT(complaints("exact", exact_to_json({}, {}, walk_facts())), IsEmpty());
}

TEST(ExactSchema, NoticesWhatIsWrong) {
  const std::string text = exact_text();
  for (const char* place :
       {"", "/cells/do53", "/cells/do53/by_loss/0", "/cells/do53/by_loss/0/loss",
        "/cells/do53/packets/0", "/cells/do53/own_distribution/0", "/cells/do53/faults/0",
        "/cells/do53/faults/0/child/0", "/against/do53", "/against/do53/bins/0"})
    expect_required("exact", text, place);
  expect_rejected("exact", text, "/seed", 7);
  expect_rejected("exact", text, "/cells/do53/faults/1/pattern", "c1,s2");
  expect_rejected("exact", text, "/cells/do53/packets/0/packet", "c0");
  expect_rejected("exact", text, "/cells/do53/by_loss/0/unvisited", 1.5);
  expect_rejected("exact", text, "/cells/do53/by_loss/0/p50_ns", {1, 2, 3});
  expect_rejected("exact", text, "/cells/do53/by_loss/0/p50_ns/0", "soon");
}

std::string map_text(std::optional<base::Nanoseconds> late) {
  WalkedCell walked = walked_cell(2);
  walked.cell.faults = {fault_of("s1")};
  LossMap map = map_of(walked.cell, walked.trials);
  map.late = late;
  return maps_to_json(std::vector{map}, walk_facts());
}

TEST(MapSchema, FitsWhatWeWrite) {
  EXPECT_THAT(complaints("map", map_text({})), IsEmpty());
  EXPECT_THAT(complaints("map", map_text(2ms)), IsEmpty());
}

TEST(MapSchema, NoticesWhatIsWrong) {
  const std::string text = map_text({});
  for (const char* place :
       {"", "/cells/do53", "/cells/do53/packets/0", "/cells/do53/packets/0/alone",
        "/cells/do53/pairs/0", "/cells/do53/pairs/0/cost"})
    expect_required("map", text, place);
  expect_rejected("map", text, "/cells/do53/packets/0/packet", "x1");
  expect_rejected("map", text, "/cells/do53/pairs/0/packets", {"c1"});
  expect_rejected("map", text, "/cells/do53/pairs/0/cost/time_ns", "never");
  expect_rejected("map", text, "/cells/do53/late_ns", 0.5);
}

std::string manifest_text(const std::string& gate) {
  const CommandLine command;
  Image image;
  image.kernel_release = "7.3.4";
  image.commit = "abc";
  const Plan plan = make_plan(parse_scenario(kSmall, "x.yaml"));
  return to_json_text({.command = command,
                       .image = image,
                       .plan = plan,
                       .scenario_text = std::string(kSmall),
                       .gate = gate});
}

TEST(ManifestSchema, KnowsTheGate) {
  EXPECT_THAT(complaints("manifest", manifest_text("")), IsEmpty());
  const GateTally tally(make_plan(parse_scenario(
      std::string(kSmall) + "gate: [drop: { from: client }, drop: { from: server, nth: 2 }]\n",
      "x.yaml")));
  EXPECT_THAT(complaints("manifest", manifest_text(gate_json(tally, {}).dump())), IsEmpty());
  const std::string text = manifest_text(gate_json(tally, {2us, 3us}).dump());
  EXPECT_THAT(complaints("manifest", text), IsEmpty());
  for (const char* place : {"/gate", "/gate/rules/0", "/gate/added_delay_ns"})
    expect_required("manifest", text, place);
  expect_rejected("manifest", text, "/gate/rules/1/packets", -1);
  expect_rejected("manifest", text, "/gate/added_delay_ns", 0);
}

}  // namespace
}  // namespace harness
