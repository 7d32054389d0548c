// The packets behind the figures, read with an independent program.

#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace e2e {
namespace {

class Evidence : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    const Outcome outcome = run_program({"labrun", scenario("smoke"), "--out", run()});
    ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::filesystem::path run() { return folder_->path() / "run"; }

  static std::string tshark(const std::string& end, const std::vector<std::string>& arguments) {
    std::vector<std::string> argv{"/usr/bin/tshark", "-n", "-r",
                                  run() / "captures" / ("0-" + end + ".pcapng")};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run_program(argv, {"HOME=/tmp"});
    EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
    // Said on the standard error, wherever in the output that lands.
    const std::string warning =
        "Running as user \"root\" and group \"root\". This could be dangerous.\n";
    std::string text = outcome.output;
    if (const auto place = text.find(warning); place != std::string::npos)
      text.erase(place, warning.size());
    return text;
  }

  static TemporaryFolder* folder_;
};
TemporaryFolder* Evidence::folder_ = nullptr;

// The address of the answer as bytes; what shows it depends on how far the program's dissectors go.
constexpr const char* kAnswerText = "192.0.2.1";
constexpr const char* kAnswerBytes = "c0000201";

TEST_F(Evidence, TsharkDecryptsDnsOfAllFiveTransports) {
  struct Look {
    std::string transport;
    std::string filter;
    std::string field;
    std::string answer;
  };
  const std::vector<Look> looks{
      {"do53", "dns.flags.response == 1 && udp.port == 53", "dns.a", kAnswerText},
      {"dot", "dns.flags.response == 1 && tls && tcp.port == 853", "dns.a", kAnswerText},
      {"doh2", "dns.flags.response == 1 && http2", "dns.a", kAnswerText},
      // tshark 4.4 shows the body of an HTTP/3 response, but hands it to no further dissector.
      {"doh3", "http3.frame_type == 0", "http3.frame_payload", kAnswerBytes},
      {"doq", "dns.flags.response == 1 && quic", "dns.a", kAnswerText}};
  for (const std::string end : {"client", "server"}) {
    for (const Look& look : looks) {
      const std::string answers =
          tshark(end, {"-Y", look.filter, "-T", "fields", "-e", look.field});
      // 5 queries over each of two families.
      EXPECT_EQ(std::ranges::count(answers, '\n'), 10) << end << " " << look.transport << ":\n"
                                                       << answers;
      std::istringstream lines(answers);
      for (std::string line; std::getline(lines, line);)
        EXPECT_TRUE(line.contains(look.answer)) << end << " " << look.transport << ": " << line;
    }
  }
}

TEST_F(Evidence, EveryQueryHasACommentOnItsFirstPacket) {
  const std::string comments =
      tshark("client", {"-Y", "frame.comment", "-T", "fields", "-e", "frame.comment"});
  for (const captures::QueryRecord& record : read_records(run())) {
    if (record.block != 0) continue;
    EXPECT_TRUE(comments.contains(record.id)) << record.id << " in:\n" << comments;
  }
}

TEST_F(Evidence, FilesFitTheirSchemas) {
  expect_files_fit_schemas(run());
}

TEST_F(Evidence, InterfacesAreNamed) {
  EXPECT_TRUE(tshark("server", {"-T", "fields", "-e", "frame.interface_name", "-c", "1"})
                  .contains("server"));
}

TEST_F(Evidence, NoPacketHasABadChecksum) {
  const std::string bad =
      tshark("client",
             {"-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-o",
              "udp.check_checksum:TRUE", "-Y",
              "ip.checksum.status == 0 || tcp.checksum.status == 0 || udp.checksum.status == 0"});
  EXPECT_EQ(bad, "") << bad;
}

}  // namespace
}  // namespace e2e
