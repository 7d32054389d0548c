#include "clients/tls_record.hh"

namespace clients {

void record_tls_facts(const transport::TlsFacts& facts, captures::QueryRecord& record) {
  record.tls =
      captures::TlsFacts{.version = facts.version, .cipher = facts.cipher, .alpn = facts.alpn};
  if (!facts.group.empty()) record.group = facts.group;
  record.early_data.accepted = facts.early_data_accepted;
}

}  // namespace clients
