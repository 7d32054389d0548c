#pragma once

// What the programs call themselves.

namespace base {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace base
