#pragma once

// Lines for somebody who reads them at the other end of a descriptor. They are collected and leave
// together, because every write is a system call in the middle of what is measured.

#include "base/file_descriptor.hh"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace endpoints {

// Gets one message without a newline.
using LogSink = std::function<void(std::string_view line)>;

class LineWriter {
 public:
  // Owns `descriptor`, which may be none: then lines vanish. After `most_lines` one more says that
  // the rest is left out.
  LineWriter(base::FileDescriptor descriptor, std::int64_t most_lines);

  void add(std::string_view line);
  // Everything collected, in one write. Throws SystemError when the reader has gone.
  void flush();
  // The same once nothing was added since the last call, or when much has come together: what
  // belongs together, like the keys of one handshake, leaves in one piece.
  void flush_settled();

 private:
  base::FileDescriptor descriptor_;
  std::int64_t lines_left_;
  std::string pending_;
  std::size_t pending_before_ = 0;  // at the last flush_settled()
};

}  // namespace endpoints
