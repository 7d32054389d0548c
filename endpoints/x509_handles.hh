#pragma once

// Owners of the OpenSSL objects that certificates are made of, and the errors of making them.

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string_view>

namespace endpoints {

template <auto kRelease>
struct Release {
  template <typename Object>
  void operator()(Object* object) const {
    kRelease(object);
  }
};

using X509Handle = std::unique_ptr<X509, Release<X509_free>>;
using KeyHandle = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;
using ExtensionHandle = std::unique_ptr<X509_EXTENSION, Release<X509_EXTENSION_free>>;

// Throws LabError with OpenSSL's own reason unless `succeeded`: "sign a certificate: no private
// key".
void check_openssl(bool succeeded, std::string_view attempted);

}  // namespace endpoints
