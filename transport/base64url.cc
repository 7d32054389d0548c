#include "transport/base64url.hh"

#include <cstdint>

namespace transport {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::string base64url_encode(ByteSpan bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  unsigned held = 0;  // how many of the low bits of `bits` are not written yet
  for (const std::uint8_t byte : bytes) {
    bits = bits << 8U | byte;
    for (held += 8; held >= 6; held -= 6) text += kAlphabet[bits >> (held - 6) & 0x3fU];
  }
  if (held > 0) text += kAlphabet[bits << (6 - held) & 0x3fU];
  return text;
}

std::optional<Bytes> base64url_decode(std::string_view text) {
  Bytes bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char character : text) {
    const std::size_t value = kAlphabet.find(character);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> held));
  }
  // A lone last character carries no byte, and the bits that are left over must be zero.
  if (held == 6 || (bits & ((1U << held) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace transport
