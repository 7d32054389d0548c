#pragma once

// SHA-256 (FIPS 180-4) of bytes in memory.

#include <string>
#include <string_view>

namespace harness {

// 64 hexadecimal digits, as sha256sum(1) prints them.
std::string sha256(std::string_view bytes);

}  // namespace harness
