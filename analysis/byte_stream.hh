#pragma once

// Puts the pieces of a byte stream together: TCP payload by sequence number, QUIC CRYPTO and STREAM
// frames by offset.

#include "transport/bytes.hh"

#include <cstddef>
#include <cstdint>
#include <map>

namespace analysis {

class ByteStream {
 public:
  // Bytes beyond a hole are kept up to this many; what goes further is forgotten, so that a hostile
  // capture costs no memory. DNS needs a fraction.
  static constexpr std::size_t kMaxWaitingBytes = std::size_t{1} << 20U;

  // Gives the bytes that this piece makes contiguous with what was given before; empty while there
  // is a hole. No byte is given twice; of copies that differ and wait behind a hole, any may count.
  transport::Bytes add(std::uint64_t offset, transport::ByteSpan bytes);

  // What has been given out so far.
  std::uint64_t contiguous() const { return contiguous_; }
  // Where the highest byte seen so far ends.
  std::uint64_t highest() const { return highest_; }
  bool has_hole() const { return highest_ > contiguous_; }

 private:
  std::uint64_t contiguous_ = 0;
  std::uint64_t highest_ = 0;
  std::size_t waiting_bytes_ = 0;
  std::map<std::uint64_t, transport::Bytes> waiting_;  // may overlap
};

}  // namespace analysis
