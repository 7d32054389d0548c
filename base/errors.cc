#include "base/errors.hh"

#include <cstdio>
#include <cstdlib>

namespace base {

std::string describe_nested(const std::exception& error) {
  std::string text = error.what();
  try {
    std::rethrow_if_nested(error);
  } catch (const std::exception& cause) {
    text += ": " + describe_nested(cause);
  }
  return text;
}

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "labrun: a bug: %s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace base
