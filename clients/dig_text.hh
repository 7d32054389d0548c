#pragma once

// An answer as dig prints it, and kdig almost likewise.

#include "captures/query_record.hh"

#include <optional>
#include <string_view>

namespace clients {

// The answer's part of a record from the text; `own_time` is the program's own measurement. False
// where no answer is in it, and then the record is as it was.
bool read_dig_text(std::string_view text, captures::QueryRecord& record);

}  // namespace clients
