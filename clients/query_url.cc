#include "clients/query_url.hh"

#include <algorithm>
#include <charconv>
#include <format>
#include <utility>

namespace clients {
namespace {

using Error = std::unexpected<std::string>;

constexpr std::string_view kDefaultPath = "/dns-query";
constexpr std::string_view kTemplateVariable = "{?dns}";

constexpr std::pair<std::string_view, Transport> kOtherSchemes[]{
    {"udp", Transport::kDo53},   {"tcp", Transport::kDo53Tcp}, {"tls", Transport::kDot},
    {"https", Transport::kDoh2}, {"quic", Transport::kDoq},
};

std::optional<Transport> transport_of_scheme(std::string_view scheme) {
  for (const auto& [name, transport] : kOtherSchemes)
    if (name == scheme) return transport;
  return transport_from(scheme);
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || rest != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

// A path goes into a request line or a :path field: printable ASCII, no fragment and no query of
// its own (RFC 3986).
bool is_path(std::string_view text) {
  return text.starts_with('/') && std::ranges::all_of(text, [](char symbol) {
           return symbol > ' ' && symbol < '\x7f' && symbol != '#' && symbol != '?' &&
                  symbol != '"';
         });
}

bool is_host(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char symbol) {
    return symbol > ' ' && symbol != '\x7f' &&
           std::string_view("/?#@[]\"\\").find(symbol) == std::string_view::npos;
  });
}

struct Authority {
  std::string_view host;
  std::optional<std::string_view> port;
};

// RFC 3986, section 3.2: an IPv6 address stands in brackets, or a port could not be told from its
// last group.
std::expected<Authority, std::string> split_authority(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return Error("'[' without ']' around the address");
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && !rest.starts_with(':'))
      return Error(std::format("'{}' after the address; a port is written ':853'", rest));
    return Authority{text.substr(1, end - 1),
                     rest.empty() ? std::nullopt : std::optional(rest.substr(1))};
  }
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return Authority{text, std::nullopt};
  if (text.find(':', colon + 1) != std::string_view::npos)
    return Error(std::format("an IPv6 address stands in brackets: [{}]", text));
  return Authority{text.substr(0, colon), text.substr(colon + 1)};
}

std::expected<std::string, std::string> path_for(Transport transport, std::string_view text) {
  if (text.ends_with(kTemplateVariable)) text.remove_suffix(kTemplateVariable.size());
  if (!runs_over_http(transport)) {
    if (text.empty() || text == "/") return std::string();
    return Error(std::format("{} has no paths, found '{}'", to_string(transport), text));
  }
  if (text.empty() || text == "/") return std::string(kDefaultPath);
  if (!is_path(text))
    return Error(std::format("'{}' is not a path such as {}", text, kDefaultPath));
  return std::string(text);
}

}  // namespace

std::expected<QueryUrl, std::string> parse_query_url(std::string_view text) {
  if (text.size() > kMaxUrlBytes) return Error(std::format("longer than {} bytes", kMaxUrlBytes));
  QueryUrl url;
  if (const auto end = text.find("://"); end != std::string_view::npos) {
    const auto transport = transport_of_scheme(text.substr(0, end));
    if (!transport) {
      return Error(std::format(
          "scheme '{}' is not known; do53, do53+tcp, dot, doh2, doh3, doq and https are",
          text.substr(0, end)));
    }
    url.transport = *transport;
    text.remove_prefix(end + 3);
  }
  const auto slash = std::min(text.find('/'), text.size());
  const auto authority = split_authority(text.substr(0, slash));
  if (!authority) return Error(authority.error());
  if (!is_host(authority->host))
    return Error(std::format("'{}' is not a host name or address", authority->host));
  url.host = authority->host;
  url.port = default_port(url.transport);
  if (authority->port) {
    const auto port = parse_port(*authority->port);
    if (!port) return Error(std::format("'{}' is not a port, 1 to 65535", *authority->port));
    url.port = *port;
  }
  auto path = path_for(url.transport, text.substr(slash));
  if (!path) return Error(path.error());
  url.path = *std::move(path);
  return url;
}

}  // namespace clients
