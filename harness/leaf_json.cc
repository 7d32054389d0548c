#include "harness/leaf_json.hh"

#include "base/errors.hh"

#include <nlohmann/json.hpp>

#include <format>
#include <fstream>
#include <utility>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const analysis::Fates& fates) {
  return {{"passed", fates.passed}, {"dropped", fates.dropped}};
}

analysis::Fates parse_fates(const Json& object) {
  return {.passed = object.at("passed").get<std::uint64_t>(),
          .dropped = object.at("dropped").get<std::uint64_t>()};
}

WalkedLeaf parse_leaf(const std::string& line) {
  const Json object = Json::parse(line);
  WalkedLeaf leaf;
  for (const Json& text : object.at("pattern")) {
    const auto name = analysis::parse_packet_name(text.get<std::string>());
    if (!name) throw base::LabError("pattern: no packet");
    leaf.pattern.push_back(*name);
  }
  if (!object.at("time_ns").is_null())
    leaf.leaf.time = base::Nanoseconds(object.at("time_ns").get<std::int64_t>());
  leaf.leaf.counts = {.client = parse_fates(object.at("client")),
                      .server = parse_fates(object.at("server"))};
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
