#include "harness/scenario_keys.hh"

#include <array>
#include <format>
#include <utility>

namespace harness {
namespace {

using netns::OneWaySpec;

// A key of one direction.
struct OneWayKey {
  std::string_view name;
  std::string_view fallback;
  std::string allowed;
  void (*read)(const RawNode&, ValueReader&, OneWaySpec&);
};

// h and k are the shares of packets that pass, in the bad and in the good state, as tc-netem(8) has
// them; the defaults are tc's too.
void read_gilbert_elliott(const RawNode& node, ValueReader& reader, OneWaySpec& spec) {
  static constexpr std::array<std::string_view, 5> kFields{"model", "p", "r", "h", "k"};
  base::Probability p;
  base::Probability r;
  base::Probability h;
  base::Probability k = *base::Probability::from(1);
  std::array<bool, 3> seen{};
  reader.fields(node, kFields, [&](std::string_view key, const RawNode& value) {
    if (key == "model") {
      seen[0] = true;
      const auto model = reader.text(value);
      if (model && *model != "gilbert-elliott") reader.reject(value, "unknown model");
    } else if (key == "p") {
      seen[1] = true;
      reader.probability(value, p);
    } else if (key == "r") {
      seen[2] = true;
      reader.probability(value, r);
    } else {
      reader.probability(value, key == "h" ? h : k);
    }
  });
  if (!seen[0] || !seen[1] || !seen[2]) return reader.reject(node, "needs model, p and r");
  spec.loss = netns::GilbertElliottLoss{.good_to_bad = p,
                                        .bad_to_good = r,
                                        .loss_in_bad = *base::Probability::from(1 - h.value()),
                                        .loss_in_good = *base::Probability::from(1 - k.value())};
}

void read_loss(const RawNode& node, ValueReader& reader, OneWaySpec& spec) {
  if (node.kind == RawNode::Kind::kMapping) return read_gilbert_elliott(node, reader, spec);
  base::Probability probability;
  reader.probability(node, probability);
  if (probability == base::Probability()) {
    spec.loss = netns::NoLoss{};
  } else {
    spec.loss = netns::RandomLoss{probability};
  }
}

void read_rate(const RawNode& node, ValueReader& reader, OneWaySpec& spec) {
  const auto text = reader.text(node);
  if (!text) return;
  spec.rate.reset();
  if (*text == "unlimited") return;
  const auto rate = base::parse_bit_rate(*text);
  if (!rate || rate->bits_per_second < netns::kLowestRate.bits_per_second ||
      rate->bits_per_second > netns::kHighestRate.bits_per_second)
    return reader.reject(node);
  spec.rate = rate;
}

void read_reorder(const RawNode& node, ValueReader& reader, OneWaySpec& spec) {
  static constexpr std::array<std::string_view, 2> kFields{"probability", "gap"};
  netns::Reorder reorder;
  if (node.kind == RawNode::Kind::kMapping) {
    reader.fields(node, kFields, [&](std::string_view key, const RawNode& value) {
      if (key == "probability") return reader.probability(value, reorder.probability);
      reader.number(value, 1U, netns::kLargestGap, reorder.gap);
    });
  } else {
    reader.probability(node, reorder.probability);
  }
  spec.reorder.reset();
  if (reorder.probability != base::Probability()) spec.reorder = reorder;
}

constexpr std::string_view kProbability = "a probability such as 2% or 0.02";

std::array<OneWayKey, 8> one_way_keys() {
  return {{
      {"delay", "0ms", std::format("a duration up to {}, such as 20ms", "600s"),
       [](const RawNode& node, ValueReader& reader, OneWaySpec& spec) {
         reader.duration(node, base::Nanoseconds(0), netns::kLongestDelay, spec.delay);
       }},
      {"jitter", "0ms", "a duration up to 2s and no longer than the delay, such as 2ms",
       [](const RawNode& node, ValueReader& reader, OneWaySpec& spec) {
         reader.duration(node, base::Nanoseconds(0), netns::kLongestJitter, spec.jitter);
       }},
      {"loss", "0%",
       std::format("{}, or {{model: gilbert-elliott, p: 1%, r: 20%, h: 0%, k: 100%}}",
                   kProbability),
       read_loss},
      {"rate", "unlimited", "a bit rate from 1kbit to 100gbit, such as 10mbit, or unlimited",
       read_rate},
      {"reorder", "0%", std::format("{}, or {{probability: 25%, gap: 5}}", kProbability),
       read_reorder},
      {"duplicate", "0%", std::string(kProbability),
       [](const RawNode& node, ValueReader& reader, OneWaySpec& spec) {
         reader.probability(node, spec.duplicate);
       }},
      {"corrupt", "0%", std::string(kProbability),
       [](const RawNode& node, ValueReader& reader, OneWaySpec& spec) {
         reader.probability(node, spec.corrupt);
       }},
      {"limit", "0", "a number of packets up to 1000000; 0 for a queue that never fills",
       [](const RawNode& node, ValueReader& reader, OneWaySpec& spec) {
         reader.number(node, 0U, netns::kLargestQueue, spec.limit);
       }},
  }};
}

// The three mappings that hold one-way keys. What stands for both ways comes first, so that a
// direction's own value replaces it.
struct Direction {
  std::string_view group;
  bool to_server;
  bool to_client;
};
constexpr std::array<Direction, 3> kDirections{{{"each_way", true, true},
                                                {"client_to_server", true, false},
                                                {"server_to_client", false, true}}};

Key make_key(const Direction& direction, const OneWayKey& one_way) {
  const bool both = direction.to_server && direction.to_client;
  return {.name = std::format("path.{}.{}", direction.group, one_way.name),
          .fallback = both ? std::string(one_way.fallback) : "",
          .allowed = one_way.allowed,
          .read = [direction, read = one_way.read](const RawNode& node, ValueReader& reader,
                                                   Draft& draft) {
            if (direction.to_server) read(node, reader, draft.settings.path.to_server);
            if (direction.to_client) read(node, reader, draft.settings.path.to_client);
          }};
}

}  // namespace

std::vector<Key> path_keys() {
  std::vector<Key> keys{
      {.name = "path.family",
       .fallback = "ipv4",
       .allowed = "ipv4 or ipv6",
       .read =
           [](const RawNode& node, ValueReader& reader, Draft& draft) {
             static constexpr std::array<std::pair<std::string_view, Family>, 2> kNames{
                 {{"ipv4", Family::kIpv4}, {"ipv6", Family::kIpv6}}};
             reader.choice<Family>(node, kNames, draft.settings.family);
           }},
      {.name = "path.mtu",
       .fallback = "1500",
       .allowed =
           std::format("a number of bytes from {} to {}", netns::kSmallestMtu, netns::kLargestMtu),
       .fixed_because = "all arms share the links of one network",
       .read =
           [](const RawNode& node, ValueReader& reader, Draft& draft) {
             reader.number(node, netns::kSmallestMtu, netns::kLargestMtu, draft.scenario.mtu);
           }},
  };
  for (const Direction& direction : kDirections)
    for (const OneWayKey& one_way : one_way_keys()) keys.push_back(make_key(direction, one_way));
  return keys;
}

}  // namespace harness
