#pragma once

// Certificates for tests: self-signed, ECDSA P-256, as large as a test wants.

#include "transport/tls_context.hh"

#include <cstddef>
#include <string>

namespace transport {

inline constexpr const char* kServerName = "dns.lab.test";

struct Identity {
  std::string certificate_pem;
  std::string private_key_pem;
  std::size_t der_bytes = 0;
};

// A certificate for kServerName of `der_bytes`, give or take the two bytes by which ECDSA
// signatures differ; 0: no padding.
Identity make_identity(std::size_t der_bytes);

// Settings that fit each other: a server with `identity` and a client that trusts it.
TlsSettings server_tls(const Identity& identity, TlsCarrier carrier, std::string_view alpn);
TlsSettings client_tls(const Identity& identity, TlsCarrier carrier, std::string_view alpn,
                       std::string_view group);

}  // namespace transport
