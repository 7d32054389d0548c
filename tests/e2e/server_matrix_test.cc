// `labrun servers` as users have it: docs/servers.md shows what it prints.

#include "base/file_descriptor.hh"
#include "tests/e2e/program_run.hh"
#include "tests/paths.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <format>
#include <regex>
#include <string>

namespace e2e {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Security updates change the last number, and nothing else that we would know of. How many of a
// few queries a server fails hangs on what a client drew.
std::string without_patch_levels(const std::string& text) {
  const std::string released =
      std::regex_replace(text, std::regex(R"(\b([0-9]+\.[0-9]+)\.[0-9]+)"), "$1");
  return std::regex_replace(released, std::regex("[0-9]+ of ([0-9]+) answered"), "some of $1");
}

// What docs/servers.md has between its marks for that release.
std::string documented(const std::string& release) {
  const std::string text = base::read_file(tests::source_folder() / "docs/servers.md");
  const std::string begin =
      std::format("<!-- labrun servers --release {} --markdown -->\n", release);
  const std::size_t from = text.find(begin);
  const std::size_t to = text.find("<!-- end -->", from);
  if (from == std::string::npos || to == std::string::npos) return "no marks";
  return text.substr(from + begin.size(), to - from - begin.size());
}

void expect_documented(const std::string& release) {
  const Outcome outcome =
      run_program({"labrun", "servers", "--release", release, "--markdown", "--quiet"});
  const bool fails = outcome.output.contains("FAILS");
  EXPECT_EQ(outcome.status.code, fails ? 1 : 0) << outcome.output;
  EXPECT_EQ(without_patch_levels(documented(release)), without_patch_levels(outcome.output));
}

TEST(ServerMatrix, OfStableIsInTheDocuments) {
  expect_documented("stable");
}

TEST(ServerMatrix, OfTestingIsInTheDocuments) {
  if (std::filesystem::exists(tests::programs_folder() / "image/testing"))
    return expect_documented("testing");
  const Outcome outcome = run_program({"labrun", "servers", "--only", "bind"});
  EXPECT_THAT(outcome.output, HasSubstr("`make testing` gets them"));
}

TEST(ServerMatrix, OneServerIsATableAndJson) {
  const Outcome table =
      run_program({"labrun", "servers", "--only", "unbound", "--quiet", "--release", "stable"});
  EXPECT_EQ(table.status.code, 0) << table.output;
  EXPECT_THAT(table.output, StartsWith("server "));
  EXPECT_THAT(table.output, HasSubstr("\nunbound "));
  const Outcome json = run_program(
      {"labrun", "servers", "--only", "unbound", "--quiet", "--release", "stable", "--json"});
  EXPECT_EQ(json.status.code, 0) << json.output;
  const auto parsed = nlohmann::json::parse(json.output);
  ASSERT_EQ(parsed.at("servers").size(), 1U) << json.output;
  const nlohmann::json& dot = parsed.at("servers")[0].at("transports").at("dot");
  for (const char* aspect : {"answers", "post_quantum", "tickets"})
    EXPECT_EQ(dot.at(aspect).at("result"), "does") << aspect;
  EXPECT_EQ(dot.at("early_data").at("result"), "cannot");
  EXPECT_LT(dot.at("answers").at("over_floor_ns"), 1'000'000);
}

TEST(ServerMatrix, ANameThatIsNoServersIsOneMessage) {
  const Outcome outcome = run_program({"labrun", "servers", "--only", "ngnix"});
  EXPECT_EQ(outcome.status.code, 2);
  EXPECT_EQ(outcome.output, "labrun: --only ngnix: no such server; did you mean nginx?\n");
  const Outcome far = run_program({"labrun", "servers", "--only", "nosuch"});
  EXPECT_EQ(far.status.code, 2);
  EXPECT_THAT(far.output, HasSubstr("--only nosuch: no such server; allowed: unbound, dnsdist"));
}

}  // namespace
}  // namespace e2e
