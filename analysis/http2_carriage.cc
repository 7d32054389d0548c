#include "analysis/http2_carriage.hh"

#include <algorithm>
#include <format>
#include <string_view>
#include <utility>

namespace analysis {
namespace {

// RFC 9113 section 3.4.
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::string_view kNotTheStart = "the capture may begin within the connection";

bool has(const Frame& frame, std::uint8_t flag) {
  return (frame.head.flags & flag) != 0;
}

bool is_first(const FrameHead& head) {
  return head.type == NGHTTP2_SETTINGS && (head.flags & NGHTTP2_FLAG_ACK) == 0 && head.stream == 0;
}

// The payload without padding (RFC 9113 sections 6.1, 6.2 and 6.6); nullopt where the padding is
// longer than the frame.
std::optional<transport::ByteSpan> without_padding(const Frame& frame) {
  if (!has(frame, NGHTTP2_FLAG_PADDED)) return frame.payload;
  if (frame.payload.empty() || frame.payload.size() - 1 < frame.payload[0]) return std::nullopt;
  return frame.payload.subspan(1, frame.payload.size() - 1 - frame.payload[0]);
}

}  // namespace

Http2Carriage::Http2Carriage()
    : DohCarriage(/*ends_with_stream=*/false),
      directions_{Direction(kPreface.size()), Direction(0)} {}

Http2Carriage::Direction& Http2Carriage::direction(End from) {
  return directions_.at(std::to_underlying(from));
}

void Http2Carriage::stop(End from, const std::string& reason) {
  direction(from).stopped = true;
  complain(std::format("{}: {}", to_string(from), reason));
}

void Http2Carriage::take(End from, std::uint64_t /*stream*/, transport::ByteSpan bytes, bool fin) {
  if (direction(from).stopped) return;
  const Checked outcome = read(from, bytes);
  if (!outcome) return stop(from, outcome.error());
  if (fin && direction(from).frames.within_frame()) stop(from, "the stream ends within a frame");
}

void Http2Carriage::reset(End from, std::uint64_t /*stream*/) {
  direction(from).stopped = true;
}

Http2Carriage::Checked Http2Carriage::read(End from, transport::ByteSpan bytes) {
  Direction& self = direction(from);
  if (from == End::kClient) {
    const auto expected = kPreface.substr(self.preface_taken);
    const auto taken = bytes.first(std::min(bytes.size(), expected.size()));
    if (as_text(taken.data(), taken.size()) != expected.substr(0, taken.size())) {
      return std::unexpected(std::format("no HTTP/2 preface; {}", kNotTheStart));
    }
    self.preface_taken += taken.size();
    bytes = bytes.subspan(taken.size());
  }
  for (;;) {
    const auto frame = self.frames.next(bytes);
    // At its head already: what is no head may claim any length.
    const std::optional<FrameHead> head = frame ? frame->head : self.frames.head();
    if (head && !std::exchange(self.started, true) && !is_first(*head)) {
      return std::unexpected(
          std::format("the first frame is not SETTINGS (RFC 9113 section 3.4); {}", kNotTheStart));
    }
    if (!frame) return {};
    const Checked outcome = read_frame(from, *frame);
    if (!outcome) return outcome;
  }
}

Http2Carriage::Checked Http2Carriage::read_frame(End from, const Frame& frame) {
  const bool continued = frame.head.type == NGHTTP2_CONTINUATION;
  if (continued != direction(from).block.has_value()) {
    return std::unexpected(continued ? "CONTINUATION without a header block"
                                     : "header block is interrupted by another frame");
  }
  switch (frame.head.type) {
    case NGHTTP2_DATA:
      return read_data(from, frame);
    case NGHTTP2_HEADERS:
    case NGHTTP2_PUSH_PROMISE:
      return begin_block(from, frame);
    case NGHTTP2_CONTINUATION:
      return continue_block(from, frame);
    case NGHTTP2_SETTINGS:
      return read_settings(from, frame);
    case NGHTTP2_RST_STREAM:
      // The other end stops too, wherever it is.
      drop_message(from, frame.head.stream);
      drop_message(other(from), frame.head.stream);
      return {};
    default:
      return {};  // says nothing about messages
  }
}

Http2Carriage::Checked Http2Carriage::begin_block(End from, const Frame& frame) {
  if (frame.skipped) return std::unexpected("header block is too long");
  if (frame.head.stream == 0) return std::unexpected("header block on stream 0");
  const bool pushed = frame.head.type == NGHTTP2_PUSH_PROMISE;
  const bool prioritized = !pushed && has(frame, NGHTTP2_FLAG_PRIORITY);
  // Before the block: the promised stream, or dependency and weight.
  const std::size_t before = pushed ? 4 : prioritized ? 5 : 0;
  const auto content = without_padding(frame);
  if (!content || content->size() < before) return std::unexpected("HEADERS frame is too short");
  const auto block = content->subspan(before);
  direction(from).block = HeaderBlock{.stream = frame.head.stream,
                                      .pushed = pushed,
                                      .ends_stream = !pushed && has(frame, NGHTTP2_FLAG_END_STREAM),
                                      .bytes = {block.begin(), block.end()},
                                      .range = frame.range};
  return has(frame, NGHTTP2_FLAG_END_HEADERS) ? end_block(from) : Checked();
}

Http2Carriage::Checked Http2Carriage::continue_block(End from, const Frame& frame) {
  HeaderBlock& block = *direction(from).block;
  if (frame.head.stream != block.stream) {
    return std::unexpected("header block is continued on another stream");
  }
  if (frame.skipped || frame.payload.size() > kMaxKeptPayload - block.bytes.size()) {
    return std::unexpected("header block is too long");
  }
  transport::append(block.bytes, frame.payload);
  block.range.end = frame.range.end;
  return has(frame, NGHTTP2_FLAG_END_HEADERS) ? end_block(from) : Checked();
}

Http2Carriage::Checked Http2Carriage::end_block(End from) {
  const HeaderBlock block = *std::exchange(direction(from).block, std::nullopt);
  const auto fields = direction(from).fields.read(block.bytes);
  if (!fields) {
    return std::unexpected(std::format("stream {}: {}", block.stream, fields.error()));
  }
  if (block.pushed) return {};
  add_fields(from, block.stream, *fields, block.range);
  if (block.ends_stream) end_message(from, block.stream);
  return {};
}

Http2Carriage::Checked Http2Carriage::read_data(End from, const Frame& frame) {
  const std::uint64_t stream = frame.head.stream;
  if (frame.skipped) {
    skip_body(from, stream, frame.range);
  } else {
    const auto content = without_padding(frame);
    if (!content) return std::unexpected("padding is longer than its frame");
    add_body(from, stream, *content, frame.range);
  }
  if (has(frame, NGHTTP2_FLAG_END_STREAM)) end_message(from, stream);
  return {};
}

// Of all settings only the size of the header table tells how the other end's bytes are to be read.
Http2Carriage::Checked Http2Carriage::read_settings(End from, const Frame& frame) {
  if (has(frame, NGHTTP2_FLAG_ACK)) {
    direction(from).fields.acknowledge();
    return {};
  }
  constexpr std::size_t kEntry = 6;
  if (frame.skipped || frame.payload.size() % kEntry != 0) {
    return std::unexpected("SETTINGS frame of a wrong length");
  }
  std::optional<TableSizes> sizes;
  for (auto left = frame.payload; !left.empty(); left = left.subspan(kEntry)) {
    if ((left[0] << 8U | left[1]) != NGHTTP2_SETTINGS_HEADER_TABLE_SIZE) continue;
    std::uint32_t value = 0;
    for (const std::uint8_t byte : left.subspan(2, 4)) value = value << 8U | byte;
    sizes = TableSizes{.smallest = sizes ? std::min(sizes->smallest, value) : value, .last = value};
  }
  direction(other(from)).fields.allow(sizes);
  return {};
}

}  // namespace analysis
