#include "captures/pcapng_reader.hh"
#include "captures/pcapng_writer.hh"
#include "tests/captures/frame_builder.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace captures {
namespace {

// 2026-11-30, so that both words of the timestamp are used.
constexpr std::int64_t kTime = 1'795'996'800'123'456'789;

struct Contents {
  std::vector<SeenBlock> blocks;
  std::string error;
};

Contents read_all(const std::string& bytes) {
  std::istringstream input(bytes);
  PcapngReader reader(input);
  Contents contents;
  for (;;) {
    auto block = reader.next();
    if (!block) contents.error = block.error();
    if (!block || !*block) return contents;
    contents.blocks.push_back(std::move(**block));
  }
}

std::string sample_file() {
  PcapngWriter writer({.application = "labrun test", .comment = "a block"});
  const InterfaceId id =
      writer.add_interface({.name = "client", .description = "here", .snap_length = 1518});
  writer.add_secrets("CLIENT_RANDOM a b\n");
  writer.add_packet(
      id, test::captured(kTime, Direction::kOutbound, test::query_frame(10001, "abc")), "doq:117");
  writer.add_packet(
      id, test::captured(kTime + 1, Direction::kInbound, test::answer_frame(10001, "")), "");
  writer.add_statistics(id, {.received = 2, .dropped = 1, .truncated = 0}, kTime);
  return writer.bytes();
}

// The same file as a big-endian writer makes it: integers are turned, block by block. Knows the
// blocks of sample_file() only.
class ByteSwapper {
 public:
  explicit ByteSwapper(std::string bytes) : bytes_(std::move(bytes)) {}

  std::string run() {
    for (std::size_t at = 0; at < bytes_.size();) {
      const std::uint32_t type = word(at);
      const std::size_t length = word(at + 4);
      swap_body(type, at + 8, at + length - 4);
      swap(at, 4);
      swap(at + 4, 4);
      swap(at + length - 4, 4);
      at += length;
    }
    return bytes_;
  }

 private:
  std::uint32_t word(std::size_t at) const {
    std::uint32_t value = 0;
    for (std::size_t byte = 0; byte < 4; ++byte)
      value |= std::uint32_t{static_cast<std::uint8_t>(bytes_[at + byte])} << (8 * byte);
    return value;
  }
  void swap(std::size_t at, std::size_t width) {
    std::reverse(bytes_.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes_.begin() + static_cast<std::ptrdiff_t>(at + width));
  }
  void swap_options(std::size_t at, std::size_t end, bool integers) {
    while (at + 4 <= end) {
      const std::size_t length = word(at) >> 16U;
      if (integers && length >= 4 && (word(at) & 0xffffU) != 1) swap(at + 4, length);
      swap(at, 2);
      swap(at + 2, 2);
      at += 4 + (length + 3) / 4 * 4;
    }
  }
  void swap_body(std::uint32_t type, std::size_t at, std::size_t end) {
    if (type == 0x0a0d0d0a) {
      swap(at, 4);
      swap(at + 4, 2);
      swap(at + 6, 2);
      swap(at + 8, 8);
      swap_options(at + 16, end, false);
    } else if (type == 1) {
      swap(at, 2);
      swap(at + 4, 4);
      swap_options(at + 8, end, false);
    } else if (type == 10) {
      swap(at, 4);
      swap(at + 4, 4);
    } else if (type == 6) {
      const std::size_t captured = word(at + 12);
      for (std::size_t field = 0; field < 5; ++field) swap(at + 4 * field, 4);
      swap_options(at + 20 + (captured + 3) / 4 * 4, end, true);
    } else {
      for (std::size_t field = 0; field < 3; ++field) swap(at + 4 * field, 4);
      swap_options(at + 12, end, true);
    }
  }

  std::string bytes_;
};

void expect_sample(const Contents& contents) {
  ASSERT_EQ(contents.error, "");
  ASSERT_EQ(contents.blocks.size(), 5U);
  const auto& interface = std::get<InterfaceSeen>(contents.blocks[0]);
  EXPECT_EQ(interface.name, "client");
  EXPECT_EQ(interface.link_type, 1);
  EXPECT_EQ(interface.snap_length, 1518U);
  const auto& secrets = std::get<SecretsSeen>(contents.blocks[1]);
  EXPECT_EQ(secrets.type, 0x544c534bU);
  EXPECT_EQ(secrets.text, "CLIENT_RANDOM a b\n");
  const auto& first = std::get<PacketSeen>(contents.blocks[2]);
  EXPECT_EQ(first.packet,
            test::captured(kTime, Direction::kOutbound, test::query_frame(10001, "abc")));
  EXPECT_EQ(first.comment, "doq:117");
  const auto& second = std::get<PacketSeen>(contents.blocks[3]);
  EXPECT_EQ(second.packet.timestamp_ns, kTime + 1);
  EXPECT_EQ(second.packet.direction, Direction::kInbound);
  EXPECT_EQ(second.comment, "");
  const auto& statistics = std::get<StatisticsSeen>(contents.blocks[4]);
  EXPECT_EQ(statistics.received, 2U);
  EXPECT_EQ(statistics.dropped, 1U);
}

TEST(Pcapng, ReadsWhatItWrote) {
  expect_sample(read_all(sample_file()));
}

TEST(Pcapng, ReadsBigEndianFiles) {
  expect_sample(read_all(ByteSwapper(sample_file()).run()));
}

TEST(Pcapng, ReadsSectionsOneAfterAnother) {
  const Contents contents = read_all(sample_file() + ByteSwapper(sample_file()).run());
  ASSERT_EQ(contents.error, "");
  ASSERT_EQ(contents.blocks.size(), 10U);
  EXPECT_EQ(std::get<PacketSeen>(contents.blocks[2]).interface, 0U);
  EXPECT_EQ(std::get<PacketSeen>(contents.blocks[7]).interface, 1U);
}

TEST(Pcapng, EqualContentsAreEqualBytes) {
  EXPECT_EQ(sample_file(), sample_file());
}

TEST(Pcapng, EveryTruncationEndsOrIsNamed) {
  const std::string whole = sample_file();
  // Cut at the end of a block the file is a shorter one; anywhere else it is malformed.
  std::vector<std::size_t> ends{0};
  for (std::size_t at = 0; at < whole.size();) {
    at +=
        static_cast<std::uint8_t>(whole[at + 4]) + 256U * static_cast<std::uint8_t>(whole[at + 5]);
    ends.push_back(at);
  }
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const bool whole_blocks = std::ranges::contains(ends, length);
    EXPECT_EQ(read_all(whole.substr(0, length)).error.empty(), whole_blocks) << length;
  }
}

struct Damage {
  const char* name;
  std::size_t offset;
  std::string bytes;
  const char* complaint;
};

class DamagedPcapng : public testing::TestWithParam<Damage> {};

TEST_P(DamagedPcapng, NamesTheBlock) {
  std::string file = sample_file();
  file.replace(GetParam().offset, GetParam().bytes.size(), GetParam().bytes);
  EXPECT_EQ(read_all(file).error, GetParam().complaint);
}

// The sample's section header takes 60 bytes, its interface 48, its secrets 40; the first packet
// starts at 148.
INSTANTIATE_TEST_SUITE_P(
    All, DamagedPcapng,
    testing::Values(Damage{"type", 0, "X", "block 1: not a pcapng file"},
                    Damage{"magic", 8, "X", "block 1: not a pcapng section header"},
                    Damage{"version", 12, "\x02", "block 1: unknown pcapng version"},
                    Damage{"length", 4, std::string("\x05\0\0\0", 4),
                           "block 1: impossible block length 5"},
                    Damage{"huge", 4, std::string("\0\0\0\x7f", 4),
                           "block 1: impossible block length 2130706432"},
                    Damage{"trailer", 56, "X", "block 1: its two lengths differ"},
                    Damage{"interface", 160, "\x01", "block 4: unknown interface 1"},
                    Damage{"captured", 172, std::string("\xff\xff\xff\xff", 4),
                           "block 4: packet longer than its block"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Pcapng, RefusesOtherFormats) {
  EXPECT_EQ(read_all("\xd4\xc3\xb2\xa1 classic pcap").error, "block 1: not a pcapng file");
  EXPECT_EQ(read_all("").error, "");
}

TEST(Pcapng, HonoursOtherResolutions) {
  // A file of microseconds, the default: without the resolution option.
  std::string file = sample_file();
  const std::size_t option = file.find(std::string("\x09\0\x01\0\x09\0\0\0", 8));
  ASSERT_NE(option, std::string::npos);
  file[option + 4] = 6;
  EXPECT_EQ(read_all(file).error, "block 4: timestamp out of range");
  file[option + 4] = static_cast<char>(0x80 + 30);  // 2^-30 s
  const Contents contents = read_all(file);
  ASSERT_EQ(contents.error, "");
  EXPECT_EQ(std::get<PacketSeen>(contents.blocks[2]).packet.timestamp_ns / 1'000'000'000,
            kTime >> 30U);
}

}  // namespace
}  // namespace captures
