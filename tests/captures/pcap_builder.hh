#pragma once

// Classic pcap files for tests, of every kind that others write.

#include "captures/byte_order.hh"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace test {

class PcapBuilder {
 public:
  struct Format {
    std::uint32_t magic = 0xa1b2c3d4;  // microseconds
    std::endian order = std::endian::little;
    std::uint32_t snap_length = 262144;
    std::uint32_t link_type = 1;
  };
  static constexpr std::uint32_t kNanosecondMagic = 0xa1b23c4d;

  explicit PcapBuilder(const Format& format) : format_(format) {
    append(format.magic, 4);
    append(2, 2);
    append(4, 2);
    append(0, 4);
    append(0, 4);
    append(format.snap_length, 4);
    append(format.link_type, 4);
  }

  // `fraction` is in the unit of the magic.
  PcapBuilder& add(std::uint32_t seconds, std::uint32_t fraction,
                   const std::vector<std::uint8_t>& frame, std::size_t original_length = 0) {
    append(seconds, 4);
    append(fraction, 4);
    append(frame.size(), 4);
    append(std::max(frame.size(), original_length), 4);
    bytes_.append(frame.begin(), frame.end());
    return *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void append(std::uint64_t value, std::size_t width) {
    for (std::size_t index = 0; index < width; ++index) {
      const std::size_t byte = format_.order == std::endian::little ? index : width - 1 - index;
      bytes_ += static_cast<char>(value >> (8 * byte));
    }
  }

  Format format_;
  std::string bytes_;
};

}  // namespace test
