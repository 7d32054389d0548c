#include "harness/scenario_keys.hh"

#include <algorithm>
#include <array>
#include <cctype>

namespace harness {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestSummary = 200;

// The name becomes part of the run directory's.
void read_name(const RawNode& node, ValueReader& reader, Draft& draft) {
  const auto name = reader.text(node);
  if (!name) return;
  const bool plain = std::ranges::all_of(*name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (!plain || name->front() == '.' || name->size() > kLongestName) return reader.reject(node);
  draft.scenario.name = *name;
}

void read_summary(const RawNode& node, ValueReader& reader, Draft& draft) {
  const auto summary = reader.text(node);
  if (!summary) return;
  if (summary->size() > kLongestSummary || summary->contains('\n')) return reader.reject(node);
  draft.scenario.summary = *summary;
}

std::vector<Key> all_keys() {
  std::vector<Key> keys = general_keys();
  for (const std::vector<Key>& section : {path_keys(), endpoint_keys(), client_keys(), gate_keys()})
    keys.insert(keys.end(), section.begin(), section.end());
  return keys;
}

std::vector<std::string> all_groups() {
  std::vector<std::string> groups;
  for (const Key& key : scenario_keys()) {
    for (std::size_t dot = key.name.find('.'); dot != std::string::npos;
         dot = key.name.find('.', dot + 1)) {
      std::string group = key.name.substr(0, dot);
      if (!std::ranges::contains(groups, group)) groups.push_back(std::move(group));
    }
  }
  return groups;
}

}  // namespace

std::vector<Key> general_keys() {
  using enum Key::Presence;
  return {
      {"name", "", "letters, digits, '-', '_' and '.', at most 64", kRequired,
       "it names the scenario as a whole", read_name},
      {"summary", "", "one line of at most 200 characters", kOptional,
       "it describes the scenario as a whole", read_summary},
      {"seed", "1", "a whole number from 0 to 18446744073709551615", kOptional,
       "arms share it, so that they can be compared pair by pair",
       [](const RawNode& node, ValueReader& reader, Draft& draft) {
         reader.number(node, std::uint64_t{0}, UINT64_MAX, draft.scenario.seed);
       }},
      {"block_queries", "50", "a whole number from 1 to 10000: queries per cell in one block",
       kOptional, "a block visits every cell equally often",
       [](const RawNode& node, ValueReader& reader, Draft& draft) {
         reader.number(node, 1U, 10000U, draft.block_queries);
       }},
  };
}

std::span<const Key> scenario_keys() {
  static const std::vector<Key> keys = all_keys();
  return keys;
}

const Key* find_key(std::string_view name) {
  const std::span<const Key> keys = scenario_keys();
  const auto found = std::ranges::find(keys, name, &Key::name);
  return found == keys.end() ? nullptr : &*found;
}

std::span<const std::string> key_groups() {
  static const std::vector<std::string> groups = all_groups();
  return groups;
}

void read_key_exchange(const RawNode& node, ValueReader& reader, std::vector<std::string>& into) {
  static constexpr std::array<std::string_view, 8> kGroups{"X25519MLKEM768",
                                                           "SecP256r1MLKEM768",
                                                           "SecP384r1MLKEM1024",
                                                           "X25519",
                                                           "X448",
                                                           "P-256",
                                                           "P-384",
                                                           "P-521"};
  into.clear();
  reader.each(node, [&](const RawNode& item) {
    const auto group = reader.text(item);
    if (!group) return;
    if (!std::ranges::contains(kGroups, *group)) return reader.reject(item);
    if (std::ranges::contains(into, *group)) return reader.reject(item, "named twice");
    into.emplace_back(*group);
  });
}

}  // namespace harness
