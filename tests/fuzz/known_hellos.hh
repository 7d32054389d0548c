#pragma once

// Hellos of a connection whose secrets are known, so that a fuzz target can seal what the fuzzer
// writes and the decoder opens it.

#include "analysis/secret_store.hh"
#include "transport/bytes.hh"

#include <array>
#include <cstdint>
#include <format>
#include <string>
#include <string_view>
#include <utility>

namespace fuzz {

inline constexpr std::uint8_t kRandomByte = 0x77;

// Secrets are one byte over and over.
inline constexpr std::array<std::pair<std::string_view, std::uint8_t>, 5> kSecretBytes{
    {{"CLIENT_EARLY_TRAFFIC_SECRET", 1},
     {"CLIENT_HANDSHAKE_TRAFFIC_SECRET", 2},
     {"SERVER_HANDSHAKE_TRAFFIC_SECRET", 3},
     {"CLIENT_TRAFFIC_SECRET_0", 4},
     {"SERVER_TRAFFIC_SECRET_0", 5}}};

inline analysis::Secret secret_of(analysis::SecretLabel label) {
  return analysis::Secret(32, kSecretBytes.at(static_cast<std::size_t>(label)).second);
}

inline void add_known_secrets(analysis::SecretStore& secrets) {
  const auto repeated = [](std::uint8_t byte) {
    std::string digits;
    for (int count = 0; count < 32; ++count) digits += std::format("{:02x}", byte);
    return digits;
  };
  for (const auto& [label, byte] : kSecretBytes)
    secrets.add(std::format("{} {} {}\n", label, repeated(kRandomByte), repeated(byte)));
}

// A handshake message that offers one ALPN of less than 200 bytes.
inline transport::Bytes client_hello(std::string_view alpn) {
  const auto size = static_cast<std::uint8_t>(alpn.size());
  transport::Bytes body{3, 3};
  body.resize(34, kRandomByte);
  const transport::Bytes fixed{0,
                               0,
                               2,
                               0x13,
                               0x01,
                               1,
                               0,
                               0,
                               static_cast<std::uint8_t>(7 + size),
                               0,
                               16,
                               0,
                               static_cast<std::uint8_t>(3 + size),
                               0,
                               static_cast<std::uint8_t>(1 + size),
                               size};
  transport::append(body, fixed);
  body.insert(body.end(), alpn.begin(), alpn.end());
  transport::Bytes message{1, 0, 0, static_cast<std::uint8_t>(body.size())};
  transport::append(message, body);
  return message;
}

// TLS_AES_128_GCM_SHA256, TLS 1.3.
inline transport::Bytes server_hello() {
  transport::Bytes message{2, 0, 0, 46, 3, 3};
  message.resize(message.size() + 32, 9);
  transport::append(message, transport::Bytes{0, 0x13, 0x01, 0, 0, 6, 0, 43, 0, 2, 3, 4});
  return message;
}

}  // namespace fuzz
