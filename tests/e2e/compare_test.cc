// Comparisons of real runs whose differences are known from the protocols.

#include "base/file_descriptor.hh"
#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Six blocks of two queries, because fewer give no intervals.
constexpr const char* kScenario =
    "name: compared\n"
    "seed: 1\n"
    "path: { each_way: { delay: 20ms } }\n"
    "client: { transports: [dot, doq], queries: 12 }\n"
    "block_queries: 2\n";

class CompareRuns : public testing::Test {
 protected:
  void run(const std::string& name, const std::vector<std::string>& assignments,
           const std::string& vary = "") {
    const std::filesystem::path file = folder_.path() / (name + ".yaml");
    base::write_file_atomically(file, kScenario + vary);
    std::vector<std::string> arguments{"labrun", file, "--quiet", "--out", path(name)};
    for (const std::string& assignment : assignments)
      arguments.insert(arguments.end(), {"--set", assignment});
    const Outcome outcome = run_program(arguments);
    ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  }
  std::string path(const std::string& name) const { return folder_.path() / name; }

  // The output with single spaces.
  static std::string compare(const std::vector<std::string>& what) {
    std::vector<std::string> arguments{"labrun", "compare"};
    arguments.insert(arguments.end(), what.begin(), what.end());
    const Outcome outcome = run_program(arguments);
    EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
    std::string text;
    for (const char c : outcome.output)
      if (c != ' ' || text.empty() || text.back() != ' ') text += c;
    return text;
  }

  TemporaryFolder folder_;
};

TEST_F(CompareRuns, RetryCostsDoqExactlyOneRoundTrip) {
  const std::string chain = "endpoint.certificate.chain_bytes=2000";
  run("always", {chain, "endpoint.retry=always"});
  run("never", {chain, "endpoint.retry=never"});
  const std::string text = compare({path("always"), path("never")});
  const std::size_t doq = text.find("\ndoq 12 pairs in 6 blocks\n");
  ASSERT_NE(doq, std::string::npos) << text;
  EXPECT_THAT(text.substr(doq),
              AllOf(HasSubstr("\np50 120.0 80.0 +40.0 +40.0 to +40.0 A slower\n"),
                    HasSubstr("\nmedian of pairs +40.0 +40.0 to +40.0 A slower\n"),
                    HasSubstr("\nslower blocks, of 6 6 0\n"),
                    HasSubstr("\nretry 12 0 +12 only A\n"), HasSubstr("\nunexplained 0 0 0\n")));
  // TCP knows no Retry.
  const std::string dot = text.substr(0, doq);
  EXPECT_THAT(dot, AllOf(HasSubstr("\np50 120.0 120.0 0.0 0.0 to 0.0 holds 0\n"),
                         HasSubstr("\nslower blocks, of 6 0 0\n"), Not(HasSubstr("retry 12"))));
  EXPECT_THAT(text, AllOf(HasSubstr("\nseed 1 of both"),
                          HasSubstr("\ndiffers server.retry always / never (A / B)\n"),
                          HasSubstr("\nA slower doq (p50, median of pairs)\n"),
                          Not(HasSubstr("\nB slower "))));
  EXPECT_EQ(text, compare({path("always"), path("never")}));
}

// RFC 9000 section 8.1: with X25519 a chain of 3.9 kB stalls for a round trip; a ClientHello with
// X25519MLKEM768 takes two datagrams, which is credit enough.
TEST_F(CompareRuns, PostQuantumKeysSpareDoqTheStall) {
  run("groups", {"endpoint.certificate.chain_bytes=3900"},
      "vary: { endpoint.key_exchange: [X25519, X25519MLKEM768] }\n");
  const auto cells = [](const std::string& transport) {
    return std::vector<std::string>{"key_exchange=X25519/" + transport,
                                    "key_exchange=X25519MLKEM768/" + transport};
  };
  const std::string doq = compare({path("groups"), cells("doq")[0], cells("doq")[1]});
  EXPECT_THAT(doq, AllOf(HasSubstr("\np50 120.0 80.0 +40.0 +40.0 to +40.0 A slower\n"),
                         HasSubstr("\namplification-stall 12 0 +12 only A\n"),
                         HasSubstr("\nclient-hello-split 0 12 -12 only B\n")));
  const std::string dot = compare({path("groups"), cells("dot")[0], cells("dot")[1]});
  EXPECT_THAT(dot, AllOf(HasSubstr("\nmedian of pairs 0.0 0.0 to 0.0 holds 0\n"),
                         HasSubstr("\nslower neither, by the intervals above\n")));
}

}  // namespace
}  // namespace e2e
