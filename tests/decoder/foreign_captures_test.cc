// Both decoders over captures of other forms: those that others made (tests/data/foreign, without
// keys, so what can be read is the Initial level), and the lab's own packets written as other
// programs write them, with the keys in a file beside.

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "captures/pcapng_reader.hh"
#include "tests/decoder/decoding.hh"
#include "tests/decoder/link_frames.hh"
#include "tests/e2e/program_run.hh"
#include "tests/paths.hh"

#include <gtest/gtest.h>

#include <fstream>
#include <variant>

namespace decoder {
namespace {

namespace fs = std::filesystem;

TEST(ForeignCaptures, ReadAlike) {
  Counts all;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(tests::source_folder() / "tests/data/foreign")) {
    if (entry.path().extension() != ".pcap") continue;
    ++files;
    const Comparison comparison = compare_decoders(entry.path());
    EXPECT_TRUE(comparison.differences().empty()) << comparison.report();
    EXPECT_GE(comparison.counts().quic_packets(), 9U) << entry.path();
    EXPECT_GE(comparison.counts().handshakes, 1U) << entry.path();
    all += comparison.counts();
  }
  std::cout << describe(all);
  EXPECT_EQ(files, 5U);
  for (const std::string type : {"Initial", "Handshake", "1-RTT", "0-RTT", "Retry"})
    EXPECT_GE(all.of_type(type), 1U) << type;
}

struct LabCapture {
  std::vector<captures::CapturedPacket> packets;
  std::string keylog;
};

LabCapture read_capture(const fs::path& path) {
  LabCapture capture;
  std::ifstream file(path, std::ios::binary);
  captures::PcapngReader reader(file);
  while (true) {
    auto block = reader.next();
    if (!block) throw base::LabError(path.string() + ": " + block.error());
    if (!*block) return capture;
    if (auto* packet = std::get_if<captures::PacketSeen>(&**block))
      capture.packets.push_back(std::move(packet->packet));
    if (const auto* secrets = std::get_if<captures::SecretsSeen>(&**block))
      capture.keylog += secrets->text;
  }
}

TEST(LinkTypes, ReadAlikeInClassicPcapWithKeysInAFile) {
  const e2e::TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  const e2e::Outcome outcome = e2e::run_program(
      {"labrun", e2e::scenario("loss2pct"), "--queries", "5", "--set", "expect=[]", "--out", run});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  const fs::path original = run / "captures" / "0-server.pcapng";
  const Counts expected = compare_decoders(original).counts();
  ASSERT_GE(expected.dns, 10U);

  const LabCapture capture = read_capture(original);
  const fs::path keylog = folder.path() / "keys.log";
  base::write_file_atomically(keylog, capture.keylog);
  const fs::path file = folder.path() / "other.pcap";
  for (const PcapForm& form : pcap_forms()) {
    base::write_file_atomically(file, pcap_of(form, capture.packets));
    const Comparison comparison = compare_decoders(file, keylog);
    EXPECT_TRUE(comparison.differences().empty()) << form.name << ": " << comparison.report();
    // As much as in the original, decrypted or not.
    EXPECT_EQ(describe(comparison.counts()), describe(expected)) << form.name;
  }
}

}  // namespace
}  // namespace decoder
