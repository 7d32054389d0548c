#include "endpoints/server_text.hh"

#include "base/text.hh"
#include "endpoints/zone.hh"
#include "transport/dns_text.hh"

#include <algorithm>
#include <format>

namespace endpoints {
namespace {

// As DNS names are compared: the root is ".".
std::string_view name_of(const ZoneText& zone) {
  return zone.apex.empty() ? std::string_view(".") : zone.apex;
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
    zones.push_back(
        {.apex = soa.name == "." ? "" : soa.name, .text = transport::to_string(soa) + '\n'});
  // The longest apex above a name is its zone's.
  std::ranges::sort(zones, [](const ZoneText& left, const ZoneText& right) {
    return left.apex.size() > right.apex.size();
  });
  for (const transport::DnsRecord& record : zone.records()) {
    if (record.type == transport::RecordType::kSoa) continue;
    const auto home = std::ranges::find_if(zones, [&](const ZoneText& candidate) {
      return transport::is_within(record.name, name_of(candidate));
    });
    if (home == zones.end()) continue;
    home->text += transport::to_string(record) + '\n';
    if (record.type == transport::RecordType::kNs &&
        transport::same_name(record.name, name_of(*home)))
      home->has_name_server = true;
  }
  // Authoritative servers want a zone to have a name server, which need not exist.
  for (ZoneText& one : zones)
    if (!one.has_name_server) one.text += std::format("{}. 60 IN NS localhost.\n", one.apex);
  return zones;
}

ServerFile openssl_groups(const ServerSpec& spec) {
  return {.name = "openssl.cnf",
          .text = std::format("openssl_conf = settings\n[settings]\nssl_conf = ssl\n[ssl]\n"
                              "system_default = tls\n[tls]\nGroups = {}\n",
                              base::joined(spec.groups, ":"))};
}

std::vector<std::string> plain_environment(const ServerSite& site) {
  std::vector<std::string> words{"LC_ALL=C.UTF-8", "PATH=/usr/sbin:/usr/bin",
                                 "HOME=" + site.folder.string()};
  if (site.key_logger.empty()) return words;
  // GnuTLS goes by the second one alone.
  words.push_back("LD_PRELOAD=" + site.key_logger.string());
  words.push_back("SSLKEYLOGFILE=" + site.key_log.string());
  return words;
}

}  // namespace endpoints
