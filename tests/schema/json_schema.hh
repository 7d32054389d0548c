#pragma once

// Validates the files of run directories against their JSON Schemas. For tests only.

#include <string>
#include <string_view>
#include <vector>

namespace tests {

// What of `instance` does not fit `schema`, "/cells/0/arm: ..." each; both are JSON texts. A text
// that is no JSON, or a schema that is none, is a complaint too.
std::vector<std::string> complaints(std::string_view schema, std::string_view instance);

}  // namespace tests
