#include "tests/analysis/sealing.hh"

#include "analysis/aead.hh"
#include "base/errors.hh"

#include <openssl/evp.h>

#include <string>

namespace analysis {
namespace {

using transport::Bytes;
using transport::ByteSpan;

constexpr std::size_t kNumberBytes = 4;

void append_integer(Bytes& to, std::uint64_t value, std::size_t size) {
  for (std::size_t left = size; left > 0; --left)
    to.push_back(static_cast<std::uint8_t>(value >> (8 * (left - 1))));
}

const EVP_CIPHER* cipher_of(CipherSuite suite) {
  if (suite == CipherSuite::kAes128Gcm) return EVP_aes_128_gcm();
  return suite == CipherSuite::kAes256Gcm ? EVP_aes_256_gcm() : EVP_chacha20_poly1305();
}

Bytes seal(CipherSuite suite, ByteSpan key, Bytes nonce, std::uint64_t counter, ByteSpan associated,
           ByteSpan text) {
  for (std::size_t index = 0; index < 8; ++index)
    nonce[nonce.size() - 1 - index] ^= static_cast<std::uint8_t>(counter >> (8 * index));
  const CipherContext context(EVP_CIPHER_CTX_new());
  Bytes sealed(text.size() + Aead::kTagBytes);
  int written = 0;
  EVP_EncryptInit_ex(context.get(), cipher_of(suite), nullptr, key.data(), nonce.data());
  EVP_EncryptUpdate(context.get(), nullptr, &written, associated.data(),
                    static_cast<int>(associated.size()));
  EVP_EncryptUpdate(context.get(), sealed.data(), &written, text.data(),
                    static_cast<int>(text.size()));
  LABRUN_ASSERT(EVP_EncryptFinal_ex(context.get(), sealed.data() + written, &written) == 1);
  EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, Aead::kTagBytes,
                      sealed.data() + text.size());
  return sealed;
}

std::uint8_t first_byte(const PlainPacket& packet) {
  constexpr std::uint8_t kNumberLength = kNumberBytes - 1;
  if (packet.type == QuicPacketType::kOneRtt) return (packet.phase ? 0x44U : 0x40U) | kNumberLength;
  const auto order = static_cast<unsigned>(packet.type);  // as version 1 has them
  const unsigned bits = packet.version == QuicVersion::kV2 ? (order + 1) % 4 : order;
  return static_cast<std::uint8_t>(0xc0U | bits << 4U | kNumberLength);
}

Bytes header_of(const PlainPacket& packet) {
  Bytes header{first_byte(packet)};
  if (packet.type == QuicPacketType::kOneRtt) {
    transport::append(header, packet.dcid);
  } else {
    append_integer(header, static_cast<std::uint32_t>(packet.version), 4);
    for (const Bytes& id : {packet.dcid, packet.scid}) {
      header.push_back(static_cast<std::uint8_t>(id.size()));
      transport::append(header, id);
    }
    if (packet.type == QuicPacketType::kInitial) {
      append_varint(header, packet.token.size());
      transport::append(header, packet.token);
    }
    append_varint(header, kNumberBytes + packet.frames.size() + Aead::kTagBytes);
  }
  append_integer(header, packet.number, kNumberBytes);
  return header;
}

}  // namespace

Bytes from_hex(std::string_view digits) {
  Bytes bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2)
    bytes.push_back(
        static_cast<std::uint8_t>(std::stoul(std::string(digits.substr(at, 2)), nullptr, 16)));
  return bytes;
}

void append_varint(Bytes& to, std::uint64_t value) {
  constexpr std::uint64_t kLimits[] = {1U << 6U, 1U << 14U, 1U << 30U};
  std::size_t power = 0;
  while (power < 3 && value >= kLimits[power]) ++power;
  const std::size_t at = to.size();
  append_integer(to, value, std::size_t{1} << power);
  to[at] |= static_cast<std::uint8_t>(power << 6U);
}

Bytes seal_packet(const PlainPacket& packet, const PacketKeys& keys) {
  const std::string prefix = packet.version == QuicVersion::kV2 ? "quicv2 " : "quic ";
  const auto derive = [&](const char* what, std::size_t size) {
    return expand_label(keys.suite, keys.secret, prefix + what, size);
  };
  Bytes sealed = header_of(packet);
  const std::size_t number_at = sealed.size() - kNumberBytes;
  transport::append(
      sealed, seal(keys.suite, derive("key", key_bytes(keys.suite)), derive("iv", Aead::kIvBytes),
                   packet.number, Bytes(sealed), packet.frames));
  const PacketProtection header_protection(
      packet.version, keys.suite, keys.header_secret.empty() ? keys.secret : keys.header_secret);
  const auto mask = header_protection.header_mask(
      ByteSpan(sealed).subspan(number_at + kNumberBytes, PacketProtection::kSampleBytes));
  sealed[0] ^= mask[0] & (packet.type == QuicPacketType::kOneRtt ? 0x1fU : 0x0fU);
  for (std::size_t index = 0; index < kNumberBytes; ++index)
    sealed[number_at + index] ^= mask.at(1 + index);
  return sealed;
}

Bytes seal_initial(End from, const PlainPacket& packet, ByteSpan client_dcid) {
  return seal_packet(packet, {.suite = CipherSuite::kAes128Gcm,
                              .secret = initial_secret(packet.version, client_dcid, from),
                              .header_secret = {}});
}

Bytes seal_record(CipherSuite suite, const Secret& secret, std::uint64_t sequence,
                  std::uint8_t type, ByteSpan content, std::size_t padding) {
  Bytes inner(content.begin(), content.end());
  inner.push_back(type);
  inner.resize(inner.size() + padding);
  Bytes record{23, 3, 3};
  append_integer(record, inner.size() + Aead::kTagBytes, 2);
  transport::append(record, seal(suite, expand_label(suite, secret, "key", key_bytes(suite)),
                                 expand_label(suite, secret, "iv", Aead::kIvBytes), sequence,
                                 Bytes(record), inner));
  return record;
}

}  // namespace analysis
