// Both decoders over what labdns and labquery say to each other on lossy paths.

#include "base/file_descriptor.hh"
#include "tests/decoder/decoding.hh"
#include "tests/e2e/program_run.hh"

#include <gtest/gtest.h>

#include <string>

namespace decoder {
namespace {

// Loss makes every recovery frame, ranges in ACKs and parts of messages in every order. The arms
// have one or two datagrams of ClientHello, Retry or none, and flights that stall or do not. The
// short initial round trip makes both ends repeat what was not lost.
constexpr const char* kScenario = R"(
name: decoder
seed: 7
path:
  each_way: { delay: 20ms, loss: 3% }
client:
  transports: [do53, dot, doh2, doh3, doq]
  initial_rtt: 100ms
  queries: 18
vary:
  endpoint.key_exchange: [X25519, X25519MLKEM768]
  endpoint.certificate.chain_bytes: [2000, 3900]
  endpoint.retry: [never, always]
)";

class LabTraffic : public testing::Test {
 protected:
  // Runs the scenario and compares all of its captures.
  static Counts compare(std::vector<std::string> options) {
    const e2e::TemporaryFolder folder;
    base::write_file_atomically(folder.path() / "decoder.yaml", kScenario);
    const std::filesystem::path run = folder.path() / "run";
    std::vector<std::string> argv{"labrun", folder.path() / "decoder.yaml", "--out", run};
    argv.insert(argv.end(), options.begin(), options.end());
    const e2e::Outcome outcome = e2e::run_program(argv);
    EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
    Counts counts;
    for (const auto& entry : std::filesystem::directory_iterator(run / "captures")) {
      const Comparison comparison = compare_decoders(entry.path());
      EXPECT_TRUE(comparison.differences().empty()) << comparison.report();
      counts += comparison.counts();
    }
    std::cout << describe(counts);
    // tshark loses its way where a handshake's packets come twice or out of order.
    EXPECT_LE(counts.undecrypted(), counts.quic_packets() / 20);
    // Nor may we see much DNS that tshark does not.
    EXPECT_LE(counts.left_out_for(kUndissectedDoq), counts.dns / 100);
    return counts;
  }
};

TEST_F(LabTraffic, ReadsAlikeInTenThousandPackets) {
  const Counts counts = compare({});
  EXPECT_GE(counts.compared, 10'000U);
  EXPECT_GE(counts.captured, counts.compared);
  for (const std::string type : {"Initial", "Handshake", "1-RTT"})
    EXPECT_GE(counts.of_type(type), 1000U) << type;
  // 8 arms of 18 queries over two transports, seen at both ends, less what was lost.
  EXPECT_GE(counts.of_type("Retry"), 150U);
  EXPECT_GE(counts.tls_records, 1000U);
  EXPECT_GE(counts.handshakes, 1000U);
  EXPECT_GE(counts.dns, 1000U);
}

TEST_F(LabTraffic, ReadsAlikeOverIpv6WithPostDuplicatesAndReordering) {
  const Counts counts =
      compare({"--queries", "3", "--set", "path.family=ipv6", "--set", "client.method=POST",
               "--set", "path.each_way.duplicate=3%", "--set", "path.each_way.reorder=5%"});
  EXPECT_GE(counts.compared, 1000U);
  EXPECT_GE(counts.dns, 200U);
}

}  // namespace
}  // namespace decoder
