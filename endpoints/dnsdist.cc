#include "endpoints/server_text.hh"
#include "transport/dns_text.hh"

#include <format>

namespace endpoints {

std::vector<ServerProgram> dnsdist_programs(const ServerSpec& spec, const ServerSite& site) {
  // Without an ACL of ours it answers private addresses only; the lab's are those of documents.
  std::string text = "setSecurityPollSuffix(\"\")\nsetACL({\"0.0.0.0/0\", \"::/0\"})\n";
  const std::string identity =
      std::format("\"{}\", \"{}\"", site.certificates.string(), site.private_key.string());
  const auto listen = [&](Protocol protocol, std::string_view function, const std::string& rest) {
    const auto port = port_of(spec, protocol);
    if (!port) return;
    for (const std::string& address : spec.addresses)
      text += std::format("{}(\"{}\"{})\n", function, socket_text(address, *port), rest);
  };
  const std::string tickets = spec.session_tickets > 0 ? "true" : "false";
  listen(Protocol::kDo53, "addLocal", "");
  listen(Protocol::kDot, "addTLSLocal",
         std::format(", {}, {{provider=\"openssl\", sessionTickets={}}}", identity, tickets));
  listen(Protocol::kDoh2, "addDOHLocal",
         std::format(", {}, \"{}\", {{sessionTickets={}}}", identity, spec.doh_path, tickets));
  for (const transport::DnsRecord& record : spec.records) {
    const std::string data = transport::rdata_text(record);
    text += std::format(
        "addAction(AndRule({{QNameRule(\"{}\"), QTypeRule(DNSQType.{})}}), "
        "SpoofAction(\"{}\", {{ttl={}}}))\n",
        record.name, transport::to_string(record.type), data, record.ttl);
  }
  text += "addAction(AllRule(), RCodeAction(DNSRCode.NXDOMAIN))\n";
  ServerProgram dnsdist{.name = "dnsdist",
                        .argv = {"/usr/bin/dnsdist", "--supervised", "--disable-syslog", "-C",
                                 (site.folder / "dnsdist.conf").string()},
                        .environment = plain_environment(site),
                        .files = {{"dnsdist.conf", std::move(text)}, openssl_groups(spec)}};
  dnsdist.environment.push_back("OPENSSL_CONF=" + (site.folder / "openssl.cnf").string());
  return {std::move(dnsdist)};
}

}  // namespace endpoints
