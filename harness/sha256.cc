#include "harness/sha256.hh"

#include <openssl/evp.h>

#include <format>

namespace harness {

std::string sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  ::EVP_Digest(bytes.data(), bytes.size(), digest, &length, ::EVP_sha256(), nullptr);
  std::string hexadecimal;
  for (unsigned int index = 0; index < length; ++index)
    hexadecimal += std::format("{:02x}", digest[index]);
  return hexadecimal;
}

}  // namespace harness
