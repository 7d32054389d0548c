#include "captures/pcap_reader.hh"
#include "tests/captures/frame_builder.hh"
#include "tests/captures/pcap_builder.hh"

#include <gtest/gtest.h>

#include <sstream>

namespace captures {
namespace {

using test::PcapBuilder;

struct Contents {
  InterfaceSeen interface;
  std::vector<CapturedPacket> packets;
  std::string error;
};

Contents read_all(const std::string& bytes) {
  std::istringstream input(bytes);
  PcapReader reader(input);
  Contents contents;
  for (;;) {
    auto block = reader.next();
    if (!block) contents.error = block.error();
    if (!block || !*block) return contents;
    if (const auto* interface = std::get_if<InterfaceSeen>(&**block))
      contents.interface = *interface;
    if (auto* packet = std::get_if<PacketSeen>(&**block))
      contents.packets.push_back(std::move(packet->packet));
  }
}

// A file of two packets, 24 + 16 + 50 + 16 + 20 bytes: the second was longer on the wire.
std::string sample_file(const PcapBuilder::Format& format) {
  return PcapBuilder(format)
      .add(1'795'996'800, 123'456, test::Bytes(50, 1))
      .add(1'795'996'801, 999'999, test::Bytes(20, 2), 1500)
      .bytes();
}

TEST(Pcap, BothByteOrdersReadTheSame) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const Contents contents =
        read_all(sample_file({.order = order, .snap_length = 96, .link_type = 113}));
    ASSERT_EQ(contents.error, "");
    EXPECT_EQ(contents.interface.link_type, 113);
    EXPECT_EQ(contents.interface.snap_length, 96U);
    EXPECT_EQ(contents.interface.name, "");
    ASSERT_EQ(contents.packets.size(), 2U);
    EXPECT_EQ(contents.packets[0],
              test::captured(1'795'996'800'123'456'000, Direction::kUnknown, test::Bytes(50, 1)));
    EXPECT_EQ(contents.packets[1].timestamp_ns, 1'795'996'801'999'999'000);
    EXPECT_EQ(contents.packets[1].bytes, test::Bytes(20, 2));
    EXPECT_EQ(contents.packets[1].original_length, 1500U);
  }
}

TEST(Pcap, NanosecondsAreKept) {
  const std::string file = PcapBuilder({.magic = PcapBuilder::kNanosecondMagic})
                               .add(1, 999'999'999, {1})
                               .add(4'294'967'295, 0, {2})
                               .bytes();
  const Contents contents = read_all(file);
  ASSERT_EQ(contents.error, "");
  EXPECT_EQ(contents.packets.at(0).timestamp_ns, 1'999'999'999);
  EXPECT_EQ(contents.packets.at(1).timestamp_ns, 4'294'967'295'000'000'000);
}

TEST(Pcap, LinkTypeStandsBelowTheFrameCheckSequence) {
  EXPECT_EQ(read_all(sample_file({.link_type = 0x24000001})).interface.link_type, 1);
}

TEST(Pcap, SnapLengthZeroIsNoLimit) {
  EXPECT_EQ(read_all(sample_file({.snap_length = 0})).packets.size(), 2U);
}

TEST(Pcap, EveryTruncationEndsOrIsNamed) {
  const std::string whole = sample_file({});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string error = read_all(whole.substr(0, length)).error;
    if (length < 24) {
      EXPECT_EQ(error, "file header: file ends within it");
    } else if (length == 24 || length == 90) {
      EXPECT_EQ(error, "") << length;
    } else {
      const std::size_t start = length < 90 ? 24 : 90;
      EXPECT_EQ(error, std::string(start == 24 ? "packet 1" : "packet 2") + ": file ends within " +
                           (length < start + 16 ? "its header" : "it"))
          << length;
    }
  }
}

TEST(Pcap, PacketsBeforeTheDamageAreHandedOut) {
  const std::string whole = sample_file({});
  EXPECT_EQ(read_all(whole.substr(0, whole.size() - 1)).packets.size(), 1U);
}

struct Damage {
  const char* name;
  std::size_t offset;
  std::string bytes;
  const char* complaint;
};

class DamagedPcap : public testing::TestWithParam<Damage> {};

TEST_P(DamagedPcap, NamesThePlace) {
  std::string file = sample_file({.snap_length = 50});
  file.replace(GetParam().offset, GetParam().bytes.size(), GetParam().bytes);
  EXPECT_EQ(read_all(file).error, GetParam().complaint);
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedPcap,
    testing::Values(Damage{"magic", 0, "X", "file header: not a pcap file"},
                    Damage{"major", 4, "\x03", "file header: unknown pcap version"},
                    Damage{"minor", 6, "\x03", "file header: unknown pcap version"},
                    Damage{"snap", 16, "\x31", "packet 1: longer than the snap length allows"},
                    Damage{"fraction", 28, std::string("\x40\x42\x0f\0", 4),  // 1,000,000
                           "packet 1: timestamp out of range"},
                    Damage{"huge", 98, "\xff\xff\xff\xff",
                           "packet 2: longer than the snap length allows"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Pcap, AHugeSnapLengthIsNotBelieved) {
  std::string file = sample_file({.snap_length = 0xffffffff});
  EXPECT_EQ(read_all(file).error, "");
  file.replace(32, 4, std::string("\x01\0\x10\0", 4));  // 1 MiB and a byte
  EXPECT_EQ(read_all(file).error, "packet 1: longer than the snap length allows");
}

}  // namespace
}  // namespace captures
