#include "endpoints/server_text.hh"

#include <algorithm>
#include <format>

namespace endpoints {

std::vector<ServerProgram> caddy_programs(const ServerSpec& spec, const ServerSite& site) {
  const auto doh2 = port_of(spec, Protocol::kDoh2);
  const auto doh3 = port_of(spec, Protocol::kDoh3);
  // One port carries both, and it has no way to leave HTTP/2 out.
  const std::uint16_t port = doh3 ? *doh3 : *doh2;
  std::string addresses;
  for (const std::string& address : spec.addresses) addresses += ' ' + address;
  std::string curves;
  for (const std::string& group : spec.groups) {
    std::string word = group;
    std::ranges::transform(word, word.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    curves += ' ' + word;
  }
  const std::string text = std::format(
      "{{\n\tadmin off\n\tauto_https off\n\tskip_install_trust\n\tpersist_config off\n"
      "\tgrace_period 1s\n\tstorage file_system \"{0}\"\n\tdefault_sni {1}\n"
      "\tservers {{\n\t\tprotocols h1 h2{2}\n{3}\t}}\n}}\n"
      "https://:{4} {{\n\tbind{5}\n\ttls \"{6}\" \"{7}\" {{\n\t\tcurves{8}\n{12}\t}}\n"
      "\treverse_proxy {9} h2c://{10}:{11}\n}}\n",
      site.folder.string(), spec.chain.server_name, doh3 ? " h3" : "",
      spec.early_data == transport::EarlyData::kAccept ? "" : "\t\t0rtt off\n", port, addresses,
      site.certificates.string(), site.private_key.string(), curves, spec.doh_path,
      site.backend_address, kBackendHttpPort,
      site.key_log.empty()
          ? ""
          : std::format("\t\tinsecure_secrets_log \"{}\"\n", site.key_log.string()));
  ServerProgram caddy{.name = "caddy",
                      .argv = {"/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config",
                               (site.folder / "Caddyfile").string()},
                      .environment = plain_environment(site),
                      .files = {{"Caddyfile", text}}};
  // The package leaves post-quantum groups out unless Go is told so.
  caddy.environment.insert(caddy.environment.end(), {"GODEBUG=tlsmlkem=1", "GOMAXPROCS=1",
                                                     "XDG_DATA_HOME=" + site.folder.string(),
                                                     "XDG_CONFIG_HOME=" + site.folder.string()});
  return {backend_program(spec, site), std::move(caddy)};
}

}  // namespace endpoints
