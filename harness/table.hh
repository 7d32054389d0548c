#pragma once

// The summary as tables for people, at most 100 columns wide; only a command to repeat may be
// longer, because it is there to be copied.

#include "harness/table_text.hh"

#include <span>
#include <string>

namespace analysis {
struct ExpectationVerdict;
class FindingCollection;
struct Summary;
}  // namespace analysis

namespace harness {

// What stands under the tables.
struct RunFacts {
  std::string seed;
  std::string kernel;     // "lab, Linux 7.3.4, virtual time"
  std::string versions;   // "labrun 0.1.0, OpenSSL 3.5.9, ngtcp2 1.22.1"
  std::string reproduce;  // the command
  std::string run_directory;
  std::string validity;       // empty when every block is valid, otherwise what to distrust and why
  std::string gate{};         // what is to be said of the packet gate, one line each
  std::string server_ends{};  // servers that ended when they should not, one line each
};

std::string render_table(const analysis::Summary& summary,
                         std::span<const analysis::ExpectationVerdict> verdicts,
                         const analysis::FindingCollection& findings, const RunFacts& facts,
                         Colors colors);

}  // namespace harness
