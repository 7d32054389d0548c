#include "captures/block_capture.hh"

#include "base/errors.hh"
#include "captures/pcapng_reader.hh"
#include "tests/captures/frame_builder.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace captures {
namespace {

const std::string kFirst = "S " + std::string(64, 'a') + " 11\n";
const std::string kFirstByServer = "T " + std::string(64, 'a') + " 22\n";
const std::string kSecond = "S " + std::string(64, 'b') + " 33\n";
const std::string kOrphan = "S " + std::string(64, 'c') + " 44\n";

// What a viewer comes across, in order: "keys <text>" and "packet <comment>".
std::vector<std::string> walk(const std::string& file) {
  std::istringstream input(file);
  PcapngReader reader(input);
  std::vector<std::string> seen;
  for (;;) {
    const auto block = reader.next();
    if (!block || !*block) {
      if (!block) seen.push_back(block.error());
      return seen;
    }
    if (const auto* secrets = std::get_if<SecretsSeen>(&**block))
      seen.push_back("keys " + secrets->text);
    if (const auto* packet = std::get_if<PacketSeen>(&**block))
      seen.push_back("packet " + packet->comment);
  }
}

class BlockCapture : public testing::Test {
 protected:
  void SetUp() override {
    records_ = {test::udp_record("doq:0", 10001), test::udp_record("doq:1", 10002)};
    records_[0].keylog = kFirst;
    records_[1].keylog = kSecond;
    records_[1].outcome = Outcome::kNoAnswer;
    records_[1].time.reset();
    for (const std::uint16_t port : {10001, 10002}) {
      client_.packets.push_back(
          test::captured(port, Direction::kOutbound, test::query_frame(port, "q")));
      client_.packets.push_back(
          test::captured(port + 1, Direction::kInbound, test::answer_frame(port, "a")));
      server_.packets.push_back(
          test::captured(port + 2, Direction::kInbound, test::query_frame(port, "q")));
    }
  }

  BlockCaptureFiles compose() const {
    return compose_block_captures({.application = "labrun test",
                                   .comment = "block 0",
                                   .client = client_,
                                   .server = server_,
                                   .records = records_,
                                   .server_keylog = server_keylog_});
  }

  std::vector<QueryRecord> records_;
  EndEvidence client_{.name = "client", .snap_length = 1518, .counters = {}, .packets = {}};
  EndEvidence server_{.name = "server", .snap_length = 1518, .counters = {}, .packets = {}};
  std::string server_keylog_ = kFirst + kFirstByServer + kOrphan;
};

TEST_F(BlockCapture, KeysOfBothSidesStandBeforeAQuerysFirstPacket) {
  const BlockCaptureFiles files = compose();
  EXPECT_THAT(walk(files.client),
              testing::ElementsAre("keys " + kOrphan, "keys " + kFirst + kFirstByServer,
                                   "packet doq:0 answered in 40.000 ms", "packet ",
                                   "keys " + kSecond, "packet doq:1 no answer", "packet "));
  EXPECT_THAT(walk(files.server),
              testing::ElementsAre("keys " + kOrphan, "keys " + kFirst + kFirstByServer,
                                   "packet doq:0 answered in 40.000 ms", "keys " + kSecond,
                                   "packet doq:1 no answer"));
}

TEST_F(BlockCapture, PacketsOfNoQueryAreKept) {
  client_.packets.push_back(test::captured(1, Direction::kOutbound, {1, 2, 3}));
  EXPECT_EQ(walk(compose().client).back(), "packet ");
}

TEST_F(BlockCapture, IsRepeatable) {
  EXPECT_EQ(compose().client, compose().client);
  EXPECT_EQ(compose().server, compose().server);
}

TEST_F(BlockCapture, TwoQueriesOnOneFlowAreAnError) {
  records_[1].flows = records_[0].flows;
  EXPECT_THROW(compose(), base::LabError);
}

}  // namespace
}  // namespace captures
