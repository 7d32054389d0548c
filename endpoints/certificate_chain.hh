#pragma once

// What a server proves itself with: its certificate, the authorities above it as far as they are
// sent, and its private key.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace endpoints {

enum class KeyType { kEcdsaP256, kEcdsaP384, kRsa2048, kRsa4096, kEd25519 };

// "ecdsa-p256" ...; nullopt for anything else.
std::optional<KeyType> parse_key_type(std::string_view name);
std::string_view to_string(KeyType type);

struct ChainSpec {
  KeyType key = KeyType::kEcdsaP256;
  // A DNS name or an IP address.
  std::string server_name = "dns.lab.test";
  // Sum of the DER sizes of the certificates sent; 0 sends one certificate as it comes.
  std::size_t chain_bytes = 0;
};

struct CertificateChain {
  std::string certificates_pem;  // the server's own first, without the trust anchor
  std::string private_key_pem;
  std::string anchor_pem;  // what a client has to trust; empty for a chain from files
  std::vector<std::size_t> der_sizes;

  std::size_t total_bytes() const;
};

// A single certificate is kept to a size that is seen on the internet; above it intermediates join
// in.
inline constexpr std::size_t kLargestCertificate = 1400;
inline constexpr std::size_t kMostCertificates = 8;
inline constexpr std::size_t kLargestChain = 60'000;

// New keys and certificates, `spec.chain_bytes` long to the byte. Throws BadSpec, naming the
// bounds, where that cannot be.
CertificateChain make_chain(const ChainSpec& spec);

// PEM files of somebody's own. Throws LabError when either cannot be read or the key is not the
// first certificate's.
CertificateChain load_chain(const std::filesystem::path& certificates,
                            const std::filesystem::path& private_key);

}  // namespace endpoints
