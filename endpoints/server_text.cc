#include "endpoints/server_text.hh"

#include "endpoints/zone.hh"
#include "transport/dns_text.hh"

#include <algorithm>
#include <format>

namespace endpoints {
namespace {

bool lies_below(std::string_view name, std::string_view apex) {
  return apex.empty() || name == apex ||
         (name.ends_with(apex) && name[name.size() - apex.size() - 1] == '.');
}

std::string lower(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  });
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::optional<std::uint16_t> port_of(const ServerSpec& spec, Protocol protocol) {
  const auto found = std::ranges::find(spec.listeners, protocol, &ProtocolSpec::protocol);
  if (found == spec.listeners.end()) return std::nullopt;
  return found->port;
}

std::string socket_text(std::string_view address, std::uint16_t port) {
  return address.contains(':') ? std::format("[{}]:{}", address, port)
                               : std::format("{}:{}", address, port);
}

std::vector<ZoneText> zone_texts(const ServerSpec& spec) {
  const Zone zone(spec.records);
  std::vector<ZoneText> zones;
  for (const transport::DnsRecord& soa : zone.soas())
    zones.push_back({.apex = lower(soa.name), .text = transport::to_string(soa) + '\n'});
  // The longest apex above a name is its zone's.
  std::ranges::sort(zones, [](const ZoneText& left, const ZoneText& right) {
    return left.apex.size() > right.apex.size();
  });
  for (const transport::DnsRecord& record : zone.records()) {
    if (record.type == transport::RecordType::kSoa) continue;
    const auto home = std::ranges::find_if(zones, [&](const ZoneText& candidate) {
      return lies_below(lower(record.name), candidate.apex);
    });
    if (home == zones.end()) continue;
    home->text += transport::to_string(record) + '\n';
    if (record.type == transport::RecordType::kNs && lower(record.name) == home->apex)
      home->has_name_server = true;
  }
  // Authoritative servers want a zone to have a name server, which need not exist.
  for (ZoneText& one : zones)
    if (!one.has_name_server) one.text += std::format("{}. 60 IN NS localhost.\n", one.apex);
  return zones;
}

std::string joined_groups(const ServerSpec& spec, char separator) {
  std::string text;
  for (const std::string& group : spec.groups) {
    if (!text.empty()) text += separator;
    text += group;
  }
  return text;
}

ServerFile openssl_groups(const ServerSpec& spec) {
  return {.name = "openssl.cnf",
          .text = std::format("openssl_conf = settings\n[settings]\nssl_conf = ssl\n[ssl]\n"
                              "system_default = tls\n[tls]\nGroups = {}\n",
                              joined_groups(spec, ':'))};
}

std::vector<std::string> plain_environment(const ServerSite& site) {
  return {"LC_ALL=C.UTF-8", "PATH=/usr/sbin:/usr/bin", "HOME=" + site.folder.string()};
}

}  // namespace endpoints
