#include "analysis/frame_reader.hh"

#include "analysis/quic_varint.hh"

#include <algorithm>
#include <utility>

namespace analysis {
namespace {

constexpr std::size_t kHttp2Head = 9;

}  // namespace

std::optional<FrameHead> parse_http2_head(transport::ByteSpan bytes) {
  if (bytes.size() < kHttp2Head) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (const std::uint8_t byte : bytes.subspan(at, count)) value = value << 8U | byte;
    return value;
  };
  // The stream's highest bit is reserved and ignored.
  return FrameHead{.type = bytes[3],
                   .length = number(0, 3),
                   .flags = bytes[4],
                   .stream = number(5, 4) & 0x7fffffffU};
}

std::optional<FrameHead> parse_http3_head(transport::ByteSpan bytes) {
  const auto type = take_varint(bytes);
  if (!type) return std::nullopt;
  const auto length = take_varint(bytes);
  if (!length) return std::nullopt;
  return FrameHead{.type = *type, .length = *length};
}

std::optional<Frame> FrameReader::next(transport::ByteSpan& bytes) {
  while (!head_) {
    if (bytes.empty()) return std::nullopt;
    if (head_bytes_.empty()) {
      first_ = at_;
      payload_.clear();
    }
    head_bytes_.push_back(bytes[0]);
    bytes = bytes.subspan(1);
    ++at_;
    head_ = parse_head_(head_bytes_);
    if (head_) left_ = head_->length;
  }
  const bool skipped = head_->length > kMaxKeptPayload;
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  if (!skipped) transport::append(payload_, bytes.first(taken));
  bytes = bytes.subspan(taken);
  at_ += taken;
  left_ -= taken;
  if (left_ > 0) return std::nullopt;
  head_bytes_.clear();
  return Frame{.head = *std::exchange(head_, std::nullopt),
               .payload = payload_,
               .range = {.first = first_, .end = at_},
               .skipped = skipped};
}

}  // namespace analysis
