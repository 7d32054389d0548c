#pragma once

// Secrets and what is derived from them: TLS 1.3 (RFC 8446 section 7) and QUIC (RFC 9001 section 5,
// RFC 9369 section 3.3).

#include "analysis/end.hh"
#include "transport/bytes.hh"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace analysis {

using Secret = transport::Bytes;

enum class CipherSuite : std::uint16_t {
  kAes128Gcm = 0x1301,         // with SHA-256
  kAes256Gcm = 0x1302,         // with SHA-384
  kChaCha20Poly1305 = 0x1303,  // with SHA-256
};
std::optional<CipherSuite> known_cipher_suite(std::uint64_t code);
std::size_t key_bytes(CipherSuite suite);

// HKDF-Expand-Label with an empty context; the hash follows from the suite. `label` is without its
// "tls13 " prefix.
transport::Bytes expand_label(CipherSuite suite, const Secret& secret, std::string_view label,
                              std::size_t length);

enum class QuicVersion : std::uint32_t {
  kDraft29 = 0xff00001d,
  kV1 = 0x00000001,
  kV2 = 0x6b3343cf,
};
// Versions whose Initial packets we can open; drafts 29 to 32 are alike.
std::optional<QuicVersion> known_quic_version(std::uint32_t number);

// Of one end's Initial packets. `dcid` is the Destination Connection ID of the client's first
// Initial, after a Retry that of the first Initial which answers it.
Secret initial_secret(QuicVersion version, transport::ByteSpan dcid, End end);

}  // namespace analysis
