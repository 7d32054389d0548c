#include "endpoints/certificate_chain.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "endpoints/bad_spec.hh"
#include "endpoints/certificate_builder.hh"
#include "endpoints/x509_handles.hh"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <array>
#include <format>
#include <numeric>
#include <utility>

namespace endpoints {
namespace {

using BioHandle = std::unique_ptr<BIO, Release<BIO_free_all>>;
constexpr std::size_t kLargestPemFile = 1U << 20U;

constexpr std::array<std::pair<std::string_view, KeyType>, 5> kKeyTypes{{
    {"ecdsa-p256", KeyType::kEcdsaP256},
    {"ecdsa-p384", KeyType::kEcdsaP384},
    {"rsa-2048", KeyType::kRsa2048},
    {"rsa-4096", KeyType::kRsa4096},
    {"ed25519", KeyType::kEd25519},
}};

KeyHandle make_key(KeyType type) {
  EVP_PKEY* key = nullptr;
  switch (type) {
    case KeyType::kEcdsaP256:
      key = EVP_EC_gen("P-256");
      break;
    case KeyType::kEcdsaP384:
      key = EVP_EC_gen("P-384");
      break;
    case KeyType::kRsa2048:
      key = EVP_RSA_gen(2048U);
      break;
    case KeyType::kRsa4096:
      key = EVP_RSA_gen(4096U);
      break;
    case KeyType::kEd25519:
      key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
      break;
  }
  check_openssl(key != nullptr, "make a private key");
  return KeyHandle(key);
}

std::string contents(BIO* bio) {
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(std::max(length, 0L))};
}

std::string to_pem(X509* certificate) {
  const BioHandle bio(BIO_new(BIO_s_mem()));
  check_openssl(bio && PEM_write_bio_X509(bio.get(), certificate) == 1, "write a certificate");
  return contents(bio.get());
}

std::string to_pem(EVP_PKEY* key) {
  const BioHandle bio(BIO_new(BIO_s_mem()));
  check_openssl(bio && PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr,
                                                     nullptr) == 1,
                "write a private key");
  return contents(bio.get());
}

// Keys and trust anchor of a chain in the making. One key signs everything above the leaf: an RSA
// key can take a second to make, and a shared one changes no byte count.
class Workshop {
 public:
  explicit Workshop(const ChainSpec& spec);

  // Sizes of the certificates that add up to spec.chain_bytes, leaf first, as even as they can be.
  std::vector<std::size_t> plan_sizes() const;
  // From the anchor's side down to the leaf; a size of 0 is a certificate as it comes.
  std::vector<X509Handle> issue(const std::vector<std::size_t>& sizes) const;

  EVP_PKEY* leaf_key() const { return leaf_key_.get(); }
  X509* anchor() const { return anchor_.get(); }

 private:
  CertificateSpec spec_at(std::size_t index) const;
  EVP_PKEY* key_at(std::size_t index) const {
    return index == 0 ? leaf_key_.get() : authority_key_.get();
  }
  std::size_t smallest_at(std::size_t index) const {
    return smallest_certificate(spec_at(index), key_at(index),
                                {.certificate = anchor_.get(), .key = authority_key_.get()});
  }

  const ChainSpec& spec_;
  KeyHandle leaf_key_;
  KeyHandle authority_key_;
  X509Handle anchor_;
};

Workshop::Workshop(const ChainSpec& spec)
    : spec_(spec),
      leaf_key_(make_key(spec.key)),
      authority_key_(make_key(spec.key)),
      anchor_(make_certificate({.common_name = "labrun root", .server_name = "", .serial = 1},
                               authority_key_.get(),
                               {.certificate = nullptr, .key = authority_key_.get()})) {}

CertificateSpec Workshop::spec_at(std::size_t index) const {
  const auto serial = static_cast<unsigned char>(index + 2);
  if (index == 0)
    return {.common_name = spec_.server_name, .server_name = spec_.server_name, .serial = serial};
  return {.common_name = std::format("labrun intermediate {}", index),
          .server_name = "",
          .serial = serial};
}

std::vector<std::size_t> Workshop::plan_sizes() const {
  const std::size_t total = spec_.chain_bytes;
  if (total == 0) return {0};
  const std::size_t smallest_leaf = smallest_at(0);
  if (total < smallest_leaf || total > kLargestChain)
    throw BadSpec(std::format("a chain of {} bytes: with {} keys it can have {} to {} bytes", total,
                              to_string(spec_.key), smallest_leaf, kLargestChain));
  const std::size_t wanted = (total + kLargestCertificate - 1) / kLargestCertificate;
  const std::size_t possible = total / std::max(smallest_leaf, smallest_at(1));
  const std::size_t count =
      std::clamp(std::min(wanted, possible), std::size_t{1}, kMostCertificates);
  std::vector<std::size_t> sizes(count, total / count);
  sizes.front() += total % count;
  return sizes;
}

std::vector<X509Handle> Workshop::issue(const std::vector<std::size_t>& sizes) const {
  std::vector<X509Handle> issued;
  for (std::size_t index = sizes.size(); index-- > 0;) {
    const Issuer issuer{.certificate = issued.empty() ? anchor_.get() : issued.back().get(),
                        .key = authority_key_.get()};
    issued.push_back(sizes[index] == 0 ? make_certificate(spec_at(index), key_at(index), issuer)
                                       : make_certificate_of_size(spec_at(index), key_at(index),
                                                                  issuer, sizes[index]));
  }
  return issued;
}

}  // namespace

std::optional<KeyType> parse_key_type(std::string_view name) {
  const auto* found =
      std::ranges::find(kKeyTypes, name, &std::pair<std::string_view, KeyType>::first);
  if (found == kKeyTypes.end()) return std::nullopt;
  return found->second;
}

std::string_view to_string(KeyType type) {
  return std::ranges::find(kKeyTypes, type, &std::pair<std::string_view, KeyType>::second)->first;
}

std::size_t CertificateChain::total_bytes() const {
  return std::accumulate(der_sizes.begin(), der_sizes.end(), std::size_t{0});
}

CertificateChain make_chain(const ChainSpec& spec) {
  const Workshop workshop(spec);
  const std::vector<X509Handle> issued = workshop.issue(workshop.plan_sizes());
  CertificateChain chain{.certificates_pem = "",
                         .private_key_pem = to_pem(workshop.leaf_key()),
                         .anchor_pem = to_pem(workshop.anchor()),
                         .der_sizes = {}};
  for (auto certificate = issued.rbegin(); certificate != issued.rend(); ++certificate) {
    chain.certificates_pem += to_pem(certificate->get());
    chain.der_sizes.push_back(der_size(certificate->get()));
  }
  LABRUN_ASSERT(spec.chain_bytes == 0 || chain.total_bytes() == spec.chain_bytes);
  return chain;
}

CertificateChain load_chain(const std::filesystem::path& certificates,
                            const std::filesystem::path& private_key) {
  CertificateChain chain{.certificates_pem = base::read_file(certificates, kLargestPemFile),
                         .private_key_pem = base::read_file(private_key, kLargestPemFile),
                         .anchor_pem = "",
                         .der_sizes = {}};
  const BioHandle key_bio(BIO_new_mem_buf(chain.private_key_pem.data(),
                                          static_cast<int>(chain.private_key_pem.size())));
  const KeyHandle key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
  check_openssl(key != nullptr, std::format("read a private key from {}", private_key.string()));
  const BioHandle bio(BIO_new_mem_buf(chain.certificates_pem.data(),
                                      static_cast<int>(chain.certificates_pem.size())));
  while (const X509Handle certificate{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    if (chain.der_sizes.empty())
      check_openssl(X509_check_private_key(certificate.get(), key.get()) == 1,
                    std::format("use {} with {}", private_key.string(), certificates.string()));
    chain.der_sizes.push_back(der_size(certificate.get()));
  }
  // The end of the file is an error to OpenSSL; left in its queue, the next TLS call would report
  // it.
  ERR_clear_error();
  if (chain.der_sizes.empty())
    throw BadSpec(std::format("{} holds no certificate in PEM", certificates.string()));
  return chain;
}

}  // namespace endpoints
