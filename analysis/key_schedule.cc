#include "analysis/key_schedule.hh"

#include "base/errors.hh"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <array>
#include <memory>

namespace analysis {
namespace {

using transport::Bytes;
using transport::ByteSpan;

struct KdfDeleter {
  void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

// Looking an algorithm up costs more than using it.
EVP_KDF* tls13_kdf() {
  static const std::unique_ptr<EVP_KDF, KdfDeleter> kdf(
      EVP_KDF_fetch(nullptr, "TLS13-KDF", nullptr));
  if (!kdf) throw base::LabError("derive keys: OpenSSL has no TLS13-KDF");
  return kdf.get();
}

OSSL_PARAM octets(const char* name, ByteSpan bytes) {
  // OSSL_PARAM has no constant form; the KDF only reads.
  return OSSL_PARAM_construct_octet_string(name, const_cast<std::uint8_t*>(bytes.data()),
                                           bytes.size());
}

ByteSpan as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

constexpr std::array<std::uint8_t, 20> kSaltDraft29{0xaf, 0xbf, 0xec, 0x28, 0x99, 0x93, 0xd2,
                                                    0x4c, 0x9e, 0x97, 0x86, 0xf1, 0x9c, 0x61,
                                                    0x11, 0xe0, 0x43, 0x90, 0xa8, 0x99};
constexpr std::array<std::uint8_t, 20> kSaltV1{0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34,
                                               0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8,
                                               0x0c, 0xad, 0xcc, 0xbb, 0x7f, 0x0a};
constexpr std::array<std::uint8_t, 20> kSaltV2{0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6,
                                               0xdb, 0x81, 0x93, 0x81, 0xbe, 0x6e, 0x26,
                                               0x9d, 0xcb, 0xf9, 0xbd, 0x2e, 0xd9};

const std::array<std::uint8_t, 20>& salt_of(QuicVersion version) {
  if (version == QuicVersion::kV2) return kSaltV2;
  return version == QuicVersion::kV1 ? kSaltV1 : kSaltDraft29;
}

}  // namespace

std::optional<CipherSuite> known_cipher_suite(std::uint64_t code) {
  if (code < 0x1301 || code > 0x1303) return std::nullopt;
  return CipherSuite{static_cast<std::uint16_t>(code)};
}

std::size_t key_bytes(CipherSuite suite) {
  return suite == CipherSuite::kAes128Gcm ? 16 : 32;
}

Bytes expand_label(CipherSuite suite, const Secret& secret, std::string_view label,
                   std::size_t length) {
  const std::unique_ptr<EVP_KDF_CTX, KdfDeleter> context(EVP_KDF_CTX_new(tls13_kdf()));
  int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
  std::string_view digest = suite == CipherSuite::kAes256Gcm ? "SHA384" : "SHA256";
  const std::array parameters{
      OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, const_cast<char*>(digest.data()),
                                       digest.size()),
      octets(OSSL_KDF_PARAM_KEY, secret),
      octets(OSSL_KDF_PARAM_PREFIX, as_bytes("tls13 ")),
      octets(OSSL_KDF_PARAM_LABEL, as_bytes(label)),
      OSSL_PARAM_construct_end()};
  Bytes derived(length);
  if (!context ||
      EVP_KDF_derive(context.get(), derived.data(), derived.size(), parameters.data()) != 1)
    throw base::LabError("derive keys: OpenSSL's TLS13-KDF refused");
  return derived;
}

std::optional<QuicVersion> known_quic_version(std::uint32_t number) {
  if (number == static_cast<std::uint32_t>(QuicVersion::kV1)) return QuicVersion::kV1;
  if (number == static_cast<std::uint32_t>(QuicVersion::kV2)) return QuicVersion::kV2;
  constexpr std::uint32_t kDraft32 = 0xff000020;
  if (number >= static_cast<std::uint32_t>(QuicVersion::kDraft29) && number <= kDraft32)
    return QuicVersion::kDraft29;
  return std::nullopt;
}

Secret initial_secret(QuicVersion version, ByteSpan dcid, End end) {
  // HKDF-Extract is one HMAC keyed with the salt (RFC 5869 section 2.2).
  const auto& salt = salt_of(version);
  Secret extracted(EVP_MAX_MD_SIZE);
  unsigned size = 0;
  HMAC(EVP_sha256(), salt.data(), static_cast<int>(salt.size()), dcid.data(), dcid.size(),
       extracted.data(), &size);
  extracted.resize(size);
  return expand_label(CipherSuite::kAes128Gcm, extracted,
                      end == End::kClient ? "client in" : "server in", size);
}

}  // namespace analysis
