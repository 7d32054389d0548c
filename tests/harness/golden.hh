#pragma once

// Texts that are reviewed once and then kept: tests/golden/<name>. To accept a change, run the test
// with LABRUN_UPDATE_GOLDEN=1 and review the difference.

#include <string>
#include <string_view>

namespace harness {

// Fails the running test when `text` differs from the kept one.
void expect_golden(std::string_view name, std::string_view text);

}  // namespace harness
