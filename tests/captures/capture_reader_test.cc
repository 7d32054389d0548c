#include "captures/capture_reader.hh"

#include "captures/pcapng_writer.hh"
#include "tests/captures/frame_builder.hh"
#include "tests/captures/pcap_builder.hh"

#include <gtest/gtest.h>

#include <sstream>

namespace captures {
namespace {

// What a pipe gives: a byte at a time, no way back, no seeking.
class Pipe : public std::streambuf {
 public:
  explicit Pipe(std::string bytes) : bytes_(std::move(bytes)) {}

 private:
  int_type underflow() override {
    if (next_ == bytes_.size()) return traits_type::eof();
    byte_ = bytes_[next_++];
    setg(&byte_, &byte_, &byte_ + 1);
    return traits_type::to_int_type(byte_);
  }

  std::string bytes_;
  std::size_t next_ = 0;
  char byte_ = 0;
};

const test::Bytes kFrame = test::query_frame(10001, "question");

std::string pcapng_file() {
  PcapngWriter writer({.application = "labrun test", .comment = {}});
  const InterfaceId id = writer.add_interface({.name = "x", .description = {}, .snap_length = 0});
  writer.add_packet(id, test::captured(1'000, Direction::kUnknown, kFrame), "");
  return writer.bytes();
}

std::string pcap_file() {
  return test::PcapBuilder({}).add(0, 1, kFrame).bytes();
}

void expect_sample(std::istream& input) {
  CaptureReader reader(input);
  const auto interface = reader.next();
  ASSERT_TRUE(interface && *interface);
  EXPECT_EQ(std::get<InterfaceSeen>(**interface).link_type, 1);
  const auto packet = reader.next();
  ASSERT_TRUE(packet && *packet);
  EXPECT_EQ(std::get<PacketSeen>(**packet).packet,
            test::captured(1'000, Direction::kUnknown, kFrame));
  const auto end = reader.next();
  ASSERT_TRUE(end) << end.error();
  EXPECT_FALSE(*end);
}

TEST(CaptureReader, ReadsEitherFormatFromAFileOrAPipe) {
  for (const std::string& file : {pcapng_file(), pcap_file()}) {
    std::istringstream seekable(file);
    expect_sample(seekable);
    Pipe pipe(file);
    std::istream once(&pipe);
    expect_sample(once);
  }
}

std::string error_of(const std::string& file) {
  std::istringstream input(file);
  CaptureReader reader(input);
  const auto block = reader.next();
  return block ? "" : block.error();
}

TEST(CaptureReader, RefusesOtherFormats) {
  for (const std::string file : {"", "\xa1", "\xd4\xc3\xb2", "\x0a\x0d\x0d",
                                 "\x7f"
                                 "ELF",
                                 "XCP..."})
    EXPECT_EQ(error_of(file), "neither pcapng nor pcap");
  // The block type in one byte order, the magic of a modified pcap, a pcapng file from its middle.
  EXPECT_EQ(error_of("\x0d\x0a\x0a\x0d"), "neither pcapng nor pcap");
  EXPECT_EQ(error_of("\x34\xcd\xb2\xa1"), "neither pcapng nor pcap");
  EXPECT_EQ(error_of(pcapng_file().substr(60)), "neither pcapng nor pcap");
}

TEST(CaptureReader, SaysWhatTheReaderOfTheFormatSays) {
  EXPECT_EQ(error_of(pcapng_file().substr(0, 4)), "block 1: file ends within a block header");
  EXPECT_EQ(error_of(pcap_file().substr(0, 4)), "file header: file ends within it");
}

}  // namespace
}  // namespace captures
