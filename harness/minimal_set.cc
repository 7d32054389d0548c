#include "harness/minimal_set.hh"

#include "analysis/trial_json.hh"
#include "base/errors.hh"
#include "harness/trial_job.hh"

#include <nlohmann/json.hpp>

#include <format>
#include <stdexcept>
#include <utility>

namespace harness {
namespace {

using nlohmann::json;

json trial_json(const analysis::Trial& trial) {
  return json::parse(analysis::to_json_line(trial));
}

analysis::Trial read_trial(const json& object) {
  auto trial = analysis::parse_trial(object.dump());
  if (!trial) throw std::runtime_error(trial.error());
  return std::move(*trial);
}

}  // namespace

std::string to_json(const Minimising& minimising) {
  json object{{"trials", minimising.trials},
              {"lossless", trial_json(minimising.lossless)},
              {"full", trial_json(minimising.full)},
              {"minimal", nullptr}};
  if (const auto& minimal = minimising.minimal)
    object["minimal"] = {{"trial", trial_json(minimal->trial)},
                         {"one_minimal", minimal->one_minimal},
                         {"smallest", minimal->smallest}};
  return object.dump(1) + "\n";
}

Minimising parse_minimising(std::string_view text) {
  try {
    const json object = json::parse(text);
    Minimising minimising{.trials = object.at("trials").get<std::size_t>(),
                          .lossless = read_trial(object.at("lossless")),
                          .full = read_trial(object.at("full")),
                          .minimal = {}};
    if (const json& minimal = object.at("minimal"); !minimal.is_null())
      minimising.minimal = {.trial = read_trial(minimal.at("trial")),
                            .one_minimal = minimal.at("one_minimal").get<bool>(),
                            .smallest = minimal.at("smallest").get<bool>()};
    return minimising;
  } catch (const std::exception& error) {
    throw base::LabError(std::format("read {}: {}", kMinimalFile, error.what()));
  }
}

}  // namespace harness
