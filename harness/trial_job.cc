#include "harness/trial_job.hh"

#include "base/errors.hh"

#include <nlohmann/json.hpp>

#include <array>
#include <format>
#include <utility>

namespace harness {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 4> kKinds{"walk", "delays", "scripts", "minimise"};

analysis::PacketName packet_name(const json& text) {
  const auto name = analysis::parse_packet_name(text.get<std::string>());
  if (!name) throw base::LabError("it names a packet that cannot be");
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
  for (const json& one : list)
    script.push_back({.packet = packet_name(one.at("packet")),
                      .verdict = static_cast<captures::Verdict>(one.at("verdict").get<int>()),
                      .by = base::Nanoseconds(one.at("by_ns").get<std::int64_t>())});
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
    TrialJob job;
    const auto kind = object.at("kind").get<std::string>();
    while (kind != kKinds.at(static_cast<std::size_t>(job.kind)))
      job.kind = static_cast<TrialJob::Kind>(static_cast<std::size_t>(job.kind) + 1);
    object.at("max_drops").get_to(job.max_drops);
    object.at("share").get_to(job.share);
    object.at("shares").get_to(job.shares);
    job.late = base::Nanoseconds(object.at("late_ns").get<std::int64_t>());
    for (const json& script : object.at("scripts")) job.scripts.push_back(parse_script(script));
    for (const json& name : object.at("pattern")) job.pattern.push_back(packet_name(name));
    if (!object.at("slower_than_ns").is_null())
      job.slower_than = base::Nanoseconds(object.at("slower_than_ns").get<std::int64_t>());
    return job;
  } catch (const std::exception& error) {
    throw base::LabError(std::format("read {}: {}", kTrialJobFile, error.what()));
  }
}

}  // namespace harness
