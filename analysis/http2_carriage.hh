#pragma once

// DNS over HTTP/2 (RFC 9113): frames of both ends in the application data of one TLS connection.
// What would be an error of the whole connection ends the reading of its direction. Of pushed
// requests only the header compression is followed.

#include "analysis/doh_carriage.hh"
#include "analysis/frame_reader.hh"
#include "analysis/hpack_reader.hh"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>

namespace analysis {

class Http2Carriage final : public DohCarriage {
 public:
  Http2Carriage();
  void take(End from, std::uint64_t stream, transport::ByteSpan bytes, bool fin) override;
  void reset(End from, std::uint64_t stream) override;

 private:
  using Checked = std::expected<void, std::string>;
  // A header block that may go on in CONTINUATION frames, with nothing in between (RFC 9113 section
  // 4.3).
  struct HeaderBlock {
    std::uint32_t stream = 0;
    bool pushed = false;
    bool ends_stream = false;
    transport::Bytes bytes;
    ByteRange range;
  };
  struct Direction {
    explicit Direction(std::uint64_t first_frame) : frames(parse_http2_head, first_frame) {}
    std::size_t preface_taken = 0;
    bool started = false;  // the first frame's head is known
    bool stopped = false;
    FrameReader frames;
    HpackReader fields;
    std::optional<HeaderBlock> block;
  };
  Direction& direction(End from);
  void stop(End from, const std::string& reason);
  Checked read(End from, transport::ByteSpan bytes);
  Checked read_frame(End from, const Frame& frame);
  Checked begin_block(End from, const Frame& frame);
  Checked continue_block(End from, const Frame& frame);
  Checked end_block(End from);
  Checked read_data(End from, const Frame& frame);
  Checked read_settings(End from, const Frame& frame);

  std::array<Direction, 2> directions_;
};

}  // namespace analysis
