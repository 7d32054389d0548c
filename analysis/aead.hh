#pragma once

// Opens what one traffic secret protects: TLS 1.3 records and QUIC packets of one direction.

#include "analysis/key_schedule.hh"
#include "transport/bytes.hh"

#include <openssl/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace analysis {

struct CipherContextDeleter {
  void operator()(EVP_CIPHER_CTX* context) const;
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, CipherContextDeleter>;

// Authenticated decryption (RFC 5116) with nonces made of an IV and a counter (RFC 8446 section
// 5.3).
class Aead {
 public:
  static constexpr std::size_t kTagBytes = 16;
  static constexpr std::size_t kIvBytes = 12;

  Aead(CipherSuite suite, transport::ByteSpan key, transport::ByteSpan iv);

  // nullopt where the tag does not verify: another key, or changed bytes.
  std::optional<transport::Bytes> open(std::uint64_t counter, transport::ByteSpan associated,
                                       transport::ByteSpan sealed) const;

 private:
  std::array<std::uint8_t, kIvBytes> iv_{};
  CipherContext context_;
};

// Keys of one direction's TLS records (RFC 8446 section 7.3).
Aead record_protection(CipherSuite suite, const Secret& secret);

// Keys of one direction and encryption level of QUIC (RFC 9001 section 5).
class PacketProtection {
 public:
  static constexpr std::size_t kSampleBytes = 16;

  PacketProtection(QuicVersion version, CipherSuite suite, const Secret& secret);

  // RFC 9001 section 5.4; `sample` has kSampleBytes.
  std::array<std::uint8_t, 5> header_mask(transport::ByteSpan sample) const;
  std::optional<transport::Bytes> open(std::uint64_t packet_number, transport::ByteSpan header,
                                       transport::ByteSpan sealed) const {
    return aead_.open(packet_number, header, sealed);
  }

  // The same direction after a key update (RFC 9001 section 6); header protection stays.
  PacketProtection updated() const;

 private:
  PacketProtection(QuicVersion version, CipherSuite suite, Secret secret,
                   transport::Bytes header_key);

  QuicVersion version_;
  CipherSuite suite_;
  Secret secret_;
  transport::Bytes header_key_;
  Aead aead_;
  CipherContext header_context_;
};

}  // namespace analysis
