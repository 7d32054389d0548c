#include "analysis/aead.hh"

#include "base/errors.hh"

#include <openssl/evp.h>

#include <algorithm>
#include <format>
#include <utility>

namespace analysis {
namespace {

using transport::Bytes;
using transport::ByteSpan;

const EVP_CIPHER* aead_cipher(CipherSuite suite) {
  if (suite == CipherSuite::kAes128Gcm) return EVP_aes_128_gcm();
  return suite == CipherSuite::kAes256Gcm ? EVP_aes_256_gcm() : EVP_chacha20_poly1305();
}

const EVP_CIPHER* header_cipher(CipherSuite suite) {
  if (suite == CipherSuite::kAes128Gcm) return EVP_aes_128_ecb();
  return suite == CipherSuite::kAes256Gcm ? EVP_aes_256_ecb() : EVP_chacha20();
}

void check(bool done) {
  if (!done) throw base::LabError("set up a cipher: OpenSSL refused");
}

int size_of(ByteSpan bytes) {
  return static_cast<int>(bytes.size());
}

std::string label(QuicVersion version, std::string_view what) {
  return std::format("{} {}", version == QuicVersion::kV2 ? "quicv2" : "quic", what);
}

Aead quic_aead(QuicVersion version, CipherSuite suite, const Secret& secret) {
  return {suite, expand_label(suite, secret, label(version, "key"), key_bytes(suite)),
          expand_label(suite, secret, label(version, "iv"), Aead::kIvBytes)};
}

}  // namespace

void CipherContextDeleter::operator()(EVP_CIPHER_CTX* context) const {
  EVP_CIPHER_CTX_free(context);
}

Aead::Aead(CipherSuite suite, ByteSpan key, ByteSpan iv) : context_(EVP_CIPHER_CTX_new()) {
  LABRUN_ASSERT(key.size() == key_bytes(suite) && iv.size() == kIvBytes);
  std::ranges::copy(iv, iv_.begin());
  check(context_ &&
        EVP_DecryptInit_ex(context_.get(), aead_cipher(suite), nullptr, key.data(), nullptr) == 1);
}

std::optional<Bytes> Aead::open(std::uint64_t counter, ByteSpan associated, ByteSpan sealed) const {
  if (sealed.size() < kTagBytes) return std::nullopt;
  auto nonce = iv_;
  for (std::size_t index = 0; index < sizeof counter; ++index)
    nonce[kIvBytes - 1 - index] ^= static_cast<std::uint8_t>(counter >> (8 * index));
  const ByteSpan text = sealed.first(sealed.size() - kTagBytes);
  auto tag = Bytes(sealed.end() - kTagBytes, sealed.end());
  Bytes opened(text.size());
  int written = 0;
  EVP_CIPHER_CTX* context = context_.get();
  check(EVP_DecryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data()) == 1);
  check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data()) == 1);
  check(EVP_DecryptUpdate(context, nullptr, &written, associated.data(), size_of(associated)) == 1);
  if (EVP_DecryptUpdate(context, opened.data(), &written, text.data(), size_of(text)) != 1 ||
      EVP_DecryptFinal_ex(context, opened.data() + written, &written) != 1)
    return std::nullopt;
  return opened;
}

Aead record_protection(CipherSuite suite, const Secret& secret) {
  return {suite, expand_label(suite, secret, "key", key_bytes(suite)),
          expand_label(suite, secret, "iv", Aead::kIvBytes)};
}

PacketProtection::PacketProtection(QuicVersion version, CipherSuite suite, const Secret& secret)
    : PacketProtection(version, suite, secret,
                       expand_label(suite, secret, label(version, "hp"), key_bytes(suite))) {}

PacketProtection::PacketProtection(QuicVersion version, CipherSuite suite, Secret secret,
                                   Bytes header_key)
    : version_(version),
      suite_(suite),
      secret_(std::move(secret)),
      header_key_(std::move(header_key)),
      aead_(quic_aead(version, suite, secret_)),
      header_context_(EVP_CIPHER_CTX_new()) {
  check(header_context_ && EVP_EncryptInit_ex(header_context_.get(), header_cipher(suite), nullptr,
                                              header_key_.data(), nullptr) == 1);
}

std::array<std::uint8_t, 5> PacketProtection::header_mask(ByteSpan sample) const {
  LABRUN_ASSERT(sample.size() == kSampleBytes);
  std::array<std::uint8_t, 5> mask{};
  std::array<std::uint8_t, kSampleBytes> block{};
  int written = 0;
  EVP_CIPHER_CTX* context = header_context_.get();
  if (suite_ == CipherSuite::kChaCha20Poly1305) {
    // RFC 9001 section 5.4.4: the sample is counter and nonce, the mask the start of the key
    // stream.
    check(EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, sample.data()) == 1);
    check(EVP_EncryptUpdate(context, mask.data(), &written, mask.data(), mask.size()) == 1);
  } else {
    check(EVP_EncryptUpdate(context, block.data(), &written, sample.data(), kSampleBytes) == 1);
    std::copy_n(block.begin(), mask.size(), mask.begin());
  }
  return mask;
}

PacketProtection PacketProtection::updated() const {
  return {version_, suite_, expand_label(suite_, secret_, label(version_, "ku"), secret_.size()),
          header_key_};
}

}  // namespace analysis
