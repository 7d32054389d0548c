#pragma once

// Servers as people name them: "dot://192.0.2.53", "doq://dns.example:8853",
// "https://dns.example/dns-query", "do53://[2001:db8::53]". A bare host means do53.

#include "clients/query_spec.hh"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace clients {

struct QueryUrl {
  Transport transport = Transport::kDo53;
  std::string host;  // name or address, without brackets
  std::uint16_t port = 0;
  std::string path;  // DoH only, starts with '/'; empty otherwise
  bool operator==(const QueryUrl&) const = default;
};

inline constexpr std::size_t kMaxUrlBytes = 2048;

// The error says what is wrong and what would be right. "https" is doh2, "tls" dot, "quic" doq,
// "udp" do53, "tcp" do53+tcp. The variable of RFC 8484's URI templates, "{?dns}", may end the path
// and is left out.
std::expected<QueryUrl, std::string> parse_query_url(std::string_view text);

}  // namespace clients
