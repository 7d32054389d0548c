#include "analysis/byte_stream.hh"

#include <algorithm>

namespace analysis {

using transport::Bytes;
using transport::ByteSpan;

Bytes ByteStream::add(std::uint64_t offset, ByteSpan bytes) {
  highest_ = std::max(highest_, offset + bytes.size());
  if (bytes.empty()) return {};
  if (offset > contiguous_) {
    if (waiting_bytes_ + bytes.size() > kMaxWaitingBytes) return {};
    Bytes& piece = waiting_[offset];
    if (piece.size() < bytes.size()) {
      waiting_bytes_ += bytes.size() - piece.size();
      piece.assign(bytes.begin(), bytes.end());
    }
    return {};
  }
  Bytes given;
  const auto give = [&](std::uint64_t from, ByteSpan piece) {
    const std::uint64_t known = contiguous_ - from;
    if (known >= piece.size()) return;
    transport::append(given, piece.subspan(known));
    contiguous_ = from + piece.size();
  };
  give(offset, bytes);
  while (!waiting_.empty() && waiting_.begin()->first <= contiguous_) {
    const auto first = waiting_.begin();
    give(first->first, first->second);
    waiting_bytes_ -= first->second.size();
    waiting_.erase(first);
  }
  return given;
}

}  // namespace analysis
