#pragma once

// Messages on a byte stream: each behind its length in two bytes (RFC 1035 section 4.2.2; DoT: RFC
// 7858 section 3.3; DoQ: RFC 9250 section 4.2).

#include "transport/bytes.hh"

#include <cstddef>
#include <optional>

namespace transport {

// Length and message in one piece, so that one write (one TLS record, one STREAM frame) carries
// both.
Bytes frame_message(ByteSpan message);

// Takes the stream's bytes as they come and gives whole messages. Holds what the peer has sent and
// nobody has taken: a caller that takes messages after each receive() holds at most one incomplete
// message.
class MessageDeframer {
 public:
  void receive(ByteSpan bytes);
  // The next whole message without its prefix.
  std::optional<Bytes> next();
  // Bytes after the last whole message: at the end of a stream, anything but 0 is an error of the
  // peer.
  std::size_t pending() const { return buffer_.size() - consumed_; }

 private:
  Bytes buffer_;
  std::size_t consumed_ = 0;
};

}  // namespace transport
