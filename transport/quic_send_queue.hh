#pragma once

// Stream bytes on their way out of one QUIC connection: what waits to be sent, and what was sent
// and must be kept until it is acknowledged, because QUIC may send it again.

#include "transport/bytes.hh"
#include "transport/quic_events.hh"

#include <ngtcp2/ngtcp2.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

namespace transport {

// One stream's direction from us. Offsets count from the start of the stream.
class SendBuffer {
 public:
  void append(ByteSpan bytes, bool fin);
  bool has_unsent() const { return sent_ < end_ || (fin_ && !fin_sent_); }
  // Borrowed from the buffer, valid until they are acknowledged.
  std::vector<ngtcp2_vec> unsent() const;
  bool ends() const { return fin_; }
  // `bytes` more were taken; all of them with the end of the stream, where there is one.
  void sent(std::size_t bytes);
  // Everything up to `offset` has arrived.
  void acknowledged(std::uint64_t offset);

 private:
  std::deque<Bytes> chunks_;
  std::uint64_t start_ = 0;  // offset of the first chunk
  std::uint64_t sent_ = 0;
  std::uint64_t end_ = 0;
  bool fin_ = false;
  bool fin_sent_ = false;
};

// Serves streams in the order in which they got something to send.
class SendQueue {
 public:
  void append(StreamId stream, ByteSpan bytes, bool fin);
  // The stream to serve next, or -1.
  StreamId next() const;
  const SendBuffer& buffer(StreamId stream) const { return buffers_.at(stream); }
  void sent(StreamId stream, std::size_t bytes);
  void acknowledged(StreamId stream, std::uint64_t offset);
  // Not before unblock_all(): flow control holds it back.
  void block(StreamId stream);
  void unblock_all() { blocked_.clear(); }
  // Forgets what is unsent; what was sent is kept for retransmission.
  void abandon(StreamId stream);
  void erase(StreamId stream);

 private:
  std::map<StreamId, SendBuffer> buffers_;
  std::deque<StreamId> waiting_;
  std::set<StreamId> blocked_;
};

}  // namespace transport
