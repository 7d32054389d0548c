#pragma once

// How the lab says that it broke: exceptions that name what was attempted, on what, and why. The
// outcome of an experiment (a timeout, a refused handshake) is never an exception but data in a
// record.

#include <system_error>

#include <cerrno>
#include <exception>
#include <format>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace base {

// The lab could not do its work. Ends the program with kExitLabFailure.
class LabError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A system call failed: "open captures/0.pcapng: No space left on device".
class SystemError : public LabError {
 public:
  SystemError(std::string_view attempted, int error_number)
      : LabError(std::format("{}: {}", attempted, std::generic_category().message(error_number))),
        error_number_(error_number) {}

  int error_number() const { return error_number_; }

 private:
  int error_number_;
};

// Passes a system call's result through, or throws SystemError where it is negative. The text is
// composed only on failure, after errno was read: check_syscall(::open(path, O_RDONLY), "open {}",
// path).
template <typename Result, typename... Arguments>
Result check_syscall(Result result, std::format_string<Arguments...> attempted,
                     Arguments&&... arguments) {
  if (result < 0) {
    const int error_number = errno;
    throw SystemError(std::format(attempted, std::forward<Arguments>(arguments)...), error_number);
  }
  return result;
}

// Runs `action`; an exception that leaves it is nested into a LabError that says what was being
// done.
template <typename Action>
decltype(auto) with_context(std::string_view doing, Action&& action) {
  try {
    return std::forward<Action>(action)();
  } catch (const std::exception&) {
    std::throw_with_nested(LabError(std::string(doing)));
  }
}

// The whole chain, outermost first: "block 3: start labdns: execve /x/labdns: No such file or
// directory".
std::string describe_nested(const std::exception& error);

// Exit codes of all three programs (docs/run-directory.md). 77 is what test drivers take for
// "skipped".
inline constexpr int kExitSuccess = 0;
inline constexpr int kExitExpectationFailed = 1;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitLabFailure = 3;
inline constexpr int kExitSkipped = 77;
inline constexpr int kExitInterrupted = 130;

}  // namespace base

// Checks our own assumptions, in release builds too: a lab that continues on a broken one prints
// wrong figures.
#define LABRUN_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::base::assertion_failed(#condition, __FILE__, __LINE__))

namespace base {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;
}  // namespace base
