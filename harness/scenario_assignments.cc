#include "harness/scenario_assignments.hh"

#include "harness/scenario_keys.hh"
#include "harness/spelling.hh"

#include <algorithm>
#include <format>
#include <utility>

namespace harness {
namespace {

bool is_group(std::string_view name) {
  return std::ranges::contains(key_groups(), name);
}

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names{"vary", "expect"};
  for (const Key& key : scenario_keys()) names.emplace_back(key.name);
  for (const std::string& group : key_groups()) names.emplace_back(group);
  return names;
}

// The keys that stand directly in a group: "family, mtu, each_way, ...".
std::string keys_in(std::string_view group) {
  std::vector<std::string> parts;
  for (const Key& key : scenario_keys()) {
    if (!group.empty() && !key.name.starts_with(std::format("{}.", group))) continue;
    const std::size_t start = group.empty() ? 0 : group.size() + 1;
    std::string part = key.name.substr(start, key.name.find('.', start) - start);
    if (!std::ranges::contains(parts, part)) parts.push_back(std::move(part));
  }
  if (group.empty()) parts.insert(parts.end(), {"vary", "expect"});
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

Mistake unknown_key(const std::string& name, const Location& where, std::string_view group) {
  const std::vector<std::string_view> names = known_names();
  const std::string_view close = nearest(name, names);
  std::string text = std::format("{}: unknown key; ", name);
  if (!close.empty()) {
    text += std::format("did you mean {}?", close);
  } else {
    text += std::format("allowed{}: {}", group.empty() ? " here" : std::format(" in {}", group),
                        keys_in(group));
  }
  return {where, std::move(text)};
}

class Collector {
 public:
  Collector(Assignments& into, std::vector<Mistake>& mistakes) : into_(into), mistakes_(mistakes) {}

  void walk(const RawNode& node, const std::string& group) {
    if (node.kind == RawNode::Kind::kNull) return;
    if (node.kind != RawNode::Kind::kMapping) {
      const std::string subject = group.empty() ? "the scenario" : group;
      mistakes_.push_back({node.where, std::format("{}: found {}; allowed: a mapping with {}",
                                                   subject, quote(node), keys_in(group))});
      return;
    }
    for (const RawEntry& entry : node.entries) {
      const std::string name = group.empty() ? entry.key : std::format("{}.{}", group, entry.key);
      visit(name, entry, group);
    }
  }

  void visit(const std::string& name, const RawEntry& entry, std::string_view group) {
    if (name == "vary") {
      vary(entry.value);
    } else if (name == "expect") {
      into_.expect = entry.value;
    } else if (is_group(name)) {
      walk(entry.value, name);
    } else if (entry.key.contains('.') && find_key(name) != nullptr) {
      mistakes_.push_back({entry.where, std::format("{}: write it as mappings: \"{}: {{ ... }}\"",
                                                    name, name.substr(0, name.find('.')))});
    } else if (find_key(name) == nullptr) {
      mistakes_.push_back(unknown_key(name, entry.where, group));
    } else {
      put(into_.values, {name, entry.where, entry.value});
    }
  }

  void vary_one(const std::string& name, const Location& where, const RawNode& value) {
    const Key* key = find_key(name);
    if (key == nullptr) {
      Mistake mistake = unknown_key(name, where, "");
      mistake.text = "vary: " + mistake.text;
      if (is_group(name))
        mistake.text =
            std::format("vary: {} is not one value; vary its keys: {}", name, keys_in(name));
      mistakes_.push_back(std::move(mistake));
    } else if (!key->fixed_because.empty()) {
      mistakes_.push_back(
          {where, std::format("vary: {} cannot vary: {}", name, key->fixed_because)});
    } else if (value.kind != RawNode::Kind::kList || value.items.empty()) {
      mistakes_.push_back({value.where, std::format("vary: {}: found {}; allowed: a list of values",
                                                    name, quote(value))});
    } else {
      put(into_.varied, {name, where, value});
    }
  }

  static void put(std::vector<Assignment>& among, Assignment assignment) {
    const auto same = std::ranges::find(among, assignment.key, &Assignment::key);
    if (same != among.end()) {
      *same = std::move(assignment);
    } else {
      among.push_back(std::move(assignment));
    }
  }

 private:
  void vary(const RawNode& node) {
    if (node.kind == RawNode::Kind::kNull) return;
    if (node.kind != RawNode::Kind::kMapping) {
      mistakes_.push_back(
          {node.where, std::format("vary: found {}; allowed: a mapping of dotted keys to lists, "
                                   "such as endpoint.retry: [never, always]",
                                   quote(node))});
      return;
    }
    for (const RawEntry& entry : node.entries) vary_one(entry.key, entry.where, entry.value);
  }

  Assignments& into_;
  std::vector<Mistake>& mistakes_;
};

// Places inside an option's value help nobody.
void forget_places(RawNode& node, const Location& option) {
  node.where = option;
  for (RawNode& item : node.items) forget_places(item, option);
  for (RawEntry& entry : node.entries) {
    entry.where = option;
    forget_places(entry.value, option);
  }
}

}  // namespace

const Assignment* find_assignment(const std::vector<Assignment>& among, std::string_view key) {
  const auto found = std::ranges::find(among, key, &Assignment::key);
  return found == among.end() ? nullptr : &*found;
}

Assignments collect_assignments(const RawNode& root, std::vector<Mistake>& mistakes) {
  Assignments assignments;
  Collector(assignments, mistakes).walk(root, "");
  return assignments;
}

void apply_option(std::string_view option, Assignments& assignments,
                  std::vector<Mistake>& mistakes) {
  constexpr std::string_view kVary = "vary.";
  const Location where{std::string(kCommandLinePlace)};
  const std::size_t equals = option.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    mistakes.push_back(
        {where, std::format("found {}; allowed: key=value, such as client.queries=20", option)});
    return;
  }
  const std::string name(option.substr(0, equals));
  RawEntry entry{name, where, {}};
  if (equals + 1 < option.size())
    entry.value = parse_yaml(option.substr(equals + 1), "--set " + name, mistakes);
  forget_places(entry.value, where);

  Collector collector(assignments, mistakes);
  if (name.starts_with(kVary))
    return collector.vary_one(name.substr(kVary.size()), where, entry.value);
  if (name == "vary") assignments.varied.clear();
  // Not a key of the file, so its dots are its own.
  entry.key = name.substr(name.rfind('.') + 1);
  collector.visit(name, entry, "");
}

}  // namespace harness
