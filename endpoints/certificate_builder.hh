#pragma once

// One X.509 certificate (RFC 5280) of a chosen size. Its DER is made exactly as long as asked by an
// extension that means nothing, because the number of bytes that a server sends before the client's
// address is validated decides whether a QUIC handshake stalls (RFC 9000 section 8.1).

#include "endpoints/x509_handles.hh"

#include <cstddef>
#include <string>

namespace endpoints {

struct CertificateSpec {
  std::string common_name;
  // Empty for an authority; otherwise the DNS name or the IP address that the certificate is for.
  std::string server_name;
  // Distinguishes the certificates of one issuer.
  unsigned char serial = 1;
};

// Who signs. Neither is owned. A certificate signs itself where `certificate` is null.
struct Issuer {
  X509* certificate = nullptr;
  EVP_PKEY* key = nullptr;
};

// Valid from 2020 to the end of 2049 whatever the clock says, so that sizes and contents depend on
// the keys alone.
X509Handle make_certificate(const CertificateSpec& spec, EVP_PKEY* subject_key,
                            const Issuer& issuer);
// The same with a DER encoding of `der_bytes` exactly. Throws LabError when that is less than it
// needs.
X509Handle make_certificate_of_size(const CertificateSpec& spec, EVP_PKEY* subject_key,
                                    const Issuer& issuer, std::size_t der_bytes);
// What make_certificate_of_size() can always reach: the largest encoding with an empty filler.
std::size_t smallest_certificate(const CertificateSpec& spec, EVP_PKEY* subject_key,
                                 const Issuer& issuer);

std::size_t der_size(X509* certificate);

}  // namespace endpoints
