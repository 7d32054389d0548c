#include "endpoints/server_text.hh"
#include "transport/dns_text.hh"

#include <format>
#include <string>
#include <string_view>

namespace endpoints {
namespace {

// Within single quotes, where a single quote has to be written by its number (RFC 1035 section
// 5.1).
std::string quotable(std::string_view record) {
  std::string text;
  for (const char c : record) text += c == '\'' ? std::string("\\039") : std::string(1, c);
  return text;
}

// Everything but where it listens.
std::string common_settings(const ServerSpec& spec, const ServerSite& site) {
  std::string text = std::format(
      "server:\n"
      "  do-daemonize: no\n"
      "  username: \"\"\n"
      "  chroot: \"\"\n"
      "  pidfile: \"\"\n"
      "  directory: \"{}\"\n"
      "  use-syslog: no\n"
      "  logfile: \"\"\n"
      "  verbosity: 1\n"
      "  num-threads: 1\n"
      "  so-reuseport: no\n"
      "  module-config: \"iterator\"\n"
      "  access-control: 0.0.0.0/0 allow\n"
      "  access-control: ::0/0 allow\n"
      "  pad-responses: {}\n"
      "  pad-responses-block-size: 468\n"
      "  http-endpoint: \"{}\"\n",
      site.folder.string(), spec.answers.padding ? "yes" : "no", spec.doh_path);
  for (const ZoneText& zone : zone_texts(spec))
    text += std::format("  local-zone: \"{}.\" static\n", zone.apex);
  for (const transport::DnsRecord& record : spec.records)
    text += std::format("  local-data: '{}'\n", quotable(transport::to_string(record)));
  return text;
}

ServerProgram program(const ServerSpec& spec, const ServerSite& site, std::string name,
                      std::string settings) {
  const std::string file = name + ".conf";
  ServerProgram unbound{
      .name = std::move(name),
      .argv = {"/usr/sbin/unbound", "-d", "-c", (site.folder / file).string()},
      .environment = plain_environment(site),
      .files = {{file, std::move(settings) + "remote-control:\n  control-enable: no\n"},
                openssl_groups(spec)}};
  unbound.environment.push_back("OPENSSL_CONF=" + (site.folder / "openssl.cnf").string());
  return unbound;
}

}  // namespace

std::vector<ServerProgram> unbound_programs(const ServerSpec& spec, const ServerSite& site) {
  std::string text = common_settings(spec, site);
  text += std::format("  tls-service-pem: \"{}\"\n  tls-service-key: \"{}\"\n",
                      site.certificates.string(), site.private_key.string());
  const auto listen = [&](Protocol protocol, std::string_view option) {
    const auto port = port_of(spec, protocol);
    if (!port) return;
    text += std::format("  {}: {}\n", option, *port);
    for (const std::string& address : spec.addresses)
      text += std::format("  interface: {}@{}\n", address, *port);
  };
  listen(Protocol::kDo53, "port");
  listen(Protocol::kDot, "tls-port");
  listen(Protocol::kDoh2, "https-port");
  return {program(spec, site, "unbound", std::move(text))};
}

ServerProgram backend_program(const ServerSpec& spec, const ServerSite& site) {
  std::string text = common_settings(spec, site);
  text += std::format(
      "  port: {0}\n  interface: {2}@{0}\n"
      "  https-port: {1}\n  interface: {2}@{1}\n  http-notls-downstream: yes\n",
      kBackendDnsPort, kBackendHttpPort, site.backend_address);
  ServerProgram backend = program(spec, site, "backend", std::move(text));
  backend.backend = true;
  return backend;
}

}  // namespace endpoints
