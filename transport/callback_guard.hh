#pragma once

// Keeps C++ exceptions out of C code. A library calls us back, our code throws: the guard keeps the
// exception, the library gets its own failure code and unwinds, and the exception continues its way
// once the library call has returned.

#include <exception>
#include <utility>

namespace transport {

class CallbackGuard {
 public:
  // Result of `action`, or `failure` when it threw. After a throw, later callbacks of the same
  // library call do nothing.
  template <typename Result, typename Action>
  Result run(Result failure, Action&& action) noexcept {
    if (error_) return failure;
    try {
      return std::forward<Action>(action)();
    } catch (...) {
      error_ = std::current_exception();
      return failure;
    }
  }

  // To be called after each library call that may have called back.
  void rethrow() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  std::exception_ptr error_;
};

}  // namespace transport
