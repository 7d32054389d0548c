#include "clients/tls_record.hh"

namespace clients {

void record_tls_facts(const transport::TlsFacts& facts, captures::QueryRecord& record) {
  record.tls =
      captures::TlsFacts{.version = facts.version, .cipher = facts.cipher, .alpn = facts.alpn};
  if (!facts.group.empty()) record.group = facts.group;
}

}  // namespace clients
