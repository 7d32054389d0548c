#include "endpoints/command_line.hh"

#include "base/errors.hh"
#include "base/units.hh"
#include "base/version.hh"
#include "transport/dns_text.hh"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <format>
#include <ostream>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace endpoints {
namespace {

constexpr const char* kSummary =
    "Answers DNS queries from a few records over UDP, TCP, TLS, HTTP/2, HTTP/3 and QUIC, strictly "
    "and always the same. Certificates are made at the start, as long as you want them.";

constexpr const char* kExamples = R"(Examples:
  labdns --port-offset 8000
      every transport on 127.0.0.1, ports 8053, 8853 and 8443, for any user
  labdns --port-offset 8000 --ca-file ca.pem --record "www.example 300 AAAA 2001:db8::1"
      kdig @127.0.0.1 -p 8853 +tls-ca=ca.pem +tls-hostname=dns.lab.test www.example AAAA
  labdns --port-offset 8000 --transports doq --retry always --chain-bytes 3900
      a QUIC server that validates addresses and sends 3900 bytes of certificates
  labdns --address 192.0.2.53 --address 2001:db8::53 --certificate chain.pem --private-key key.pem

Exit code: 0 ended by SIGTERM or SIGINT, 2 bad command line, 3 this machine could not serve.)";

constexpr std::uint16_t kHighestPort = 65535;
constexpr std::size_t kMostTickets = 16;
constexpr base::Nanoseconds kLongestDuration = std::chrono::hours(1);
constexpr const char* kCertificates = "Certificates";
constexpr const char* kAnswers = "Answers";
constexpr const char* kResumption = "Resumption";
constexpr const char* kQuic = "QUIC";
constexpr const char* kForPrograms = "For programs that start labdns";

// Options as typed, before they mean anything.
struct Raw {
  std::vector<std::string> transports{"do53", "dot", "doh2", "doh3", "doq"};
  std::uint16_t port_dns = 53;
  std::uint16_t port_tls = 853;
  std::uint16_t port_https = 443;
  std::uint16_t port_http3 = 443;
  std::uint16_t port_quic = 853;
  std::uint16_t port_offset = 0;
  std::vector<std::string> records{"a.lab.test 60 A 192.0.2.1"};
  std::string padding = "rfc8467";
  std::string key = "ecdsa-p256";
  std::string groups = "X25519MLKEM768:X25519";
  std::string early_data = "none";
  std::string retry = "never";
  std::string initial_rtt = "333ms";
  std::string idle_timeout = "30s";
};

[[noreturn]] void reject(std::string_view option, std::string_view complaint) {
  throw CLI::ValidationError(std::string(option), std::string(complaint));
}

base::Nanoseconds duration_of(std::string_view option, std::string_view text) {
  const auto duration = base::parse_duration(text);
  if (!duration || *duration <= base::Nanoseconds(0) || *duration > kLongestDuration)
    reject(option, std::format("'{}' is not a duration such as 333ms or 30s, up to an hour", text));
  return *duration;
}

// Without a list of what is allowed in the option's own line of the help: descriptions say it.
CLI::Validator one_of(std::vector<std::string> words) {
  return CLI::IsMember(std::move(words)).description("");
}

void add_listener_options(CLI::App& app, Raw& raw, ServerSpec& spec) {
  spec.addresses = {"127.0.0.1"};
  app.add_option("--address", spec.addresses, "IPv4 or IPv6 address to serve on; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("ADDRESS [127.0.0.1]");
  app.add_option("--transports", raw.transports, "what to serve, separated by commas")
      ->delimiter(',')
      ->check(one_of({"do53", "dot", "doh2", "doh3", "doq"}))
      ->option_text("LIST [do53,dot,doh2,doh3,doq]");
  const std::array<std::tuple<const char*, std::uint16_t*, const char*>, 5> ports{{
      {"--port-dns", &raw.port_dns, "do53: DNS over UDP and TCP; 0 leaves it out, as for all"},
      {"--port-tls", &raw.port_tls, "dot: DNS over TLS"},
      {"--port-https", &raw.port_https, "doh2: DNS over HTTP/2"},
      {"--port-http3", &raw.port_http3, "doh3: DNS over HTTP/3"},
      {"--port-quic", &raw.port_quic, "doq: DNS over QUIC"},
  }};
  for (const auto& [name, port, description] : ports)
    app.add_option(name, *port, description)->type_name("PORT")->capture_default_str();
  app.add_option("--port-offset", raw.port_offset,
                 "added to every port; 8000 makes them free for ordinary users")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--idle-timeout", raw.idle_timeout, "ends connections that bring nothing for this")
      ->type_name("TIME")
      ->capture_default_str();
}

void add_answer_options(CLI::App& app, Raw& raw, ServerSpec& spec) {
  app.add_option("--record", raw.records,
                 "of type A, AAAA, TXT, CNAME, NS or SOA, or any as \\# LENGTH HEX; repeatable "
                 "[a.lab.test 60 A 192.0.2.1]")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("\"NAME TTL TYPE DATA\"")
      ->group(kAnswers);
  app.add_option("--answer-bytes", spec.answers.answer_bytes,
                 "exact length of each positive answer before padding; 0: as it comes")
      ->type_name("N")
      ->capture_default_str()
      ->group(kAnswers);
  app.add_option("--udp-limit", spec.answers.udp_limit,
                 "longest answer over UDP; longer ones come truncated")
      ->check(CLI::Range(std::size_t{transport::kPlainUdpLimit}, transport::kMaxDnsMessage)
                  .description(""))
      ->type_name("N")
      ->capture_default_str()
      ->group(kAnswers);
  app.add_option("--padding", raw.padding,
                 "of encrypted answers to padded queries: rfc8467, blocks of 468 bytes, or none")
      ->check(one_of({"rfc8467", "none"}))
      ->type_name("HOW")
      ->capture_default_str()
      ->group(kAnswers);
  app.add_option("--path", spec.doh_path, "path of DNS over HTTPS")
      ->type_name("PATH")
      ->capture_default_str()
      ->group(kAnswers);
}

void add_certificate_options(CLI::App& app, Raw& raw, ServerSpec& spec) {
  app.add_option("--server-name", spec.chain.server_name, "DNS name or address of the certificate")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(kCertificates);
  app.add_option("--chain-bytes", spec.chain.chain_bytes,
                 "sum of the DER sizes of the certificates sent, exactly; 0: as they come")
      ->type_name("N")
      ->capture_default_str()
      ->group(kCertificates);
  app.add_option("--key", raw.key, "ecdsa-p256, ecdsa-p384, rsa-2048, rsa-4096 or ed25519")
      ->check(one_of({"ecdsa-p256", "ecdsa-p384", "rsa-2048", "rsa-4096", "ed25519"}))
      ->type_name("TYPE")
      ->capture_default_str()
      ->group(kCertificates);
  app.add_option("--ca-file", spec.ca_file, "write the trust anchor to this file (PEM)")
      ->type_name("FILE")
      ->group(kCertificates);
  app.add_option("--certificate", spec.certificate_file,
                 "a chain of your own (PEM), leaf first, in place of all that")
      ->type_name("FILE")
      ->group(kCertificates);
  app.add_option("--private-key", spec.private_key_file, "its key (PEM)")
      ->type_name("FILE")
      ->group(kCertificates);
  app.add_option("--groups", raw.groups, "key exchange groups, the preferred one first")
      ->type_name("LIST")
      ->capture_default_str()
      ->group(kCertificates);
}

void add_resumption_options(CLI::App& app, Raw& raw, ServerSpec& spec) {
  app.add_option("--tickets", spec.session_tickets,
                 "session tickets after each full handshake, to resume with")
      ->check(CLI::Range(std::size_t{0}, kMostTickets).description(""))
      ->type_name("N")
      ->capture_default_str()
      ->group(kResumption);
  app.add_option("--early-data", raw.early_data,
                 "what tickets allow and becomes of it: none, accept (also replays) or reject")
      ->check(one_of({"none", "accept", "reject"}))
      ->type_name("HOW")
      ->capture_default_str()
      ->group(kResumption);
}

void add_quic_options(CLI::App& app, Raw& raw, ServerSpec& spec) {
  app.add_option("--retry", raw.retry,
                 "always: a Retry packet validates every client's address; or never")
      ->check(one_of({"never", "always"}))
      ->type_name("WHEN")
      ->capture_default_str()
      ->group(kQuic);
  app.add_option("--initial-rtt", raw.initial_rtt,
                 "round trip assumed before one is measured; the first repetition comes after "
                 "three of these")
      ->type_name("TIME")
      ->capture_default_str()
      ->group(kQuic);
  app.add_option("--max-udp-payload", spec.max_udp_payload, "largest datagram sent, 1200 to 65527")
      ->check(CLI::Range(1200, 65527).description(""))
      ->type_name("N")
      ->capture_default_str()
      ->group(kQuic);
  app.add_flag("--pmtud", spec.pmtud, "probe for larger datagrams")->group(kQuic);
  app.add_option("--quic-seed", spec.quic_seed,
                 "decides what connections draw at random and is no secret, in each alike")
      ->type_name("N")
      ->group(kQuic);
}

void add_program_options(CLI::App& app, ServerSpec& spec) {
  app.add_option("--ready-fd", spec.ready_descriptor,
                 "descriptor for one line of JSON once everything is bound")
      ->type_name("FD")
      ->group(kForPrograms);
  app.add_option("--keylog-fd", spec.keylog_descriptor, "descriptor for the TLS keys (NSS key log)")
      ->type_name("FD")
      ->group(kForPrograms);
  app.add_flag("--keylog-at-once", spec.keylog_at_once,
               "each key before it is used, not a connection's together")
      ->group(kForPrograms);
  app.add_option("--log-fd", spec.log_descriptor, "descriptor for messages")
      ->type_name("FD")
      ->capture_default_str()
      ->group(kForPrograms);
  app.add_flag("--quiet", spec.quiet, "no greeting")->group(kForPrograms);
}

// A chain is either made or brought along.
void check_certificate_options(const CLI::App& app) {
  if (app.count("--certificate") != app.count("--private-key"))
    reject("--certificate", "needs --private-key, and the other way round");
  if (app.count("--certificate") == 0) return;
  for (const char* option : {"--server-name", "--chain-bytes", "--key", "--ca-file"})
    if (app.count(option) > 0) reject(option, "says how to make what --certificate brings");
}

void interpret_listeners(const Raw& raw, ServerSpec& spec) {
  const std::array<std::uint16_t, 5> ports{raw.port_dns, raw.port_tls, raw.port_https,
                                           raw.port_http3, raw.port_quic};
  for (std::size_t index = 0; index < ports.size(); ++index) {
    const ProtocolSpec& known = kProtocols[index];
    if (ports[index] == 0 || !std::ranges::contains(raw.transports, known.name)) continue;
    const int port = ports[index] + raw.port_offset;
    if (port > kHighestPort)
      reject("--port-offset", std::format("{} would listen on port {}", known.name, port));
    spec.listeners.push_back({known.protocol, known.name, static_cast<std::uint16_t>(port)});
  }
  if (spec.listeners.empty()) reject("--transports", "nothing is left to serve");
}

void interpret(const Raw& raw, ServerSpec& spec) {
  interpret_listeners(raw, spec);
  for (const std::string& line : raw.records) {
    auto record = transport::parse_record(line);
    if (!record) reject("--record", std::format("\"{}\": {}", line, record.error()));
    spec.records.push_back(std::move(*record));
  }
  spec.answers.padding = raw.padding == "rfc8467";
  spec.chain.key = *parse_key_type(raw.key);
  for (const auto part : raw.groups | std::views::split(':'))
    if (!part.empty()) spec.groups.emplace_back(part.begin(), part.end());
  if (raw.early_data == "accept") spec.early_data = transport::EarlyData::kAccept;
  if (raw.early_data == "reject") spec.early_data = transport::EarlyData::kReject;
  if (spec.early_data != transport::EarlyData::kNone && spec.session_tickets == 0)
    reject("--early-data", "needs --tickets, which allow it");
  spec.retry =
      raw.retry == "always" ? transport::RetryPolicy::kAlways : transport::RetryPolicy::kNever;
  spec.initial_rtt = duration_of("--initial-rtt", raw.initial_rtt);
  spec.idle_timeout = duration_of("--idle-timeout", raw.idle_timeout);
}

}  // namespace

std::expected<ServerSpec, int> parse_command_line(int argc, const char* const* argv,
                                                  std::ostream& out, std::ostream& error) {
  ServerSpec spec;
  Raw raw;
  CLI::App app(kSummary, "labdns");
  app.footer(kExamples);
  app.set_version_flag("--version", std::string("labdns ") + base::kVersion);
  app.get_formatter()->column_width(36);
  add_listener_options(app, raw, spec);
  add_answer_options(app, raw, spec);
  add_certificate_options(app, raw, spec);
  add_resumption_options(app, raw, spec);
  add_quic_options(app, raw, spec);
  add_program_options(app, spec);
  try {
    app.parse(argc, argv);
    check_certificate_options(app);
    interpret(raw, spec);
  } catch (const CLI::ParseError& problem) {
    return std::unexpected(app.exit(problem, out, error) == 0 ? base::kExitSuccess
                                                              : base::kExitBadInput);
  }
  return spec;
}

}  // namespace endpoints
