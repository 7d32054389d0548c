#include "captures/capture_input.hh"

#include <algorithm>

namespace captures {

std::span<const std::uint8_t> CaptureInput::peek_magic() {
  if (kept_to_ == 0) kept_to_ = read_stream(kept_);
  return std::span(kept_).subspan(kept_from_, kept_to_ - kept_from_);
}

std::size_t CaptureInput::read(std::span<std::uint8_t> into) {
  const std::size_t kept = std::min(kept_to_ - kept_from_, into.size());
  std::ranges::copy(std::span(kept_).subspan(kept_from_, kept), into.begin());
  kept_from_ += kept;
  return kept + read_stream(into.subspan(kept));
}

std::size_t CaptureInput::read_stream(std::span<std::uint8_t> into) {
  input_->read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size()));
  return static_cast<std::size_t>(input_->gcount());
}

}  // namespace captures
