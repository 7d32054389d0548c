#include "harness/block_analysis.hh"

#include "analysis/query_analysis.hh"
#include "base/errors.hh"
#include "captures/block_capture.hh"
#include "harness/gate_delay.hh"
#include "harness/query_setting.hh"

#include <format>
#include <fstream>

namespace harness {
namespace {

namespace fs = std::filesystem;

std::set<captures::IpAddress> lab_addresses(const Plan& plan) {
  std::set<captures::IpAddress> addresses;
  const auto add = [&](const std::string& text) {
    const auto address = captures::parse_ip_address(text);
    if (!address) throw base::LabError(std::format("read the plan: {} is no address", text));
    addresses.insert(*address);
  };
  for (const std::string& address : plan.client_addresses) add(address);
  for (const PlannedArm& arm : plan.arms) add(arm.server_address);
  return addresses;
}

std::ifstream open_capture(const fs::path& captures, std::uint32_t block, const char* end) {
  const fs::path file = captures::block_capture_path(captures, block, end);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw base::LabError(std::format("read {}: it cannot be opened", file.string()));
  return stream;
}

}  // namespace

std::vector<captures::QueryRecord> read_records(const fs::path& file) {
  std::vector<captures::QueryRecord> records;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    auto record = captures::parse_query_record(line);
    if (!record) throw base::LabError(std::format("read {}: {}", file.string(), record.error()));
    records.push_back(std::move(*record));
  }
  return records;
}

analysis::BlockEvidence read_evidence(const Plan& plan, const fs::path& captures,
                                      std::uint32_t block,
                                      std::vector<captures::QueryRecord>& records) {
  return base::with_context(std::format("examine block {}", block), [&] {
    std::ifstream client = open_capture(captures, block, "client");
    std::ifstream server = open_capture(captures, block, "server");
    return analysis::examine_block({client, server}, records, lab_addresses(plan));
  });
}

BlockAnalysis analyse_block(const Plan& plan, KernelKind kernel, const fs::path& captures,
                            std::uint32_t block, std::vector<captures::QueryRecord>& records) {
  const analysis::BlockEvidence evidence = read_evidence(plan, captures, block, records);
  BlockAnalysis result{.account = evidence.account,
                       .findings = {},
                       .gate_delays = gate_delays(plan, evidence, records)};
  analysis::analyse_queries(evidence, records, settings_of(plan, kernel), result.findings);
  return result;
}

std::string to_lines(const std::vector<captures::QueryRecord>& records) {
  std::string lines;
  for (const captures::QueryRecord& record : records)
    lines += captures::to_json_line(record) + "\n";
  return lines;
}

}  // namespace harness
