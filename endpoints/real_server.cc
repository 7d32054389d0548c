#include "endpoints/real_server.hh"

#include "endpoints/server_text.hh"

#include <algorithm>

namespace endpoints {

std::span<const RealServer> real_servers() {
  using enum Protocol;
  static const std::vector<RealServer> kServers{
      {.name = "unbound",
       .behind = "1.26 with OpenSSL",
       .version_command = {"/usr/sbin/unbound", "-V"},
       .protocols = {kDo53, kDot, kDoh2},
       .chooses_groups = true,
       .programs = unbound_programs},
      {.name = "dnsdist",
       .behind = "2.1 with OpenSSL",
       .version_command = {"/usr/bin/dnsdist", "--version"},
       .protocols = {kDo53, kDot, kDoh2},
       .chooses_groups = true,
       .any_record = false,
       .programs = dnsdist_programs},
      {.name = "knot",
       .behind = "3.4 with GnuTLS",
       .version_command = {"/usr/sbin/knotd", "--version"},
       .protocols = {kDo53, kDot, kDoq},
       .own_groups = {"X25519", "P-256"},
       .early_data = {kDot, kDoq},
       .programs = knot_programs},
      {.name = "bind",
       .behind = "9.20 with OpenSSL",
       .version_command = {"/usr/sbin/named", "-v"},
       .protocols = {kDo53, kDot, kDoh2},
       .chooses_groups = true,
       .programs = bind_programs},
      {.name = "knot-resolver",
       .behind = "5.7 with GnuTLS",
       .version_command = {"/usr/sbin/kresd", "--version"},
       .protocols = {kDo53, kDot, kDoh2},
       .own_groups = {"X25519", "P-256"},
       .any_record = false,
       .programs = kresd_programs},
      {.name = "nginx",
       .behind = "1.26 with OpenSSL",
       .version_command = {"/usr/sbin/nginx", "-v"},
       .protocols = {kDot, kDoh2, kDoh3},
       .chooses_groups = true,
       .retry = true,
       .early_data = {kDoh2},
       .programs = nginx_programs},
      {.name = "haproxy",
       .behind = "3.0 with OpenSSL",
       .version_command = {"/usr/sbin/haproxy", "-v"},
       .protocols = {kDot, kDoh2, kDoh3},
       .chooses_groups = true,
       .retry = true,
       .early_data = {kDot, kDoh2},
       .programs = haproxy_programs},
      {.name = "caddy",
       .behind = "2.11 with Go's own TLS",
       .version_command = {"/usr/bin/caddy", "version"},
       .protocols = {kDoh2, kDoh3},
       .chooses_groups = true,
       .early_data = {kDoh3},
       .programs = caddy_programs},
  };
  return kServers;
}

const RealServer* find_real_server(std::string_view name) {
  const auto servers = real_servers();
  const auto found = std::ranges::find(servers, name, &RealServer::name);
  return found == servers.end() ? nullptr : &*found;
}

}  // namespace endpoints
