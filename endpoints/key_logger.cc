#include "endpoints/key_logger.hh"

__asm__(
    ".section .rodata\n"
    "labrun_key_logger_begin:\n"
    ".incbin \"" LABRUN_KEY_LOGGER
    "\"\n"
    "labrun_key_logger_end:\n"
    ".previous\n");

extern "C" {
extern const char labrun_key_logger_begin[];
extern const char labrun_key_logger_end[];
}

namespace endpoints {

std::string_view key_logger_library() {
  return {static_cast<const char*>(labrun_key_logger_begin),
          static_cast<const char*>(labrun_key_logger_end)};
}

}  // namespace endpoints
