#include "endpoints/server_text.hh"
#include "transport/dns_text.hh"

#include <format>

namespace endpoints {

std::vector<ServerProgram> kresd_programs(const ServerSpec& spec, const ServerSite& site) {
  std::string text = "log_level('info')\n";
  const auto listen = [&](Protocol protocol, std::string_view kind) {
    const auto port = port_of(spec, protocol);
    if (!port) return;
    for (const std::string& address : spec.addresses)
      text += std::format("net.listen('{}', {}, {{ kind = '{}' }})\n", address, *port, kind);
  };
  listen(Protocol::kDo53, "dns");
  listen(Protocol::kDot, "tls");
  listen(Protocol::kDoh2, "doh2");
  listen(Protocol::kDoq, "doq");
  text +=
      std::format("net.tls('{}', '{}')\n", site.certificates.string(), site.private_key.string());
  text +=
      "trust_anchors.remove('.')\n"
      "modules.unload('ta_update'); modules.unload('ta_signal_query')\n"
      "modules.unload('priming'); modules.unload('detect_time_skew')\n"
      "cache.size = 10*MB\n";
  for (const transport::DnsRecord& record : spec.records)
    text += std::format(
        "policy.add(policy.domains(policy.ANSWER({{ [kres.type.{}] = {{ rdata = "
        "kres.str2ip('{}'), ttl = {} }} }}), policy.todnames({{ '{}' }})))\n",
        transport::to_string(record.type), transport::rdata_text(record), record.ttl, record.name);
  text += "policy.add(policy.all(policy.DENY))\n";
  return {{.name = "knot-resolver",
           .argv = {"/usr/sbin/kresd", "-n", "-q", "-c", (site.folder / "kresd.conf").string(),
                    site.folder.string()},
           .environment = plain_environment(site),
           .files = {{"kresd.conf", std::move(text)}}}};
}

}  // namespace endpoints
