#include "clients/command_line.hh"

#include "base/errors.hh"
#include "base/units.hh"
#include "clients/query_url.hh"
#include "transport/dns_text.hh"

#include <CLI/CLI.hpp>

#include <format>
#include <optional>
#include <ostream>
#include <ranges>
#include <string_view>

namespace clients {
namespace {

constexpr const char* kSummary =
    "Asks one DNS question over one transport and shows what took how long.";

constexpr const char* kExamples = R"(
Examples:
  labquery dot://192.0.2.53 --name dns.example a.example A
  labquery doq://dns.quad9.net example.com AAAA
  labquery https://dns.google/dns-query example.com --method post
  labquery doq://dns.adguard.com example.com --connection early-data
  labquery do53://[2001:db8::53]:5353 example.com --json

Transports: do53 do53+tcp dot doh2 doh3 doq, and https, which is doh2. Ports are the standard ones
(53, 853, 443) unless the URL has one. Nothing is asked twice: a lost Do53 datagram is no answer.

Exit code: 0 every query was answered, 1 some query was not, 2 bad command line, 3 this machine
could not ask.
)";

constexpr std::size_t kLastPort = 65535;

// Options as typed, before they mean anything.
struct Raw {
  std::string server;
  std::string name;
  std::string type = "A";
  std::string server_name;
  std::string timeout = "10s";
  std::string groups = "X25519MLKEM768:X25519";
  std::string initial_rtt = "333ms";
  std::string connection = "cold";
  std::string padding = "rfc8467";
  std::string method = "get";
  bool insecure = false;
};

[[noreturn]] void reject(std::string_view option, std::string_view complaint) {
  throw CLI::ValidationError(std::string(option), std::string(complaint));
}

base::Nanoseconds duration_of(std::string_view option, std::string_view text) {
  const auto duration = base::parse_duration(text);
  if (!duration || *duration <= base::Nanoseconds(0) || *duration > kMaxTimeout)
    reject(option, std::format("'{}' is not a duration such as 10s or 333ms, up to an hour", text));
  return *duration;
}

// How an option's value reads in the help: "TIME [10s]".
std::string with_default(std::string_view kind, std::string_view value) {
  return std::format("{} [{}]", kind, value);
}

void add_server_options(CLI::App& app, Raw& raw, CommandLine& command) {
  app.add_option("server", raw.server, "the server, as transport://host[:port][/path]")
      ->option_text("URL");
  app.add_option("question", raw.name, "the name that is asked for")->option_text("NAME");
  app.add_option("type", raw.type, "record type")->option_text(with_default("TYPE", raw.type));
  app.add_option("--name", raw.server_name,
                 "server's name for TLS and HTTP; default: the host of the URL")
      ->option_text("NAME");
  app.add_option("--timeout", raw.timeout, "give up after this")
      ->option_text(with_default("TIME", raw.timeout));
  app.add_option("--count", command.count, "ask so many times, each on its own")
      ->check(CLI::Range(std::size_t{1}, kMaxCount))
      ->option_text("N [1]");
  app.add_option("--local-port", command.spec.local_port,
                 "send from this port; --count and --connection take those behind it, too")
      ->option_text("PORT");
}

void add_protocol_options(CLI::App& app, Raw& raw, CommandLine& command) {
  const std::string group = "Protocol";
  app.add_option("--connection", raw.connection,
                 "cold; or warm, resumed (with a ticket) or early-data (0-RTT), for which the\n"
                 "same is asked once before; over QUIC also migrated or rebound, to a new port")
      ->check(CLI::Validator(
          [](const std::string& word) {
            return captures::parse_connection_kind(word)
                       ? std::string()
                       : std::format("'{}' is none of them", word);
          },
          ""))
      ->option_text(with_default("HOW", raw.connection))
      ->group(group);
  app.add_option("--groups", raw.groups, "key exchange, in this order; '' for OpenSSL's default")
      ->option_text("LIST [" + raw.groups + "]")
      ->group(group);
  app.add_option("--ca", command.spec.ca_file, "trust the certificates in this PEM file only")
      ->check(CLI::ExistingFile)
      ->option_text("FILE")
      ->group(group);
  app.add_flag("--insecure", raw.insecure, "accept any certificate")
      ->excludes("--ca")
      ->option_text(" ")
      ->group(group);
  app.add_option("--padding", raw.padding, "of encrypted queries: rfc8467 or none")
      ->check(CLI::IsMember({"rfc8467", "none"}))
      ->option_text(with_default("HOW", raw.padding))
      ->group(group);
  app.add_option("--method", raw.method, "of DoH: get or post")
      ->check(CLI::IsMember({"get", "post"}, CLI::ignore_case))
      ->option_text(with_default("METHOD", raw.method))
      ->group(group);
}

void add_quic_options(CLI::App& app, Raw& raw, CommandLine& command) {
  const std::string group = "QUIC";
  app.add_option("--initial-rtt", raw.initial_rtt,
                 "round trip assumed before one is measured; a lost first\n"
                 "datagram is sent again after three of these")
      ->option_text(with_default("TIME", raw.initial_rtt))
      ->group(group);
  app.add_option("--max-udp-payload", command.spec.max_udp_payload, "largest datagram, 1200-65527")
      ->check(CLI::Range(kMinUdpPayload, std::uint16_t{65527}))
      ->option_text(with_default("BYTES", std::to_string(kMinUdpPayload)))
      ->group(group);
  app.add_flag("--pmtud", command.spec.pmtud, "probe for larger datagrams")->group(group);
}

void add_output_options(CLI::App& app, CommandLine& command) {
  const std::string group = "Output";
  app.add_flag("--json", command.json, "one JSON object per query and line")->group(group);
  app.add_option("--keylog", command.keylog_file, "append the TLS keys to this file, for Wireshark")
      ->option_text("FILE")
      ->group(group);
  CLI::Option* batch = app.add_flag("--batch", command.batch,
                                    "read JSON requests from standard input, one per line, and\n"
                                    "answer each with a record")
                           ->group(group);
  app.add_flag("--keylog-inline", command.keylog_inline, "with --batch: keys in the records")
      ->needs(batch)
      ->option_text(" ")
      ->group(group);
  app.add_option("--keylog-fd", command.keylog_descriptor,
                 "with --batch: write keys to this descriptor, each before it is used")
      ->needs(batch)
      ->check(CLI::Range(3, 1023).description(""))
      ->option_text("N")
      ->group(group);
}

void interpret_server(const Raw& raw, CommandLine& command) {
  const auto url = parse_query_url(raw.server);
  if (!url) reject("server", url.error());
  command.host = url->host;
  command.port = url->port;
  command.spec.transport = url->transport;
  if (!url->path.empty()) command.spec.path = url->path;
  std::string& name = command.spec.server_name;
  name = raw.server_name.empty() ? url->host : raw.server_name;
  // Certificates and SNI have names without the final dot (RFC 6066, section 3).
  if (name.size() > 1 && name.ends_with('.')) name.pop_back();
}

void interpret_question(const Raw& raw, CommandLine& command) {
  if (raw.name.empty()) reject("question", "a name to ask for is missing");
  if (!transport::is_domain_name(raw.name))
    reject("question", std::format("'{}' is not a domain name", raw.name));
  const auto type = transport::parse_record_type(raw.type);
  if (!type) reject("type", std::format("'{}' is not a record type such as A or TYPE65", raw.type));
  command.spec.question = {.name = raw.name, .type = *type};
}

void interpret(const Raw& raw, CommandLine& command) {
  if (command.batch) return;
  if (raw.server.empty()) reject("server", "missing; see --help");
  interpret_server(raw, command);
  interpret_question(raw, command);
  QuerySpec& spec = command.spec;
  spec.timeout = duration_of("--timeout", raw.timeout);
  spec.initial_rtt = duration_of("--initial-rtt", raw.initial_rtt);
  spec.connection = *captures::parse_connection_kind(raw.connection);
  if (!can_find(spec.transport, spec.connection))
    reject("--connection",
           std::format("a query over {} cannot be {}", to_string(spec.transport), raw.connection));
  spec.padding = raw.padding == "none" ? Padding::kNone : Padding::kRfc8467;
  spec.method = CLI::detail::to_lower(raw.method) == "post" ? HttpMethod::kPost : HttpMethod::kGet;
  spec.groups.clear();
  for (const auto part : raw.groups | std::views::split(':'))
    if (!part.empty()) spec.groups.emplace_back(part.begin(), part.end());
  spec.allow_tls12 = true;
  if (raw.insecure) spec.trust = Trust::kUnchecked;
  if (!spec.ca_file.empty()) spec.trust = Trust::kFile;
  if (spec.local_port != 0 &&
      command.count * ports_of(spec.connection) - 1 > kLastPort - spec.local_port)
    reject("--local-port",
           std::format("{} queries from {} on run out of ports", command.count, spec.local_port));
}

}  // namespace

std::expected<CommandLine, int> parse_command_line(int argc, const char* const* argv,
                                                   std::ostream& out, std::ostream& error) {
  CommandLine command;
  Raw raw;
  CLI::App app(kSummary, "labquery");
  app.footer(kExamples);
  app.get_formatter()->column_width(36);
  add_server_options(app, raw, command);
  add_protocol_options(app, raw, command);
  add_quic_options(app, raw, command);
  add_output_options(app, command);
  try {
    app.parse(argc, argv);
    interpret(raw, command);
  } catch (const CLI::ParseError& problem) {
    return std::unexpected(app.exit(problem, out, error) == 0 ? base::kExitSuccess
                                                              : base::kExitBadInput);
  }
  return command;
}

}  // namespace clients
