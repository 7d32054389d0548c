#pragma once

// base64url without padding characters (RFC 4648 section 5), as DNS over HTTPS puts queries into
// paths (RFC 8484 section 6).

#include "transport/bytes.hh"

#include <optional>
#include <string>
#include <string_view>

namespace transport {

std::string base64url_encode(ByteSpan bytes);
// nullopt for anything that base64url_encode() does not make: '=', white space, stray bits.
std::optional<Bytes> base64url_decode(std::string_view text);

}  // namespace transport
