#pragma once

// The bytes of a capture file, the first of which can be looked at before a reader takes them. The
// stream need be neither seekable nor able to put back: bytes looked at are kept here.

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <span>

namespace captures {

class CaptureInput {
 public:
  static constexpr std::size_t kMagicBytes = 4;

  // Reads from `input`, which must outlive this and its copies. Copies share the stream: only the
  // last one made may be read from.
  explicit CaptureInput(std::istream& input) : input_(&input) {}

  // The first bytes of the file, which read() still gives: kMagicBytes, fewer only where the file
  // is shorter. Asked for before anything is read.
  std::span<const std::uint8_t> peek_magic();

  // Fills `into` and returns how many bytes it was; fewer than asked for only where the file ends.
  std::size_t read(std::span<std::uint8_t> into);

 private:
  std::size_t read_stream(std::span<std::uint8_t> into);

  std::istream* input_;
  std::array<std::uint8_t, kMagicBytes> kept_{};
  std::size_t kept_from_ = 0;  // those from here up to `kept_to_` have yet to be taken
  std::size_t kept_to_ = 0;
};

}  // namespace captures
