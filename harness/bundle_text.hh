#pragma once

// What a bundle says to people: its README, and the report in the form of a project.

#include "analysis/summary.hh"
#include "harness/bundled_query.hh"
#include "harness/plan.hh"
#include "harness/reproduction.hh"
#include "harness/run_outcomes.hh"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// All of it views what the caller owns.
struct BundleSubject {
  const Plan& plan;  // of the whole run
  const analysis::Summary& summary;
  const std::map<std::string, CellOutcomes>& outcomes;
  const std::vector<BundledQuery>& queries;  // at least one; the first one leads
  const Reproduction& reproduction;
  const std::map<std::string, std::string>& versions;
  const std::string& kernel;          // "lab, Linux 7.3.4, 1000 Hz, virtual time"
  const std::string& command;         // that repeats the whole run
  const std::string& server_version;  // in the server's own words; empty for labdns
  const std::string& configuration;   // the server's; empty for labdns
  const std::string& log;             // of the server, from the leading query's block
};

// Projects that ask for reports in a form of their own.
std::span<const std::string_view> report_formats();  // "generic", "nginx", "knot", "ngtcp2"

std::string readme_text(const BundleSubject& subject);
// In one of report_formats() but generic, for which README.md is enough.
std::string report_text(const BundleSubject& subject, std::string_view format);

}  // namespace harness
