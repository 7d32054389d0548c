#include "harness/settings_text.hh"

#include "base/text.hh"
#include "base/units.hh"
#include "harness/client_checks.hh"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <format>
#include <utility>

namespace harness {
namespace {

using netns::OneWaySpec;

// The form that people write, unless it would not be read back as the same value.
std::string text_of(base::Probability probability) {
  std::string text = base::to_string(probability);
  if (base::parse_probability(text) == probability) return text;
  std::array<char, 400> room{};  // the smallest double has some 330 digits behind the point
  const auto [end, error] = std::to_chars(room.data(), room.data() + room.size(),
                                          probability.value(), std::chars_format::fixed);
  return {room.data(), end};
}

std::string text_of(base::BitRate rate) {
  std::string text = base::to_string(rate);
  return base::parse_bit_rate(text) == rate ? text : std::format("{}bit", rate.bits_per_second);
}

std::string text_of(base::Nanoseconds duration) {
  std::string text = base::to_string(duration);
  return base::parse_duration(text) == duration ? text : std::format("{}ns", duration.count());
}

base::Probability rest_of(base::Probability probability) {
  return *base::Probability::from(1 - probability.value());
}

std::string text_of(const netns::LossModel& loss) {
  if (const auto* random = std::get_if<netns::RandomLoss>(&loss))
    return text_of(random->probability);
  const auto* bursts = std::get_if<netns::GilbertElliottLoss>(&loss);
  if (bursts == nullptr) return "0%";
  return std::format("{{ model: gilbert-elliott, p: {}, r: {}, h: {}, k: {} }}",
                     text_of(bursts->good_to_bad), text_of(bursts->bad_to_good),
                     text_of(rest_of(bursts->loss_in_bad)), text_of(rest_of(bursts->loss_in_good)));
}

std::string text_of(const std::optional<netns::Reorder>& reorder) {
  if (!reorder) return "0%";
  return std::format("{{ probability: {}, gap: {} }}", text_of(reorder->probability), reorder->gap);
}

std::string list_of(const std::vector<std::string>& items) {
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const std::string& item : items) texts.push_back(yaml_text(item));
  return std::format("[{}]", base::joined(texts, ", "));
}

std::vector<WrittenKey> one_way_keys_of(std::string_view group, const OneWaySpec& spec) {
  const auto key = [&](std::string_view name, std::string value) {
    return WrittenKey{std::format("path.{}.{}", group, name), std::move(value)};
  };
  return {key("delay", text_of(spec.delay)),
          key("jitter", text_of(spec.jitter)),
          key("loss", text_of(spec.loss)),
          key("rate", spec.rate ? text_of(*spec.rate) : "unlimited"),
          key("reorder", text_of(spec.reorder)),
          key("duplicate", text_of(spec.duplicate)),
          key("corrupt", text_of(spec.corrupt)),
          key("limit", std::to_string(spec.limit))};
}

}  // namespace

std::vector<WrittenKey> path_keys_of(const Settings& settings, const Settings& defaults) {
  std::vector<WrittenKey> keys;
  if (settings.family != defaults.family)
    keys.push_back({"path.family", std::string(to_string(settings.family))});
  const auto add = [&](std::string_view group, const OneWaySpec& spec, const OneWaySpec& usual) {
    const std::vector<WrittenKey> usual_keys = one_way_keys_of(group, usual);
    std::ranges::copy_if(
        one_way_keys_of(group, spec), std::back_inserter(keys),
        [&](const WrittenKey& key) { return !std::ranges::contains(usual_keys, key); });
  };
  const auto& [to_server, to_client] = settings.path;
  if (to_server == to_client) {
    add("each_way", to_server, defaults.path.to_server);
  } else {
    add("client_to_server", to_server, defaults.path.to_server);
    add("server_to_client", to_client, defaults.path.to_client);
  }
  return keys;
}

std::vector<WrittenKey> endpoint_keys_of(const EndpointSettings& endpoint) {
  return {{"endpoint.server", endpoint.server},
          {"endpoint.certificate.chain_bytes", std::to_string(endpoint.chain_bytes.bytes)},
          {"endpoint.certificate.key", endpoint.key},
          {"endpoint.key_exchange", list_of(endpoint.key_exchange)},
          {"endpoint.tickets", std::to_string(endpoint.tickets)},
          {"endpoint.early_data", std::string(to_string(endpoint.early_data))},
          {"endpoint.retry", std::string(to_string(endpoint.retry))},
          {"endpoint.zone", list_of(endpoint.zone)},
          {"endpoint.answer_bytes",
           endpoint.answer_bytes ? std::to_string(endpoint.answer_bytes->bytes) : "natural"},
          {"endpoint.padding", std::string(to_string(endpoint.padding))},
          {"endpoint.udp_limit", std::to_string(endpoint.udp_limit.bytes)}};
}

std::vector<WrittenKey> client_keys_of(const Settings& settings) {
  const ClientSettings& client = settings.client;
  std::vector<WrittenKey> keys{
      {"client.program", client.program},
      {"client.connection", std::string(captures::to_string(client.connection))},
      {"client.question",
       yaml_text(std::format("{} {}", client.question.name, client.question.type))},
      {"client.timeout", text_of(client.timeout)},
      {"client.initial_rtt", text_of(client.initial_rtt)},
      {"client.drain", text_of(client.drain)},
      {"client.method", std::string(to_string(client.method))},
      {"client.padding", std::string(to_string(client.padding))},
      {"client.max_udp_payload", std::to_string(client.max_udp_payload.bytes)},
      {"client.pmtud", client.pmtud ? "true" : "false"}};
  // Without the key the client offers what its server has, or what it cannot leave.
  if (client.key_exchange != usual_client_groups(client.program, settings.endpoint.key_exchange))
    keys.push_back({"client.key_exchange", list_of(client.key_exchange)});
  return keys;
}

std::string rule_text(const GateRule& rule) {
  std::string text = std::format("{}: {{ from: {}", to_string(rule.verdict), to_string(rule.from));
  const auto add = [&](std::string_view name, const auto& value) {
    text += std::format(", {}: {}", name, value);
  };
  std::vector<std::string> names;
  names.reserve(rule.is.size());
  for (const analysis::Meaning meaning : rule.is) names.emplace_back(to_string(meaning));
  if (!names.empty()) add("is", std::format("[{}]", base::joined(names, ", ")));
  if (rule.part) add("part", to_string(*rule.part));
  if (rule.after) add("after", to_string(*rule.after));
  if (rule.ordinal) add("ordinal", *rule.ordinal);
  if (rule.nth != 1) add("nth", rule.nth);
  if (rule.times != 1) add("times", rule.times ? std::to_string(*rule.times) : "all");
  if (rule.verdict == captures::Verdict::kDelay) add("by", text_of(rule.by));
  if (rule.verdict == captures::Verdict::kReorder) add("behind", rule.behind);
  return text + " }";
}

std::string yaml_text(std::string_view text) {
  // What some reader of YAML 1.1 or 1.2 takes for something other than a text.
  constexpr std::array<std::string_view, 9> kReserved{"null", "true", "false", "yes", "no",
                                                      "on",   "off",  "y",     "n"};
  std::string lower;
  for (const unsigned char c : text) lower += static_cast<char>(std::tolower(c));
  const bool plain = !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
                     !std::ranges::contains(kReserved, lower) &&
                     std::ranges::all_of(text, [](unsigned char c) {
                       return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
                     });
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace harness
