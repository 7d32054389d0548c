#include "endpoints/key_logger.hh"

__asm__(
    ".section .rodata\n"
    "kLabrunKeyLoggerBegin:\n"
    ".incbin \"" LABRUN_KEY_LOGGER
    "\"\n"
    "kLabrunKeyLoggerEnd:\n"
    ".previous\n");

extern "C" {
extern const char kLabrunKeyLoggerBegin[];
extern const char kLabrunKeyLoggerEnd[];
}

namespace endpoints {

std::string_view key_logger_library() {
  return {static_cast<const char*>(kLabrunKeyLoggerBegin),
          static_cast<const char*>(kLabrunKeyLoggerEnd)};
}

}  // namespace endpoints
