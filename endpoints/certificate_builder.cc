#include "endpoints/certificate_builder.hh"

#include "base/errors.hh"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/asn1.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <format>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace endpoints {
namespace {

// Under the enterprise number that IANA reserves for documentation (RFC 5612).
constexpr const char* kFillerOid = "1.3.6.1.4.1.32473.1";
constexpr std::size_t kShortSerial = 8;
constexpr std::size_t kLongestSerial = 20;  // RFC 5280 section 4.1.2.2
// An ECDSA signature is one of about four lengths at random, the likeliest with a chance above a
// quarter.
constexpr int kMaxAttempts = 512;

// What is free in a certificate to bring it to its size.
struct Filling {
  std::optional<std::size_t> filler_bytes;
  std::size_t serial_bytes = kShortSerial;
};

void set_name(X509_NAME* name, const std::string& common_name) {
  const auto* text = reinterpret_cast<const unsigned char*>(common_name.c_str());
  check_openssl(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1,
                "set a certificate's name");
}

void set_serial(X509* certificate, unsigned char serial, std::size_t length) {
  // A leading byte below 0x80 and not zero keeps the DER integer at this length.
  std::array<unsigned char, kLongestSerial> bytes{0x4c};
  bytes[length - 1] = serial;
  ASN1_INTEGER* number = X509_get_serialNumber(certificate);
  check_openssl(ASN1_STRING_set(number, bytes.data(), static_cast<int>(length)) == 1,
                "set a serial number");
}

void set_validity(X509* certificate) {
  check_openssl(
      ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), "20200101000000Z") == 1 &&
          ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "20491231235959Z") == 1,
      "set a certificate's validity");
}

void add_extension(X509* certificate, X509V3_CTX& context, int nid, const std::string& value) {
  const ExtensionHandle extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  check_openssl(extension && X509_add_ext(certificate, extension.get(), -1) == 1,
                "add an extension to a certificate");
}

std::string alternative_name(const std::string& server_name) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  const bool is_address = ::inet_pton(AF_INET, server_name.c_str(), address.data()) == 1 ||
                          ::inet_pton(AF_INET6, server_name.c_str(), address.data()) == 1;
  return (is_address ? "IP:" : "DNS:") + server_name;
}

void add_extensions(X509* certificate, const CertificateSpec& spec, X509* issuer) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const bool is_authority = spec.server_name.empty();
  add_extension(certificate, context, NID_basic_constraints,
                is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  add_extension(certificate, context, NID_key_usage,
                is_authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature");
  add_extension(certificate, context, NID_subject_key_identifier, "hash");
  add_extension(certificate, context, NID_authority_key_identifier, "keyid");
  if (is_authority) return;
  add_extension(certificate, context, NID_ext_key_usage, "serverAuth");
  add_extension(certificate, context, NID_subject_alt_name, alternative_name(spec.server_name));
}

void add_filler(X509* certificate, std::size_t length) {
  const std::vector<unsigned char> zeros(length);
  const std::unique_ptr<ASN1_OBJECT, Release<ASN1_OBJECT_free>> oid(OBJ_txt2obj(kFillerOid, 1));
  const std::unique_ptr<ASN1_OCTET_STRING, Release<ASN1_OCTET_STRING_free>> octets(
      ASN1_OCTET_STRING_new());
  check_openssl(
      oid && octets && ASN1_OCTET_STRING_set(octets.get(), zeros.data(), static_cast<int>(length)),
      "fill a certificate");
  const ExtensionHandle extension(
      X509_EXTENSION_create_by_OBJ(nullptr, oid.get(), 0, octets.get()));
  check_openssl(extension && X509_add_ext(certificate, extension.get(), -1) == 1,
                "fill a certificate");
}

// Ed25519 brings its own hash; P-384 is customarily paired with the hash of its strength.
const EVP_MD* digest_for(const EVP_PKEY* key) {
  if (EVP_PKEY_get_id(key) == EVP_PKEY_ED25519) return nullptr;
  return EVP_PKEY_get_bits(key) == 384 ? EVP_sha384() : EVP_sha256();
}

X509Handle build(const CertificateSpec& spec, EVP_PKEY* subject_key, const Issuer& issuer,
                 const Filling& filling) {
  X509Handle certificate(X509_new());
  check_openssl(certificate && X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
                    X509_set_pubkey(certificate.get(), subject_key) == 1,
                "create a certificate");
  X509* const signer = issuer.certificate ? issuer.certificate : certificate.get();
  set_serial(certificate.get(), spec.serial, filling.serial_bytes);
  set_validity(certificate.get());
  set_name(X509_get_subject_name(certificate.get()), spec.common_name);
  check_openssl(X509_set_issuer_name(certificate.get(), X509_get_subject_name(signer)) == 1,
                "set a certificate's issuer");
  add_extensions(certificate.get(), spec, signer);
  if (filling.filler_bytes) add_filler(certificate.get(), *filling.filler_bytes);
  check_openssl(X509_sign(certificate.get(), issuer.key, digest_for(issuer.key)) > 0,
                "sign a certificate");
  return certificate;
}

}  // namespace

std::size_t der_size(X509* certificate) {
  const int length = i2d_X509(certificate, nullptr);
  check_openssl(length > 0, "encode a certificate");
  return static_cast<std::size_t>(length);
}

X509Handle make_certificate(const CertificateSpec& spec, EVP_PKEY* subject_key,
                            const Issuer& issuer) {
  return build(spec, subject_key, issuer, Filling{});
}

std::size_t smallest_certificate(const CertificateSpec& spec, EVP_PKEY* subject_key,
                                 const Issuer& issuer) {
  const X509Handle certificate = build(spec, subject_key, issuer, Filling{.filler_bytes = 0});
  const ASN1_BIT_STRING* signature = nullptr;
  X509_get0_signature(&signature, nullptr, certificate.get());
  const int longest = EVP_PKEY_get_size(issuer.key);
  return der_size(certificate.get()) + static_cast<std::size_t>(longest - signature->length);
}

X509Handle make_certificate_of_size(const CertificateSpec& spec, EVP_PKEY* subject_key,
                                    const Issuer& issuer, std::size_t der_bytes) {
  // The size follows the filler byte by byte, but for two things: an ECDSA signature varies, which
  // signing again cures, and where a DER length field grows by a byte one size cannot be reached,
  // which a serial number that is a byte longer cures.
  Filling filling{.filler_bytes = 0};
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    X509Handle certificate = build(spec, subject_key, issuer, filling);
    const std::size_t size = der_size(certificate.get());
    if (size == der_bytes) return certificate;
    const auto wanted = static_cast<std::ptrdiff_t>(*filling.filler_bytes + der_bytes - size);
    filling.filler_bytes = static_cast<std::size_t>(std::max<std::ptrdiff_t>(wanted, 0));
    if (attempt % 4 == 3)
      filling.serial_bytes = filling.serial_bytes == kShortSerial ? kShortSerial + 1 : kShortSerial;
  }
  throw base::LabError(
      std::format("a certificate for \"{}\" cannot be {} bytes long", spec.common_name, der_bytes));
}

}  // namespace endpoints
