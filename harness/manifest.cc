#include "harness/manifest.hh"

#include "base/version.hh"
#include "harness/lab_kernel.hh"
#include "harness/server_end.hh"
#include "harness/sha256.hh"

#include <nlohmann/json.hpp>
#include <sys/utsname.h>

#include <algorithm>
#include <format>

namespace harness {
namespace {

using json = nlohmann::ordered_json;

// Of run directories. Grows with every change that an old reader would misunderstand.
constexpr int kFormatVersion = 1;

std::string host_release() {
  utsname host{};
  ::uname(&host);
  return host.release;
}

json kernel_json(const Manifest& manifest) {
  if (manifest.command.kernel == KernelKind::kHost)
    return {{"kind", "host"}, {"release", host_release()}, {"hz", nullptr}, {"clock", "real"}};
  return {{"kind", "lab"},
          {"release", manifest.image.kernel_release},
          {"hz", LabKernel::kTicksPerSecond},
          {"clock", "virtual"}};
}

// The same seed gives the same bytes where nothing but seeded randomness and virtual time enters.
json repeatable_json(KernelKind kind) {
  if (kind == KernelKind::kHost)
    return {{"value", false}, {"reason", "real time and the host's randomness enter"}};
  return {{"value", true}, {"reason", "virtual time and seeded randomness"}};
}

json block_json(std::uint32_t index, const BlockResult& result) {
  const json facts = json::parse(result.facts);
  return {{"index", index},
          {"seed", facts.at("seed")},
          {"valid", result.distrust.empty()},
          {"reasons", result.distrust},
          {"calibration", facts.at("calibration")},
          {"captures", facts.at("captures")},
          {"account", analysis::to_json(result.account)},
          {"first_query_after_ns", facts.at("first_query_after_ns")},
          {"elapsed_ns", facts.at("elapsed_ns")}};
}

// With the block that each was in, and its log where the run keeps it.
json server_ends_json(const Manifest& manifest) {
  json all = json::array();
  for (const auto& [index, result] : manifest.blocks) {
    const json facts = json::parse(result.facts);
    for (json end : facts.at("server_ends")) {
      end["block"] = index;
      end["log"] = std::format("logs/{}-{}", block_name(index), end.at("log").get<std::string>());
      all.push_back(std::move(end));
    }
  }
  return all;
}

const char* word(analysis::LossVerdict verdict) {
  switch (verdict) {
    case analysis::LossVerdict::kFits:
      return "fits";
    case analysis::LossVerdict::kDeviates:
      return "deviates";
    case analysis::LossVerdict::kNotJudged:
      return "not judged";
  }
  return "";
}

json loss_json(const std::string& cell, const char* direction, const analysis::LossAccount& loss) {
  json entry{{"cell", cell}, {"direction", direction}, {"sent", loss.sent}, {"lost", loss.lost}};
  entry["configured"] = loss.configured ? json(loss.configured->value()) : json(nullptr);
  entry["measured"] = loss.measured() ? json(*loss.measured()) : json(nullptr);
  entry["verdict"] = word(loss.verdict());
  return entry;
}

// Configured against measured, for the whole run.
json fidelity_json(const Manifest& manifest) {
  analysis::BlockAccount all;
  std::uint64_t invalid = 0;
  for (const auto& [index, result] : manifest.blocks) {
    analysis::merge(all, result.account);
    invalid += result.distrust.empty() ? 0 : 1;
  }
  json losses = json::array();
  if (manifest.summary) {
    for (const analysis::CellSummary& cell : manifest.summary->cells) {
      losses.push_back(loss_json(cell.spec.name, "client_to_server", cell.to_server));
      losses.push_back(loss_json(cell.spec.name, "server_to_client", cell.to_client));
    }
  }
  return {{"invalid_blocks", invalid}, {"loss", losses}, {"account", analysis::to_json(all)}};
}

// With these the stored scenario gives the plan again.
json overrides_json(const Overrides& overrides) {
  json entry{{"set", overrides.assignments}};
  entry["blocks"] = overrides.blocks ? json(*overrides.blocks) : json(nullptr);
  return entry;
}

}  // namespace

bool Manifest::valid() const {
  return std::ranges::all_of(blocks,
                             [](const auto& block) { return block.second.distrust.empty(); });
}

base::Nanoseconds Manifest::virtual_time() const {
  base::Nanoseconds total{};
  for (const auto& [index, result] : blocks)
    total += base::Nanoseconds(json::parse(result.facts).at("elapsed_ns").get<std::int64_t>());
  return total;
}

std::string describe_kernel(KernelKind kind, const Image& image) {
  if (kind == KernelKind::kHost) return std::format("host, Linux {}, real time", host_release());
  return std::format("lab, Linux {}, {} Hz, virtual time", image.kernel_release,
                     LabKernel::kTicksPerSecond);
}

std::map<std::string, std::string> versions(const Manifest& manifest) {
  std::map<std::string, std::string> found{
      {"labrun", std::format("{} ({})", base::kVersion, manifest.image.commit)}};
  if (manifest.blocks.empty()) return found;
  // Every endpoint of a run comes from the same root.
  const json facts = json::parse(manifest.blocks.begin()->second.facts);
  for (const json& endpoint : facts.at("endpoints")) {
    const json own = endpoint.at("ready").value("versions", json::object());
    for (const auto& entry : own.items())
      if (entry.value().is_string()) found[entry.key()] = entry.value().get<std::string>();
  }
  // So do clients, but blocks may differ in which of them they have.
  for (const auto& [index, block] : manifest.blocks) {
    const json clients = json::parse(block.facts).value("clients", json::object());
    for (const auto& [client, version] : clients.items()) found[client] = version;
  }
  return found;
}

std::string server_ends_text(const Manifest& manifest) {
  return server_ends_text(nlohmann::json(server_ends_json(manifest)));
}

std::string to_json_text(const Manifest& manifest) {
  json blocks = json::array();
  for (const auto& [index, result] : manifest.blocks) blocks.push_back(block_json(index, result));
  const bool complete = manifest.summary.has_value();
  json text{
      {"format", kFormatVersion},
      {"seed", std::to_string(manifest.plan.seed)},
      {"complete", complete},
      {"valid", complete && manifest.valid()},
      {"stopped_by", manifest.stopped_by.empty() ? json(nullptr) : json(manifest.stopped_by)},
      {"scenario", {{"name", manifest.plan.scenario}, {"sha256", sha256(manifest.scenario_text)}}},
      {"overrides", overrides_json(manifest.command.overrides)},
      {"kernel", kernel_json(manifest)},
      {"versions", versions(manifest)},
      {"repeatable", repeatable_json(manifest.command.kernel)},
      {"reproduce", reproduce_command(manifest.command, manifest.plan.seed)},
      {"real_seconds", std::chrono::duration<double>(manifest.real_time).count()},
      {"virtual_seconds", std::chrono::duration<double>(manifest.virtual_time()).count()},
      {"blocks_planned", manifest.plan.blocks.size()},
      {"fidelity", fidelity_json(manifest)},
      {"server_ends", server_ends_json(manifest)},
      {"blocks", std::move(blocks)}};
  if (!manifest.gate.empty()) text["gate"] = json::parse(manifest.gate);
  if (!manifest.network.empty()) text["network"] = json::parse(manifest.network);
  return text.dump(1) + "\n";
}

}  // namespace harness
