#pragma once

// Reads a capture file of either format, told apart by its first four bytes. Any stream will do,
// a pipe too: it is read once, from its start to its end, and never sought in.

#include "captures/capture_input.hh"
#include "captures/pcap_reader.hh"
#include "captures/pcapng_reader.hh"
#include "captures/seen_block.hh"

#include <expected>
#include <istream>
#include <optional>
#include <string>
#include <variant>

namespace captures {

class CaptureReader {
 public:
  // Reads from `input`, which must stand at the start of the file and outlive the reader.
  explicit CaptureReader(std::istream& input);

  // As PcapngReader::next() and PcapReader::next(); for any other file, an empty one included, the
  // error is "neither pcapng nor pcap".
  std::expected<std::optional<SeenBlock>, std::string> next();

 private:
  struct Unknown {};
  std::variant<Unknown, PcapngReader, PcapReader> reader_;
};

}  // namespace captures
