#pragma once

// Domain names between presentation form and wire form (RFC 1035 sections 3.1 and 5.1).

#include "transport/bytes.hh"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace transport {

// Wire length of a whole name and of one label (RFC 1035 section 2.3.4).
inline constexpr std::size_t kMaxNameWire = 255;
inline constexpr std::size_t kMaxLabel = 63;

// Uncompressed wire form, or nullopt for text that is no name. A final dot is allowed.
std::optional<Bytes> name_to_wire(std::string_view text);
// Text of one label, with what is special in zone files escaped.
std::string label_to_text(ByteSpan label);
// Takes one character, which may be an escape (\DDD or \c), off the front of `text`; nullopt for a
// malformed escape.
std::optional<std::uint8_t> take_character(std::string_view& text);

}  // namespace transport
