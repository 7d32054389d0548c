#include "clients/query_identity.hh"

namespace clients {

void identify(captures::QueryRecord& record, const QuerySpec& spec, const QueryIdentity& identity) {
  record.id = identity.id;
  record.cell = identity.cell;
  record.transport = to_string(spec.transport);
  record.block = identity.block;
  record.index = identity.index;
  record.seed = identity.seed;
  record.settings.connection = to_string(spec.connection);
  const bool encrypted = is_encrypted(spec.transport);
  record.settings.padding = encrypted && spec.padding == Padding::kRfc8467 ? "rfc8467" : "none";
  if (encrypted) record.settings.groups = spec.groups;
  if (runs_over_quic(spec.transport)) {
    record.settings.initial_rtt = spec.initial_rtt;
    record.settings.max_udp_payload = spec.max_udp_payload;
    record.settings.pmtud = spec.pmtud;
  }
}

}  // namespace clients
