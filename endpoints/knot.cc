#include "endpoints/server_text.hh"

#include <format>

namespace endpoints {

std::vector<ServerProgram> knot_programs(const ServerSpec& spec, const ServerSite& site) {
  const std::string folder = site.folder.string();
  // One worker of each kind: in a lab there is one client, and threads only add to the noise.
  std::string text = std::format(
      "server:\n    rundir: \"{0}\"\n    cert-file: \"{1}\"\n    key-file: \"{2}\"\n"
      "    udp-workers: 1\n    tcp-workers: 1\n    background-workers: 1\n",
      folder, site.certificates.string(), site.private_key.string());
  const auto listen = [&](Protocol protocol, std::string_view option) {
    const auto port = port_of(spec, protocol);
    if (!port) return;
    std::string list;
    for (const std::string& address : spec.addresses)
      list += std::format("{}\"{}@{}\"", list.empty() ? "" : ", ", address, *port);
    text += std::format("    {}: [{}]\n", option, list);
  };
  listen(Protocol::kDo53, "listen");
  listen(Protocol::kDot, "listen-tls");
  listen(Protocol::kDoq, "listen-quic");
  text += std::format(
      "log:\n  - target: stderr\n    any: info\ndatabase:\n    storage: \"{}\"\nzone:\n", folder);
  ServerProgram knot{.name = "knot",
                     .argv = {"/usr/sbin/knotd", "-c", (site.folder / "knot.conf").string()},
                     .environment = plain_environment(site),
                     .files = {}};
  std::size_t number = 0;
  for (const ZoneText& zone : zone_texts(spec)) {
    const std::string file = std::format("zone-{}.zone", number++);
    text += std::format(
        "  - domain: \"{}.\"\n    storage: \"{}\"\n    file: \"{}\"\n    zonefile-sync: -1\n"
        "    journal-content: none\n",
        zone.apex, folder, file);
    knot.files.push_back({file, zone.text});
  }
  knot.files.push_back({"knot.conf", std::move(text)});
  return {std::move(knot)};
}

}  // namespace endpoints
