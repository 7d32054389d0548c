#pragma once

// Lines from a descriptor that another process writes to.

#include "base/clock.hh"
#include "base/file_descriptor.hh"

#include <cstddef>
#include <optional>
#include <string>

namespace base {

// Cuts what a descriptor delivers into lines. The descriptor belongs to the caller and may block:
// it is read only when it has something. A line longer than `limit` throws LabError.
class LineReader {
 public:
  explicit LineReader(const FileDescriptor& from, std::size_t limit = 1U << 20U)
      : from_(from), limit_(limit) {}

  // The next line without its line feed, nullopt where `deadline` passed before there was one.
  // Throws LabError at the end of the stream; `what` names the lines in errors: "the record of
  // labquery".
  std::optional<std::string> next(const Clock& clock, Instant deadline, std::string_view what);
  // A whole line that was read already, if there is one.
  std::optional<std::string> buffered();
  // Everything that can be had without waiting, lines or not, taken out. For streams that are
  // passed on as they are.
  std::string available();
  // Reads what is there now into the buffer; false at the end of the stream.
  bool fill();

 private:
  const FileDescriptor& from_;
  std::size_t limit_;
  std::string buffer_;
};

}  // namespace base
