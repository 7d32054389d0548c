#include "tests/transport/identity.hh"

#include "base/errors.hh"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

namespace transport {
namespace {

std::string take_pem(BIO* bio) {
  std::string pem(BIO_ctrl_pending(bio), '\0');
  LABRUN_ASSERT(BIO_read(bio, pem.data(), static_cast<int>(pem.size())) ==
                static_cast<int>(pem.size()));
  BIO_free_all(bio);
  return pem;
}

void add_extension(X509* certificate, X509_EXTENSION* extension) {
  LABRUN_ASSERT(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

// An extension that nobody knows, under an OID of the "example" arc, makes the certificate large.
void add_padding(X509* certificate, std::size_t bytes) {
  const std::string content(bytes, '\0');
  ASN1_OCTET_STRING* const value = ASN1_OCTET_STRING_new();
  ASN1_OCTET_STRING_set(value, reinterpret_cast<const unsigned char*>(content.data()),
                        static_cast<int>(bytes));
  ASN1_OBJECT* const oid = OBJ_txt2obj("2.999.1", 1);
  add_extension(certificate, X509_EXTENSION_create_by_OBJ(nullptr, oid, 0, value));
  ASN1_OBJECT_free(oid);
  ASN1_OCTET_STRING_free(value);
}

std::size_t der_size(X509* certificate) {
  return static_cast<std::size_t>(i2d_X509(certificate, nullptr));
}

std::unique_ptr<X509, decltype(&X509_free)> make_certificate(EVP_PKEY* key, std::size_t padding) {
  std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(kServerName), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_set_pubkey(certificate.get(), key);
  const std::string alternative = std::string("DNS:") + kServerName;
  add_extension(certificate.get(),
                X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, alternative.c_str()));
  if (padding > 0) add_padding(certificate.get(), padding);
  LABRUN_ASSERT(X509_sign(certificate.get(), key, EVP_sha256()) > 0);
  return certificate;
}

}  // namespace

Identity make_identity(std::size_t der_bytes) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  auto certificate = make_certificate(key.get(), 0);
  const std::size_t plain_bytes = der_size(certificate.get());
  if (der_bytes > plain_bytes) {
    // Length fields grow with what they count: measure with the padding in place, then correct.
    const std::size_t first_try = der_bytes - plain_bytes;
    certificate = make_certificate(key.get(), first_try);
    const std::size_t excess = der_size(certificate.get()) - der_bytes;
    certificate = make_certificate(key.get(), first_try - excess);
  }
  Identity identity;
  identity.der_bytes = der_size(certificate.get());
  BIO* const certificate_bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(certificate_bio, certificate.get());
  identity.certificate_pem = take_pem(certificate_bio);
  BIO* const key_bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(key_bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  identity.private_key_pem = take_pem(key_bio);
  return identity;
}

TlsSettings server_tls(const Identity& identity, TlsCarrier carrier, std::string_view alpn) {
  TlsSettings settings;
  settings.role = Role::kServer;
  settings.carrier = carrier;
  settings.groups = {"X25519MLKEM768", "X25519"};
  settings.alpn = {std::string(alpn)};
  settings.certificate_chain_pem = identity.certificate_pem;
  settings.private_key_pem = identity.private_key_pem;
  return settings;
}

TlsSettings client_tls(const Identity& identity, TlsCarrier carrier, std::string_view alpn,
                       std::string_view group) {
  TlsSettings settings;
  settings.role = Role::kClient;
  settings.carrier = carrier;
  settings.groups = {std::string(group)};
  settings.alpn = {std::string(alpn)};
  settings.verification = Verification::kAnchors;
  settings.trust_anchors_pem = identity.certificate_pem;
  return settings;
}

}  // namespace transport
