#pragma once

// Findings and what remains unexplained, as they stand under the table.

#include "harness/table_text.hh"

#include <string>

namespace analysis {
class FindingCollection;
}

namespace harness {

std::string render_findings(const analysis::FindingCollection& findings, Colors colors);

}  // namespace harness
