#include "harness/leaf_json.hh"

#include "base/errors.hh"
#include "captures/json_fields.hh"

#include <nlohmann/json.hpp>

#include <format>
#include <fstream>
#include <utility>

namespace harness {
namespace {

using captures::JsonFields;
using Json = nlohmann::ordered_json;

Json to_json(const analysis::Fates& fates) {
  return {{"passed", fates.passed}, {"dropped", fates.dropped}};
}

analysis::Fates parse_fates(const JsonFields& leaf, const char* end) {
  const auto fates = leaf.find_object(end);
  if (!fates) leaf.reject(end, "missing");
  return {.passed = fates->require<std::uint64_t>("passed"),
          .dropped = fates->require<std::uint64_t>("dropped")};
}

WalkedLeaf parse_leaf(const std::string& line) {
  const auto object = nlohmann::json::parse(line);
  const JsonFields fields(object, "");
  WalkedLeaf leaf;
  for (const auto& text : fields.require<std::vector<std::string>>("pattern")) {
    const auto name = analysis::parse_packet_name(text);
    if (!name) fields.reject("pattern", "it names a packet that cannot be");
    leaf.pattern.push_back(*name);
  }
  leaf.leaf = {
      .time = fields.find<base::Nanoseconds>("time_ns"),
      .counts = {.client = parse_fates(fields, "client"), .server = parse_fates(fields, "server")}};
  return leaf;
}

}  // namespace

std::string to_json_line(const WalkedLeaf& leaf) {
  Json pattern = Json::array();
  for (const analysis::PacketName name : leaf.pattern) pattern.push_back(to_string(name));
  const Json object{{"pattern", std::move(pattern)},
                    {"time_ns", leaf.leaf.time ? Json(leaf.leaf.time->count()) : Json(nullptr)},
                    {"client", to_json(leaf.leaf.counts.client)},
                    {"server", to_json(leaf.leaf.counts.server)}};
  return object.dump();
}

std::vector<WalkedLeaf> read_leaves(const std::filesystem::path& file) {
  std::vector<WalkedLeaf> leaves;
  std::ifstream stream(file);
  if (!stream) throw base::LabError(std::format("read {}: it cannot be opened", file.string()));
  for (std::string line; std::getline(stream, line);) {
    try {
      leaves.push_back(parse_leaf(line));
    } catch (const std::exception& error) {
      throw base::LabError(
          std::format("read {}, line {}: {}", file.string(), leaves.size() + 1, error.what()));
    }
  }
  return leaves;
}

}  // namespace harness
