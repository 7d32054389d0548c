#pragma once

// Frames of HTTP/2 (RFC 9113 section 4.1) and HTTP/3 (RFC 9114 section 7.1): a head that tells the
// length, then the payload.

#include "analysis/byte_range.hh"
#include "transport/bytes.hh"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace analysis {

struct FrameHead {
  std::uint64_t type = 0;
  std::uint64_t length = 0;  // of the payload
  // HTTP/2 only.
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;
};

// nullopt where more bytes are needed.
std::optional<FrameHead> parse_http2_head(transport::ByteSpan bytes);
std::optional<FrameHead> parse_http3_head(transport::ByteSpan bytes);

struct Frame {
  FrameHead head;
  transport::ByteSpan payload;  // until the reader's next call
  ByteRange range;              // of the whole frame
  // The payload is longer than what is kept, hence empty here.
  bool skipped = false;
};

// Far beyond what a DNS message or a header section needs.
inline constexpr std::size_t kMaxKeptPayload = 131072;

class FrameReader {
 public:
  using ParseHead = std::optional<FrameHead> (*)(transport::ByteSpan);
  // The first frame begins at `first_byte` of the stream.
  FrameReader(ParseHead parse_head, std::uint64_t first_byte)
      : parse_head_(parse_head), at_(first_byte) {}

  // The next whole frame; takes what it needs of the stream's next `bytes`, which is all of them
  // where no frame is complete.
  std::optional<Frame> next(transport::ByteSpan& bytes);
  // Of the frame that next() is within, once it is known.
  const std::optional<FrameHead>& head() const { return head_; }
  bool within_frame() const { return !head_bytes_.empty(); }

 private:
  ParseHead parse_head_;
  std::uint64_t at_;  // in the stream
  transport::Bytes head_bytes_;
  std::optional<FrameHead> head_;
  std::uint64_t first_ = 0;  // of the frame
  std::uint64_t left_ = 0;   // of the payload
  transport::Bytes payload_;
};

}  // namespace analysis
