#include "transport/dns_framing.hh"

#include "base/errors.hh"
#include "transport/dns_message.hh"

namespace transport {

Bytes frame_message(ByteSpan message) {
  LABRUN_ASSERT(message.size() <= kMaxDnsMessage);
  Bytes framed;
  framed.reserve(2 + message.size());
  framed.push_back(static_cast<std::uint8_t>(message.size() >> 8U));
  framed.push_back(static_cast<std::uint8_t>(message.size()));
  append(framed, message);
  return framed;
}

void MessageDeframer::receive(ByteSpan bytes) {
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(consumed_));
  consumed_ = 0;
  append(buffer_, bytes);
}

std::optional<Bytes> MessageDeframer::next() {
  const ByteSpan left = ByteSpan(buffer_).subspan(consumed_);
  if (left.size() < 2) return std::nullopt;
  const std::size_t length = static_cast<std::size_t>(left[0]) << 8U | left[1];
  if (left.size() - 2 < length) return std::nullopt;
  const ByteSpan body = left.subspan(2, length);
  Bytes message(body.begin(), body.end());
  consumed_ += 2 + length;
  return message;
}

}  // namespace transport
