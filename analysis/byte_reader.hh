#pragma once

// Reads big-endian fields of TLS (RFC 8446) and QUIC (RFC 9000), bounds checked. The first read
// that goes too far sticks: later reads give zeros and empty spans, so a parser asks once at the
// end.

#include "analysis/quic_varint.hh"
#include "transport/bytes.hh"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace analysis {

class ByteReader {
 public:
  explicit ByteReader(transport::ByteSpan bytes) : bytes_(bytes) {}

  // An integer of 1 to 8 bytes.
  std::uint64_t integer(std::size_t size) {
    std::uint64_t value = 0;
    for (const std::uint8_t byte : span(size)) value = value << 8U | byte;
    return value;
  }

  std::uint64_t varint() {
    transport::ByteSpan rest = bytes_.subspan(at_);
    const auto value = failed_ ? std::nullopt : take_varint(rest);
    failed_ = !value;
    at_ = bytes_.size() - rest.size();
    return value.value_or(0);
  }

  transport::ByteSpan span(std::uint64_t size) {
    if (failed_ || size > bytes_.size() - at_) {
      failed_ = true;
      return {};
    }
    const transport::ByteSpan taken = bytes_.subspan(at_, size);
    at_ += size;
    return taken;
  }

  // Bytes behind a length of `size_bytes` bytes, which TLS calls a vector.
  transport::ByteSpan vector(std::size_t size_bytes) { return span(integer(size_bytes)); }

  transport::ByteSpan rest() { return span(left()); }
  std::size_t left() const { return failed_ ? 0 : bytes_.size() - at_; }
  std::size_t at() const { return at_; }
  bool failed() const { return failed_; }

 private:
  transport::ByteSpan bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace analysis
