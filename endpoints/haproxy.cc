#include "base/text.hh"
#include "endpoints/server_text.hh"

#include <format>

namespace endpoints {

std::vector<ServerProgram> haproxy_programs(const ServerSpec& spec, const ServerSite& site) {
  // Over QUIC the Debian 13 package uses OpenSSL in a way that it wants to be told to
  // (limited-quic).
  std::string text =
      "global\n  log stderr format raw local0 info\n  limited-quic\n  nbthread 1\n"
      "  cluster-secret lab\n"
      "defaults\n  mode http\n  timeout connect 2s\n  timeout client 30s\n"
      "  timeout server 30s\n";
  const std::string early = spec.early_data == transport::EarlyData::kAccept ? " allow-0rtt" : "";
  const std::string tickets = spec.session_tickets > 0 ? "" : " no-tls-tickets";
  const std::string tls = std::format("ssl crt {} curves {}{}", site.combined.string(),
                                      base::joined(spec.groups, ":"), tickets);
  const auto doh2 = port_of(spec, Protocol::kDoh2);
  const auto doh3 = port_of(spec, Protocol::kDoh3);
  const auto dot = port_of(spec, Protocol::kDot);
  if (doh2 || doh3) {
    text += "listen doh\n";
    const std::uint16_t tcp = doh2 ? *doh2 : *doh3;  // tells when it is ready
    for (const std::string& address : spec.addresses) {
      text += std::format("  bind {} {} alpn h2{}\n", socket_text(address, tcp), tls, early);
      if (doh3)
        text +=
            std::format("  bind quic{}@{} {} alpn h3{}{}\n", address.contains(':') ? 6 : 4,
                        socket_text(address, *doh3), tls, early,
                        spec.retry == transport::RetryPolicy::kAlways ? " quic-force-retry" : "");
    }
    text +=
        std::format("  server backend {}:{} proto h2\n", site.backend_address, kBackendHttpPort);
  }
  if (dot) {
    text += "listen dot\n  mode tcp\n";
    for (const std::string& address : spec.addresses)
      text += std::format("  bind {} {} alpn dot{}\n", socket_text(address, *dot), tls, early);
    text += std::format("  server backend {}:{}\n", site.backend_address, kBackendDnsPort);
  }
  ServerProgram haproxy{
      .name = "haproxy",
      .argv = {"/usr/sbin/haproxy", "-db", "-f", (site.folder / "haproxy.cfg").string()},
      .environment = plain_environment(site),
      .files = {{"haproxy.cfg", std::move(text)}},
      .probe_port = doh2   ? doh2
                    : doh3 ? doh3
                           : dot,
      .ends_by_signal = true};
  return {backend_program(spec, site), std::move(haproxy)};
}

}  // namespace endpoints
