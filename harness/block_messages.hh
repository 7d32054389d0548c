#pragma once

// What a running block tells the process that started it: one JSON object a line.

#include "base/clock.hh"
#include "base/file_descriptor.hh"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace harness {

struct BlockMessage {
  enum class Kind { kProgress, kFinished, kFailed };
  Kind kind = Kind::kProgress;
  std::uint32_t queries_done = 0;  // kProgress
  base::Nanoseconds elapsed{};     // kProgress: on the block's own clock
  std::string reason;              // kFailed
};

// The sending end. Owns the descriptor.
class BlockMessages {
 public:
  explicit BlockMessages(base::FileDescriptor line) : line_(std::move(line)) {}

  void progress(std::uint32_t queries_done, base::Nanoseconds elapsed) const;
  void finished() const;
  void failed(std::string_view reason) const;

 private:
  base::FileDescriptor line_;
};

// Reads one line; an error in words for anything that a block does not write.
std::expected<BlockMessage, std::string> parse_block_message(std::string_view line);

}  // namespace harness
