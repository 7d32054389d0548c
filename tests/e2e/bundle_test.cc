// What goes with a report to somebody else: complete, checked, private, and the failure again.

#include "base/file_descriptor.hh"
#include "harness/archive.hh"
#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <unistd.h>

namespace e2e {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

// One run with queries that get no answer, one bundle of the first of them.
class Bundle : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new base::TemporaryFolder();
    // A home directory and a name of a folder such as nobody else's.
    const std::filesystem::path home = folder_->path() / "home-of-grace-hopper";
    std::filesystem::create_directories(home);
    std::ofstream(home / "own.yaml") << kScenario;
    const Outcome run =
        run_program({"labrun", home / "own.yaml", "--out", home / "run", "--quiet"}, environment());
    ASSERT_TRUE(run.status.succeeded()) << run.output;
    made_ = run_program(
        {"labrun", "bundle", home / "run", "--query", "loss=20%/dot:worst", "--query",
         "loss=20%/doq:median", "--format", "knot", "--out", bundle().string(), "--quiet"},
        environment());
    ASSERT_TRUE(made_.status.succeeded()) << made_.output;
    files_ = harness::read_archive(bundle());
  }
  static void TearDownTestSuite() { delete std::exchange(folder_, nullptr); }

  static std::vector<std::string> environment() {
    return {"HOME=" + (folder_->path() / "home-of-grace-hopper").string()};
  }
  static std::filesystem::path bundle() { return folder_->path() / "own.tar.zst"; }
  static const std::string& file(const std::string& name) { return files_.at(name); }

  static void unpack(const std::filesystem::path& to) {
    for (const auto& [name, text] : files_) {
      std::filesystem::create_directories((to / name).parent_path());
      base::write_file_atomically(to / name, text);
    }
  }

  static constexpr const char* kScenario =
      "name: own\nseed: 5\nblock_queries: 10\n"
      "path: { each_way: { delay: 20ms } }\n"
      "endpoint: { server: knot }\n"
      "client: { transports: [dot, doq], queries: 20, timeout: 3s }\n"
      "vary: { path.each_way.loss: [0%, 20%] }\n"
      "expect:\n  - { cell: loss=0%/doq, metric: max, within: [80ms, 81ms] }\n";

  static base::TemporaryFolder* folder_;
  static Outcome made_;
  static harness::ArchiveFiles files_;
};

base::TemporaryFolder* Bundle::folder_ = nullptr;
Outcome Bundle::made_;
harness::ArchiveFiles Bundle::files_;

TEST_F(Bundle, HasWhatAMaintainerNeeds) {
  for (const char* name : {"README.md",           "report-knot.md",      "reproduce.sh",
                           "reproduce.yaml",      "SHA256SUMS",          "scenario.yaml",
                           "plan.json",           "manifest.json",       "queries.jsonl",
                           "fates.jsonl",         "queries/1.txt",       "queries/2.txt",
                           "run/summary.json",    "run/findings.json",   "run/outcomes.jsonl",
                           "run/plan.json",       "servers/1/knot.conf", "servers/1/version.txt",
                           "qlog/2-client.sqlog", "qlog/2-server.sqlog"})
    EXPECT_TRUE(files_.contains(name)) << name;
  EXPECT_LT(std::filesystem::file_size(bundle()), 1'000'000U);
  EXPECT_THAT(file("servers/1/version.txt"), HasSubstr("Knot DNS"));
  EXPECT_THAT(file("report-knot.md"), HasSubstr("## Configuration"));
}

TEST_F(Bundle, SaysHowOftenWithControls) {
  const std::string readme = file("README.md");
  EXPECT_THAT(readme, HasSubstr("# knot 3."));
  EXPECT_THAT(readme, HasSubstr("| **this one** | 20 |"));
  EXPECT_THAT(readme, HasSubstr("| loss=0% | 20 | 0 | 0.0-"));
  EXPECT_THAT(readme, HasSubstr("| doq | 20 |"));
  EXPECT_THAT(readme, HasSubstr("no packet lost: asked 20 times, 20 answered."));
  EXPECT_THAT(readme, HasSubstr("20 ended as the query did."));
  EXPECT_THAT(readme, HasSubstr("Keys and certificates in it were made by labrun"));
}

TEST_F(Bundle, HoldsWhatItSays) {
  const Outcome outcome = run_program({"labrun", "bundle", "verify", bundle()});
  EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
  for (const char* part : {"sums  ", "queries  ", "figures  ", "claims  "})
    EXPECT_THAT(outcome.output, HasSubstr(part));
  EXPECT_THAT(outcome.output, testing::Not(HasSubstr("DIFFERS")));
}

TEST_F(Bundle, WithAByteChangedDiffers) {
  const std::filesystem::path spoilt = folder_->path() / "spoilt.tar.zst";
  for (const char* name : {"captures/0-client.pcapng", "queries.jsonl", "README.md"}) {
    harness::ArchiveFiles files = files_;
    files.at(name)[files.at(name).size() / 2] ^= 1;
    harness::write_archive(spoilt, "own", files);
    const Outcome outcome = run_program({"labrun", "bundle", "verify", spoilt});
    EXPECT_EQ(outcome.status.code, 1) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(std::string("DIFFERS: ") + name));
  }
  // Of the file itself, wherever it is.
  const std::string whole = base::read_file(bundle());
  for (std::size_t part = 0; part < 8; ++part) {
    std::string bytes = whole;
    bytes[whole.size() * part / 8 + 4] ^= 1;
    base::write_file_atomically(spoilt, bytes);
    EXPECT_FALSE(run_program({"labrun", "bundle", "verify", spoilt}).status.succeeded()) << part;
  }
}

// Who changes a figure and makes the sums fit is found out all the same.
TEST_F(Bundle, WithOtherFiguresDiffersWhateverItsSumsSay) {
  harness::ArchiveFiles files = files_;
  std::string& outcomes = files.at("run/outcomes.jsonl");
  // In a cell where all others take 80 ms.
  const std::size_t at = outcomes.find("\"loss=0%/doq:");
  const std::size_t time = outcomes.find("\"time_ns\":", at) + 10;
  outcomes.replace(time, outcomes.find_first_of(",}", time) - time, "2999999999");
  const std::filesystem::path folder = folder_->path() / "sums";
  for (const auto& [name, text] : files) {
    std::filesystem::create_directories((folder / name).parent_path());
    if (name != "SHA256SUMS") base::write_file_atomically(folder / name, text);
  }
  std::string names;
  for (const auto& [name, text] : files)
    if (name != "SHA256SUMS") names += " " + name;
  const Outcome sums =
      run_program({"/bin/sh", "-c", "cd " + folder.string() + " && LC_ALL=C sha256sum" + names});
  files.at("SHA256SUMS") = sums.output;
  const std::filesystem::path spoilt = folder_->path() / "forged.tar.zst";
  harness::write_archive(spoilt, "own", files);
  const Outcome outcome = run_program({"labrun", "bundle", "verify", spoilt});
  EXPECT_EQ(outcome.status.code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("sums          holds"));
  EXPECT_THAT(outcome.output, HasSubstr("figures       DIFFERS"));
}

TEST_F(Bundle, TellsNothingOfWhoMadeItAndWhere) {
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  for (const auto& [name, text] : files_) {
    EXPECT_THAT(text, testing::Not(HasSubstr("grace-hopper"))) << name;
    EXPECT_THAT(text, testing::Not(HasSubstr(folder_->path().string()))) << name;
    if (std::string_view(host.data()).size() > 5) {
      EXPECT_THAT(text, testing::Not(HasSubstr(host.data()))) << name;
    }
  }
}

TEST_F(Bundle, OpensInTsharkWithEverythingDecrypted) {
  const std::filesystem::path folder = folder_->path() / "opened";
  unpack(folder);
  std::size_t captures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "captures")) {
    const Outcome all = run_program({"/usr/bin/tshark", "-r", entry.path(), "-T", "fields", "-e",
                                     "frame.number", "-Y", "dns || quic || tls || tcp"});
    const Outcome sealed =
        run_program({"/usr/bin/tshark", "-r", entry.path(), "-T", "fields", "-e", "frame.number",
                     "-Y", "quic.decryption_failed || tls.app_data && !dns && !tls.handshake"});
    EXPECT_THAT(all.output, ContainsRegex("[0-9]"));
    EXPECT_THAT(sealed.output, testing::Not(ContainsRegex("^[0-9]"))) << entry.path();
    ++captures;
  }
  EXPECT_GE(captures, 2U);
}

TEST_F(Bundle, DoesItAgain) {
  const std::filesystem::path folder = folder_->path() / "again";
  unpack(folder);
  const Outcome outcome =
      run_program({"labrun", folder / "reproduce.yaml", "--out", folder / "run-again", "--quiet"});
  EXPECT_EQ(outcome.status.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("held"));
  EXPECT_THAT(file("reproduce.sh"), HasSubstr("make -C \"$checkout\" build"));
}

TEST_F(Bundle, IsARunDirectoryItself) {
  const std::filesystem::path folder = folder_->path() / "explained";
  unpack(folder);
  const Outcome outcome = run_program({"labrun", "explain", folder, "loss=20%/dot:worst"});
  EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
  EXPECT_EQ(outcome.output, file("queries/1.txt"));
}

TEST_F(Bundle, RefusesWhatCannotBeDone) {
  const std::filesystem::path run = folder_->path() / "home-of-grace-hopper" / "run";
  const auto refuses = [&](std::vector<std::string> argv, const std::string& why) {
    const Outcome outcome = run_program(std::move(argv));
    EXPECT_EQ(outcome.status.code, 2) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(why));
  };
  refuses({"labrun", "bundle", run, "--out", bundle()}, "it exists already");
  refuses({"labrun", "bundle", run, "--query", "nosuch:1"}, "has no query");
  refuses({"labrun", "bundle", run, "--format", "word"}, "--format");
  refuses({"labrun", "bundle", folder_->path() / "nothing"}, "nothing is no run directory");
  refuses({"labrun", "bundle", "verify", run / "plan.json"}, "is no bundle of labrun");
}

}  // namespace
}  // namespace e2e
