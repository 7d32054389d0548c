#pragma once

// The queries of a small run (harness/small_run.hh) as their packets explain them. What a bundle
// says of them comes from here, when it is made and when it is verified.

#include "analysis/finding.hh"
#include "captures/query_record.hh"
#include "harness/stored_run.hh"

#include <string>
#include <vector>

namespace harness {

struct BundledQuery {
  captures::QueryRecord record;  // as analysed now
  std::string ladder;            // packet by packet, as `labrun explain` prints it
  std::string fates;             // lines of JSON: each packet, and what became of it
  std::string client_qlog;       // empty where it is no QUIC
  std::string server_qlog;
  std::vector<analysis::Finding> findings;
};

// In the order of the records. Throws LabError where the run cannot be read.
std::vector<BundledQuery> read_bundled(const StoredRun& run);

}  // namespace harness
