#include "transport/quic_send_queue.hh"

#include "base/errors.hh"

#include <algorithm>

namespace transport {

void SendBuffer::append(ByteSpan bytes, bool fin) {
  // Nothing can follow the end of a stream.
  if (fin_) return;
  if (!bytes.empty()) chunks_.emplace_back(bytes.begin(), bytes.end());
  end_ += bytes.size();
  fin_ = fin;
}

std::vector<ngtcp2_vec> SendBuffer::unsent() const {
  std::vector<ngtcp2_vec> pieces;
  std::uint64_t offset = start_;
  for (const Bytes& chunk : chunks_) {
    const std::uint64_t chunk_end = offset + chunk.size();
    if (chunk_end > sent_) {
      const std::size_t skip = sent_ > offset ? sent_ - offset : 0;
      // The library only reads, whatever its type says.
      pieces.push_back({const_cast<std::uint8_t*>(chunk.data()) + skip, chunk.size() - skip});
    }
    offset = chunk_end;
  }
  return pieces;
}

void SendBuffer::sent(std::size_t bytes) {
  sent_ += bytes;
  LABRUN_ASSERT(sent_ <= end_);
  if (fin_ && sent_ == end_) fin_sent_ = true;
}

// Only whole chunks are freed: what the library still holds must not move.
void SendBuffer::acknowledged(std::uint64_t offset) {
  while (!chunks_.empty() && start_ + chunks_.front().size() <= offset) {
    start_ += chunks_.front().size();
    chunks_.pop_front();
  }
}

void SendQueue::append(StreamId stream, ByteSpan bytes, bool fin) {
  SendBuffer& buffer = buffers_[stream];
  const bool waited = buffer.has_unsent();
  buffer.append(bytes, fin);
  // A stream keeps its place in the line when more comes.
  if (!waited && buffer.has_unsent()) waiting_.push_back(stream);
}

StreamId SendQueue::next() const {
  const auto found = std::ranges::find_if(
      waiting_, [this](StreamId stream) { return !blocked_.contains(stream); });
  return found == waiting_.end() ? -1 : *found;
}

void SendQueue::sent(StreamId stream, std::size_t bytes) {
  SendBuffer& buffer = buffers_.at(stream);
  buffer.sent(bytes);
  if (!buffer.has_unsent()) std::erase(waiting_, stream);
}

void SendQueue::acknowledged(StreamId stream, std::uint64_t offset) {
  const auto found = buffers_.find(stream);
  if (found != buffers_.end()) found->second.acknowledged(offset);
}

void SendQueue::block(StreamId stream) {
  blocked_.insert(stream);
}

void SendQueue::abandon(StreamId stream) {
  std::erase(waiting_, stream);
}

void SendQueue::erase(StreamId stream) {
  std::erase(waiting_, stream);
  buffers_.erase(stream);
}

}  // namespace transport
