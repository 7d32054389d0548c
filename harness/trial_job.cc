#include "harness/trial_job.hh"

#include "base/errors.hh"
#include "captures/json_fields.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <format>
#include <utility>

namespace harness {
namespace {

using captures::JsonFields;
using captures::Verdict;
using nlohmann::json;

constexpr std::array<const char*, 4> kKinds{"walk", "delays", "scripts", "minimise"};

TrialJob::Kind kind_of(const JsonFields& fields) {
  const auto word = fields.require<std::string>("kind");
  const auto found = std::ranges::find(kKinds, word);
  if (found == kKinds.end()) fields.reject("kind", "no known kind");
  return static_cast<TrialJob::Kind>(found - kKinds.begin());
}

analysis::PacketName packet_name(const JsonFields& fields, const char* key,
                                 const std::string& text) {
  const auto name = analysis::parse_packet_name(text);
  if (!name) fields.reject(key, "it names a packet that cannot be");
  return *name;
}

json to_json(const FateScript& script) {
  json list = json::array();
  for (const Intervention& one : script)
    list.push_back({{"packet", analysis::to_string(one.packet)},
                    {"verdict", static_cast<int>(one.verdict)},
                    {"by_ns", one.by.count()}});
  return list;
}

FateScript parse_script(const json& list) {
  FateScript script;
  for (const json& one : list) {
    const JsonFields fields(one, "scripts");
    const auto verdict = fields.require<std::uint8_t>("verdict");
    if (verdict > static_cast<int>(Verdict::kReorder)) fields.reject("verdict", "no known verdict");
    script.push_back(
        {.packet = packet_name(fields, "packet", fields.require<std::string>("packet")),
         .verdict = static_cast<Verdict>(verdict),
         .by = fields.require<base::Nanoseconds>("by_ns")});
  }
  return script;
}

}  // namespace

std::string to_json(const TrialJob& job) {
  json scripts = json::array();
  for (const FateScript& script : job.scripts) scripts.push_back(to_json(script));
  json pattern = json::array();
  for (const analysis::PacketName name : job.pattern) pattern.push_back(analysis::to_string(name));
  const json object{
      {"kind", kKinds.at(static_cast<std::size_t>(job.kind))},
      {"max_drops", job.max_drops},
      {"share", job.share},
      {"shares", job.shares},
      {"late_ns", job.late.count()},
      {"scripts", std::move(scripts)},
      {"pattern", std::move(pattern)},
      {"slower_than_ns", job.slower_than ? json(job.slower_than->count()) : json(nullptr)}};
  return object.dump(1) + "\n";
}

TrialJob parse_trial_job(std::string_view text) {
  try {
    const json object = json::parse(text);
    const JsonFields fields(object, "");
    TrialJob job{.kind = kind_of(fields),
                 .max_drops = fields.require<std::uint32_t>("max_drops"),
                 .share = fields.require<std::uint32_t>("share"),
                 .shares = fields.require<std::uint32_t>("shares"),
                 .late = fields.require<base::Nanoseconds>("late_ns"),
                 .scripts = {},
                 .pattern = {},
                 .slower_than = fields.find<base::Nanoseconds>("slower_than_ns")};
    if (job.share >= job.shares) fields.reject("share", "not one of `shares`");
    for (const json& script : object.at("scripts")) job.scripts.push_back(parse_script(script));
    for (const auto& name : fields.require<std::vector<std::string>>("pattern"))
      job.pattern.push_back(packet_name(fields, "pattern", name));
    return job;
  } catch (const std::exception& error) {
    throw base::LabError(std::format("read {}: {}", kTrialJobFile, error.what()));
  }
}

}  // namespace harness
