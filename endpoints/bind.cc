#include "endpoints/server_text.hh"

#include <format>

namespace endpoints {

std::vector<ServerProgram> bind_programs(const ServerSpec& spec, const ServerSite& site) {
  const std::string folder = site.folder.string();
  std::string text = std::format(
      "tls lab {{ cert-file \"{}\"; key-file \"{}\"; }};\n"
      "http lab {{ endpoints {{ \"{}\"; }}; }};\n"
      "controls {{ }};\n"
      "options {{\n"
      "  directory \"{}\"; pid-file none; session-keyfile none;\n"
      "  recursion no; notify no; dnssec-validation no; empty-zones-enable no;\n"
      "  allow-query {{ any; }};\n",
      site.certificates.string(), site.private_key.string(), spec.doh_path, folder);
  const auto listen = [&](Protocol protocol, std::string_view how) {
    const auto port = port_of(spec, protocol);
    if (!port) return;
    for (const std::string& address : spec.addresses)
      text += std::format("  listen-on{} port {} {}{{ {}; }};\n",
                          address.contains(':') ? "-v6" : "", *port, how, address);
  };
  listen(Protocol::kDo53, "");
  listen(Protocol::kDot, "tls lab ");
  listen(Protocol::kDoh2, "tls lab http lab ");
  // Without a word about a family it listens on all of its addresses.
  const auto uses = [&](bool ipv6) {
    for (const std::string& address : spec.addresses)
      if (address.contains(':') == ipv6) return true;
    return false;
  };
  if (!uses(false)) text += "  listen-on { none; };\n";
  if (!uses(true)) text += "  listen-on-v6 { none; };\n";
  text += "};\n";
  ServerProgram bind{
      .name = "bind",
      .argv = {"/usr/sbin/named", "-g", "-n", "1", "-c", (site.folder / "named.conf").string()},
      .environment = plain_environment(site),
      .files = {openssl_groups(spec)}};
  bind.environment.push_back("OPENSSL_CONF=" + (site.folder / "openssl.cnf").string());
  std::size_t number = 0;
  for (const ZoneText& zone : zone_texts(spec)) {
    const std::string file = std::format("zone-{}.zone", number++);
    text += std::format("zone \"{}\" {{ type primary; file \"{}\"; }};\n",
                        zone.apex.empty() ? "." : zone.apex, (site.folder / file).string());
    bind.files.push_back({file, zone.text});
  }
  bind.files.push_back({"named.conf", std::move(text)});
  return {std::move(bind)};
}

}  // namespace endpoints
