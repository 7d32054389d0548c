#include "clients/client_words.hh"
#include "clients/dig_text.hh"
#include "transport/dns_text.hh"

#include <array>
#include <charconv>
#include <cstdint>
#include <format>
#include <regex>
#include <utility>

namespace clients {
namespace {

using captures::Fault;

// GnuTLS's names of groups in those of OpenSSL.
std::string group_name(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNames{
      {{"SECP256R1", "P-256"}, {"SECP384R1", "P-384"}, {"SECP521R1", "P-521"}}};
  for (const auto& [theirs, ours] : kNames)
    if (name == theirs) return std::string(ours);
  return name;
}

// "(TLS1.3)-(ECDHE-X25519)-(ECDSA-SECP256R1-SHA256)-(AES-256-GCM)" behind "TLS session" or "QUIC
// session (QUICv1)-".
void read_session(const std::string& text, captures::QueryRecord& record) {
  static const std::regex kSession(
      R"(session (?:\(QUICv1\)-)?\(TLS([0-9.]+)\)-\(ECDHE-([^)]+)\)-\([^)]+\)-\(([^)]+)\))");
  std::smatch found;
  if (!std::regex_search(text, found, kSession)) return;
  record.group = group_name(found[2].str());
  record.tls =
      captures::TlsFacts{.version = "TLSv" + found[1].str(), .cipher = found[3].str(), .alpn = {}};
}

void read_status(const std::string& text, captures::QueryRecord& record) {
  static const std::regex kStatus(R"(HTTP session .*\(status: ([0-9]{3})\))");
  std::smatch found;
  if (!std::regex_search(text, found, kStatus)) return;
  std::uint16_t status = 0;
  const std::string digits = found[1].str();
  std::from_chars(digits.data(), digits.data() + digits.size(), status);
  record.http_status = status;
}

// The line of the debugging output that tells why a certificate is refused; its messages say only
// that it was.
std::string certificate_complaint(const std::string& text) {
  static const std::regex kRefused(R"(TLS, (The certificate is NOT trusted\.[^\n]*))");
  std::smatch found;
  return std::regex_search(text, found, kRefused) ? found[1].str() : std::string();
}

void read_failure(const ClientTraces& traces, captures::QueryRecord& record) {
  constexpr std::uint16_t kOk = 200;
  if (record.http_status && *record.http_status != kOk)
    return fail(record, Fault::kServer, std::format("HTTP status {}", *record.http_status));
  const std::string words = in_one_line(traces.complaint);
  if (const std::string refused = certificate_complaint(traces.output); !refused.empty())
    return fail(record, Fault::kClient, words + "; " + in_one_line(refused));
  if (words.empty())
    return fail(record, Fault::kUnknown,
                std::format("kdig said nothing and ended with {}", traces.status.describe()));
  const bool misused =
      contains_any(words, {"invalid option", "missing", "Error in the certificate"});
  const bool met =
      contains_any(words, {"can't connect", "fatal alert has been received",
                           "Error in the pull function", "non-properly terminated",
                           "can't receive reply", "response timeout", "too long to respond"});
  fail(record, misused ? Fault::kClient : met ? Fault::kServer : Fault::kUnknown, words);
}

}  // namespace

ClientCommand kdig_command(const QuerySpec& spec, const ClientSite& site) {
  ClientCommand kdig{
      .argv = {"/usr/bin/kdig", "-d", "-b",
               std::format("{}@{}", site.local_address, spec.local_port), "-p",
               std::to_string(port_of(spec.server)), "-q", spec.question.name, "-t",
               transport::to_string(spec.question.type), "@" + address_text(spec.server), "+noidn",
               "+retry=0", "+timeout=" + seconds_text(spec.timeout),
               std::format("+bufsize={}", transport::kDefaultEdnsUdpSize)},
      .environment = plain_environment(site)};
  const auto add = [&](std::string option) { kdig.argv.push_back(std::move(option)); };
  if (!is_encrypted(spec.transport)) return kdig;
  add("+tls-hostname=" + spec.server_name);
  add("+tls-sni=" + spec.server_name);
  add("+tls-ca=" + spec.ca_file);
  if (spec.transport == Transport::kDoh2) {
    add(std::format("+https={}{}", spec.server_name, spec.path));
    if (spec.method == HttpMethod::kGet) add("+https-get");
  }
  if (spec.transport == Transport::kDoq) add("+quic");
  add(is_padded(spec) ? std::format("+alignment={}", transport::kQueryPaddingBlock) : "+nopadding");
  return kdig;
}

void read_kdig(const ClientTraces& traces, const QuerySpec& spec, captures::QueryRecord& record) {
  // It leaves HTTPS to GnuTLS's defaults, which have finite fields behind these.
  if (spec.transport == Transport::kDoh2)
    record.settings.groups = {"P-256", "P-384", "P-521", "X25519", "X448"};
  read_session(traces.output, record);
  read_status(traces.output, record);
  if (!read_dig_text(traces.output, record)) read_failure(traces, record);
}

}  // namespace clients
