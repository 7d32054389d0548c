#pragma once

// Reads a DNS message byte by byte, bounds checked. The first error sticks: later reads give zeros
// and empty values, so a parser asks once at the end.

#include "transport/bytes.hh"

#include <cstddef>
#include <cstdint>
#include <format>
#include <string>
#include <string_view>

namespace transport {

class WireReader {
 public:
  explicit WireReader(ByteSpan wire) : wire_(wire) {}

  std::uint8_t read_u8();
  std::uint16_t read_u16();
  std::uint32_t read_u32();
  ByteSpan read_bytes(std::size_t count);
  // A name that may be compressed (RFC 1035 section 4.1.4), as text and, uncompressed, as bytes.
  // Pointers must point backwards, each further than the one before, so that reading ends.
  struct Name {
    std::string text;
    Bytes wire;
  };
  Name read_name();

  std::size_t at() const { return at_; }
  std::size_t left() const { return failed() ? 0 : wire_.size() - at_; }
  void fail(std::string_view problem);
  bool failed() const { return !error_.empty(); }
  // "byte 12: name is longer than 255 bytes"
  const std::string& error() const { return error_; }

 private:
  // One label at `position`, which moves behind it; false at the end of the name or after an error.
  bool read_label(std::size_t& position, Name& name);

  ByteSpan wire_;
  std::size_t at_ = 0;
  std::string error_;
};

}  // namespace transport
