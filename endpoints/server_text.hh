#pragma once

// What the configurations of several servers have in common.

#include "endpoints/real_server.hh"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace endpoints {

// The port of a protocol that is to be served.
std::optional<std::uint16_t> port_of(const ServerSpec& spec, Protocol protocol);
// "192.0.2.1:53", "[2001:db8::1]:53"
std::string socket_text(std::string_view address, std::uint16_t port);
// A zone with its apex, for a zone file; the spec's records and an SOA record.
struct ZoneText {
  std::string apex;  // without the final dot; empty for the root
  std::string text;
  bool has_name_server = false;
};
std::vector<ZoneText> zone_texts(const ServerSpec& spec);
// OpenSSL's configuration that leaves these groups, in this order; for servers that have no word
// for them.
ServerFile openssl_groups(const ServerSpec& spec);
// Of every program: nothing of ours is in it but where its keys go.
std::vector<std::string> plain_environment(const ServerSite& site);

// The resolver behind a front, in plain DNS and in plain HTTP/2 on the loopback interface.
inline constexpr std::uint16_t kBackendDnsPort = 5300;
inline constexpr std::uint16_t kBackendHttpPort = 5380;
ServerProgram backend_program(const ServerSpec& spec, const ServerSite& site);

std::vector<ServerProgram> unbound_programs(const ServerSpec& spec, const ServerSite& site);
std::vector<ServerProgram> knot_programs(const ServerSpec& spec, const ServerSite& site);
std::vector<ServerProgram> bind_programs(const ServerSpec& spec, const ServerSite& site);
std::vector<ServerProgram> dnsdist_programs(const ServerSpec& spec, const ServerSite& site);
std::vector<ServerProgram> kresd_programs(const ServerSpec& spec, const ServerSite& site);
std::vector<ServerProgram> nginx_programs(const ServerSpec& spec, const ServerSite& site);
std::vector<ServerProgram> haproxy_programs(const ServerSpec& spec, const ServerSite& site);
std::vector<ServerProgram> caddy_programs(const ServerSpec& spec, const ServerSite& site);

}  // namespace endpoints
