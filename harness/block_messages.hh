#pragma once

// What a running block tells the process that started it: one JSON object a line.

#include "base/clock.hh"
#include "base/file_descriptor.hh"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// Work of a block that may go on for ever, because a program of somebody else has a part in it.
struct BlockWork {
  std::string work;                 // "ask dot:3 of unbound"
  std::vector<std::string> logs{};  // of those programs; file names in the block's results
};

struct BlockMessage {
  enum class Kind { kProgress, kDoing, kFinished, kFailed };
  Kind kind = Kind::kProgress;
  std::uint32_t queries_done = 0;  // kProgress
  base::Nanoseconds elapsed{};     // kProgress: on the block's own clock
  BlockWork doing;                 // kDoing
  std::string reason;              // kFailed
};

// The sending end. Owns the descriptor.
class BlockMessages {
 public:
  explicit BlockMessages(base::FileDescriptor line) : line_(std::move(line)) {}

  void progress(std::uint32_t queries_done, base::Nanoseconds elapsed) const;
  void doing(const BlockWork& work) const;
  void finished() const;
  void failed(std::string_view reason) const;

 private:
  base::FileDescriptor line_;
};

// Reads one line; an error in words for anything that a block does not write.
std::expected<BlockMessage, std::string> parse_block_message(std::string_view line);

}  // namespace harness
