#include "analysis/trial.hh"

#include "base/text.hh"

#include <charconv>
#include <format>

namespace analysis {

std::string to_string(PacketName name) {
  return std::format("{}{}", name.from == End::kClient ? 'c' : 's', name.ordinal);
}

std::optional<PacketName> parse_packet_name(std::string_view text) {
  if (!text.starts_with('c') && !text.starts_with('s')) return std::nullopt;
  PacketName name{.from = text.front() == 'c' ? End::kClient : End::kServer, .ordinal = 0};
  text.remove_prefix(1);
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), name.ordinal);
  if (error != std::errc{} || rest != text.data() + text.size() || name.ordinal == 0)
    return std::nullopt;
  return name;
}

std::string to_string(const LossPattern& pattern) {
  if (pattern.empty()) return "none";
  std::vector<std::string> names;
  for (const PacketName name : pattern) names.push_back(to_string(name));
  return base::joined(names, " ");
}

}  // namespace analysis
