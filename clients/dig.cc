#include "base/text.hh"
#include "clients/client_words.hh"
#include "clients/dig_text.hh"
#include "transport/dns_text.hh"

#include <format>

namespace clients {
namespace {

using captures::Fault;

constexpr std::string_view kSettingsFile = "openssl.cnf";

// dig itself has no word for key exchange groups.
ClientFile openssl_groups(const QuerySpec& spec) {
  return {.name = std::string(kSettingsFile),
          .text = std::format("openssl_conf = settings\n[settings]\nssl_conf = ssl\n[ssl]\n"
                              "system_default = tls\n[tls]\nGroups = {}\n",
                              base::joined(spec.groups, ":"))};
}

// Its exit code is 0 where it refuses a certificate, and where a handshake ends with an alert, of
// which it does not speak.
void read_failure(const ClientTraces& traces, captures::QueryRecord& record) {
  const std::string words = in_one_line(traces.complaint + "\n" + traces.output);
  if (words.empty())
    return fail(record, Fault::kUnknown,
                std::format("dig said nothing and ended with {}", traces.status.describe()));
  if (contains_any(words, {"certificate verification", "Invalid option", "couldn't get address"}))
    return fail(record, Fault::kClient, words);
  const bool met = contains_any(
      words, {"connection refused", "connection reset", "timed out", "end of file", "unreachable"});
  fail(record, met ? Fault::kServer : Fault::kUnknown, words);
}

}  // namespace

ClientCommand dig_command(const QuerySpec& spec, const ClientSite& site) {
  // Microseconds (-u), and nothing from files of a user's (-r).
  ClientCommand dig{
      .argv = {"/usr/bin/dig", "-r", "-u", "-b",
               std::format("{}#{}", site.local_address, spec.local_port), "-p",
               std::to_string(port_of(spec.server)), "@" + address_text(spec.server), "-q",
               spec.question.name, "-t", transport::to_string(spec.question.type), "+nocmd",
               "+tries=1", "+timeout=" + seconds_text(spec.timeout), "+nocookie", "+noadflag",
               std::format("+bufsize={}", transport::kDefaultEdnsUdpSize)},
      .environment = plain_environment(site)};
  const auto add = [&](std::string option) { dig.argv.push_back(std::move(option)); };
  if (!is_encrypted(spec.transport)) return dig;
  if (spec.transport == Transport::kDot) {
    add("+tls");
  } else {
    add(std::format("+https{}={}", spec.method == HttpMethod::kGet ? "-get" : "", spec.path));
  }
  add("+tls-ca=" + spec.ca_file);
  add("+tls-hostname=" + spec.server_name);
  if (is_padded(spec)) add(std::format("+padding={}", transport::kQueryPaddingBlock));
  dig.environment.push_back("OPENSSL_CONF=" + (site.folder / kSettingsFile).string());
  dig.files.push_back(openssl_groups(spec));
  return dig;
}

void read_dig(const ClientTraces& traces, const QuerySpec& /*spec*/,
              captures::QueryRecord& record) {
  if (!read_dig_text(traces.output, record)) read_failure(traces, record);
}

}  // namespace clients
