#include "endpoints/certificate_chain.hh"

#include "base/errors.hh"
#include "endpoints/x509_handles.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>

#include <filesystem>
#include <fstream>
#include <memory>

namespace endpoints {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Le;
using testing::SizeIs;
using testing::ThrowsMessage;
using BioHandle = std::unique_ptr<BIO, Release<BIO_free_all>>;
using StoreHandle = std::unique_ptr<X509_STORE, Release<X509_STORE_free>>;
using StoreContextHandle = std::unique_ptr<X509_STORE_CTX, Release<X509_STORE_CTX_free>>;

std::vector<X509Handle> parse_pem(const std::string& pem) {
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::vector<X509Handle> certificates;
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr))
    certificates.emplace_back(certificate);
  return certificates;
}

// What a client does: OpenSSL's own verification against nothing but the anchor. "ok" when it
// holds.
std::string verify(const CertificateChain& chain, const char* host) {
  const std::vector<X509Handle> anchors = parse_pem(chain.anchor_pem);
  const std::vector<X509Handle> sent = parse_pem(chain.certificates_pem);
  const StoreHandle store(X509_STORE_new());
  X509_STORE_add_cert(store.get(), anchors.at(0).get());
  STACK_OF(X509)* intermediates = sk_X509_new_null();
  for (const X509Handle& certificate : sent) sk_X509_push(intermediates, certificate.get());
  const StoreContextHandle context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), sent.at(0).get(), intermediates);
  X509_STORE_CTX_set_default(context.get(), "ssl_server");
  X509_VERIFY_PARAM_set1_host(X509_STORE_CTX_get0_param(context.get()), host, 0);
  X509_verify_cert(context.get());
  sk_X509_free(intermediates);
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
}

TEST(CertificateChain, HasExactlyTheSizeAskedFor) {
  // Every size of a stretch that crosses the steps of DER's length fields, then the sizes of the
  // amplification sweep.
  std::vector<std::size_t> sizes{2000, 2928, 3038, 3900, 5074, 5238, 6000, 11'000, 12'000, 60'000};
  for (std::size_t size = 900; size < 1300; ++size) sizes.push_back(size);
  for (const std::size_t size : sizes) {
    const CertificateChain chain = make_chain({.chain_bytes = size});
    ASSERT_EQ(chain.total_bytes(), size);
    ASSERT_EQ(parse_pem(chain.certificates_pem).size(), chain.der_sizes.size());
    if (size <= kLargestCertificate * kMostCertificates) {
      ASSERT_THAT(chain.der_sizes, Each(Le(kLargestCertificate)));
    }
  }
}

TEST(CertificateChain, ReachesEverySizeWithSignaturesOfFixedLength) {
  for (std::size_t size = 600; size < 900; ++size)
    ASSERT_EQ(make_chain({.key = KeyType::kEd25519, .chain_bytes = size}).total_bytes(), size);
}

TEST(CertificateChain, UsesAsManyCertificatesAsTheSizeNeeds) {
  EXPECT_THAT(make_chain({.chain_bytes = 1400}).der_sizes, SizeIs(1));
  EXPECT_THAT(make_chain({.chain_bytes = 1401}).der_sizes, SizeIs(2));
  EXPECT_THAT(make_chain({.chain_bytes = 3900}).der_sizes, SizeIs(3));
  EXPECT_THAT(make_chain({.chain_bytes = 60'000}).der_sizes, SizeIs(kMostCertificates));
}

TEST(CertificateChain, VerifiesForEveryKeyType) {
  for (const char* name : {"ecdsa-p256", "ecdsa-p384", "rsa-2048", "ed25519"}) {
    SCOPED_TRACE(name);
    const auto key = parse_key_type(name);
    ASSERT_TRUE(key.has_value());
    EXPECT_EQ(to_string(*key), name);
    const CertificateChain chain = make_chain({.key = *key, .chain_bytes = 4100});
    EXPECT_EQ(chain.total_bytes(), 4100U);
    EXPECT_EQ(verify(chain, "dns.lab.test"), "ok");
    EXPECT_EQ(verify(chain, "other.lab.test"), "hostname mismatch");
  }
  EXPECT_FALSE(parse_key_type("ecdsa").has_value());
}

TEST(CertificateChain, IsOneCertificateWhenNoSizeIsAskedFor) {
  const CertificateChain chain = make_chain({.server_name = "a.example"});
  EXPECT_THAT(chain.der_sizes, SizeIs(1));
  EXPECT_EQ(verify(chain, "a.example"), "ok");
}

TEST(CertificateChain, SaysWhichSizesArePossible) {
  EXPECT_THAT([] { make_chain({.chain_bytes = 100}); },
              ThrowsMessage<base::LabError>(HasSubstr("with ecdsa-p256 keys it can have")));
  EXPECT_THAT([] { make_chain({.chain_bytes = kLargestChain + 1}); },
              ThrowsMessage<base::LabError>(HasSubstr("to 60000 bytes")));
}

TEST(CertificateChain, IsReadFromFilesAsWritten) {
  const auto folder = std::filesystem::temp_directory_path() / "labdns-chain-test";
  std::filesystem::create_directories(folder);
  const CertificateChain made = make_chain({.chain_bytes = 3000});
  const CertificateChain other = make_chain({});
  std::ofstream(folder / "chain.pem") << made.certificates_pem;
  std::ofstream(folder / "key.pem") << made.private_key_pem;
  std::ofstream(folder / "other.pem") << other.private_key_pem;
  const CertificateChain loaded = load_chain(folder / "chain.pem", folder / "key.pem");
  EXPECT_EQ(loaded.der_sizes, made.der_sizes);
  EXPECT_THAT([&] { load_chain(folder / "chain.pem", folder / "other.pem"); },
              ThrowsMessage<base::LabError>(HasSubstr("key values mismatch")));
  EXPECT_THAT([&] { load_chain(folder / "key.pem", folder / "key.pem"); },
              ThrowsMessage<base::LabError>(HasSubstr("holds no certificate")));
  EXPECT_THAT([&] { load_chain(folder / "absent.pem", folder / "key.pem"); },
              ThrowsMessage<base::LabError>(HasSubstr("absent.pem")));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace endpoints
