#include "analysis/trial_json.hh"

#include "captures/json_fields.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <format>
#include <functional>

namespace analysis {
namespace {

using captures::JsonFields;
using captures::Outcome;
using Json = nlohmann::ordered_json;

Json to_json(const TrialPacket& packet) {
  return {{"name", to_string(packet.name)},
          {"at_ns", packet.at.count()},
          {"bytes", packet.bytes},
          {"meaning", packet.meaning},
          {"signature", packet.signature},
          {"dropped", packet.dropped},
          {"completes_answer", packet.completes_answer}};
}

PacketName read_name(const JsonFields& fields, std::string_view key, std::string_view text) {
  const auto name = parse_packet_name(text);
  if (!name) fields.reject(key, std::format("no packet's name: \"{}\"", text));
  return *name;
}

LossPattern read_pattern(const JsonFields& fields) {
  LossPattern pattern;
  for (const std::string& text : fields.require<std::vector<std::string>>("pattern"))
    pattern.push_back(read_name(fields, "pattern", text));
  if (std::ranges::adjacent_find(pattern, std::greater_equal()) != pattern.end())
    fields.reject("pattern", "not sorted, or with repetitions");
  return pattern;
}

Outcome read_outcome(const JsonFields& fields) {
  const auto word = fields.require<std::string>("outcome");
  for (const Outcome outcome : {Outcome::kAnswered, Outcome::kNoAnswer, Outcome::kFailed})
    if (captures::to_string(outcome) == word) return outcome;
  fields.reject("outcome", "no known outcome");
}

TrialPacket read_packet(const JsonFields& fields) {
  return {.name = read_name(fields, "name", fields.require<std::string>("name")),
          .at = fields.require<base::Nanoseconds>("at_ns"),
          .bytes = fields.require<std::uint64_t>("bytes"),
          .meaning = fields.require<std::string>("meaning"),
          .signature = fields.require<std::string>("signature"),
          .dropped = fields.require<bool>("dropped"),
          .completes_answer = fields.require<bool>("completes_answer")};
}

Trial read_trial(const JsonFields& fields) {
  Trial trial{.pattern = read_pattern(fields),
              .packets = {},
              .outcome = read_outcome(fields),
              .time = fields.find<base::Nanoseconds>("time_ns")};
  if (trial.time.has_value() != (trial.outcome == Outcome::kAnswered))
    fields.reject("time_ns", "there if and only if the outcome is answered");
  for (const JsonFields& packet : fields.objects("packets"))
    trial.packets.push_back(read_packet(packet));
  return trial;
}

}  // namespace

std::string to_json_line(const Trial& trial) {
  Json pattern = Json::array();
  for (const PacketName name : trial.pattern) pattern.push_back(to_string(name));
  Json packets = Json::array();
  for (const TrialPacket& packet : trial.packets) packets.push_back(to_json(packet));
  const Json line{{"pattern", std::move(pattern)},
                  {"outcome", captures::to_string(trial.outcome)},
                  {"time_ns", trial.time ? Json(trial.time->count()) : Json(nullptr)},
                  {"packets", std::move(packets)}};
  return line.dump();
}

std::expected<Trial, std::string> parse_trial(std::string_view line) {
  const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
  if (object.is_discarded()) return std::unexpected("not JSON");
  try {
    return read_trial(JsonFields(object, ""));
  } catch (const captures::MalformedJson& malformed) {
    return std::unexpected(malformed.what());
  }
}

}  // namespace analysis
