#pragma once

// Records as a person at a terminal reads them.

#include "captures/query_record.hh"

#include <span>
#include <string>

namespace clients {

// The answer, then how it came about: phases in ms from the start and since the phase before, with
// what each means.
std::string describe_query(const captures::QueryRecord& record);
// One line, for queries that are repeated; `ordinal` counts from 1.
std::string describe_briefly(const captures::QueryRecord& record, std::size_t ordinal);
// Answered of how many; fastest, median and slowest answer. Queries without an answer count as
// slower than any other.
std::string summarise(std::span<const captures::QueryRecord> records);

}  // namespace clients
