#pragma once

// Lines for somebody who reads them at the other end of a descriptor. They are collected and leave
// together, because every write is a system call in the middle of what is measured.

#include "base/file_descriptor.hh"

#include <cstdint>
#include <string>
#include <string_view>

namespace endpoints {

class LineWriter {
 public:
  // Owns `descriptor`, which may be none: then lines vanish. After `most_lines` one more says that
  // the rest is left out.
  LineWriter(base::FileDescriptor descriptor, std::int64_t most_lines);

  void add(std::string_view line);
  // Everything collected, in one write. Throws SystemError when the reader has gone.
  void flush();

 private:
  base::FileDescriptor descriptor_;
  std::int64_t lines_left_;
  std::string pending_;
};

}  // namespace endpoints
