#include "endpoints/real_server.hh"

#include "base/errors.hh"
#include "endpoints/server_text.hh"

#include <algorithm>

namespace endpoints {

namespace {

using enum Protocol;

std::vector<RealServer> stable_servers() {
  return {
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
       .version_command = {"/usr/sbin/named", "-V"},
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
       .version_command = {"/usr/sbin/nginx", "-V"},
       .protocols = {kDot, kDoh2, kDoh3},
       .chooses_groups = true,
       .retry = true,
       .early_data = {kDoh2},
       .programs = nginx_programs},
      {.name = "haproxy",
       .behind = "3.0 with OpenSSL",
       .version_command = {"/usr/sbin/haproxy", "-vv"},
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
}

RealServer& named(std::vector<RealServer>& servers, std::string_view name) {
  const auto found = std::ranges::find(servers, name, &RealServer::name);
  LABRUN_ASSERT(found != servers.end());
  return *found;
}

// Those that are not as they are in stable.
std::vector<RealServer> testing_servers() {
  std::vector<RealServer> servers = stable_servers();
  named(servers, "knot").behind = "3.5 with GnuTLS";
  RealServer& resolver = named(servers, "knot-resolver");
  resolver.behind = "6.5 with GnuTLS";
  resolver.protocols = {kDo53, kDot, kDoh2, kDoq};
  RealServer& nginx = named(servers, "nginx");
  nginx.behind = "1.30 with OpenSSL";
  nginx.early_data = {kDoh2, kDoh3};
  RealServer& haproxy = named(servers, "haproxy");
  haproxy.behind = "3.2 with OpenSSL";
  haproxy.early_data = {kDot, kDoh2, kDoh3};
  return servers;
}

}  // namespace

ServerName parse_server_name(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return {.program = text};
  return {.program = text.substr(0, at), .release = text.substr(at + 1)};
}

std::span<const RealServer> real_servers(std::string_view release) {
  static const std::vector<RealServer> kOfStable = stable_servers();
  static const std::vector<RealServer> kOfTesting = testing_servers();
  return release == kStable ? kOfStable : kOfTesting;
}

const RealServer* find_real_server(std::string_view name) {
  const ServerName wanted = parse_server_name(name);
  if (wanted.release != kStable && wanted.release != kTesting && !wanted.has_own_root())
    return nullptr;
  const auto servers = real_servers(wanted.release);
  const auto found = std::ranges::find(servers, wanted.program, &RealServer::name);
  return found == servers.end() ? nullptr : &*found;
}

}  // namespace endpoints
