#pragma once

// The TLS secrets that came with a capture, looked up by connection.

#include "analysis/key_schedule.hh"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace analysis {

using ClientRandom = std::array<std::uint8_t, 32>;

// Labels of the NSS key log format (draft-ietf-tls-keylogfile section 3.1).
enum class SecretLabel : std::uint8_t {
  kClientEarlyTraffic,
  kClientHandshakeTraffic,
  kServerHandshakeTraffic,
  kClientTraffic0,
  kServerTraffic0,
};

class SecretStore {
 public:
  // Adds what NSS key log lines give; other lines and labels are left out. Beyond kMaxSecrets
  // nothing is added.
  void add(std::string_view keylog);

  std::optional<Secret> find(const ClientRandom& client_random, SecretLabel label) const;
  bool knows(const ClientRandom& client_random) const;
  std::size_t size() const { return secrets_.size(); }
  // Whether some connection's last secrets are there, those of both directions' application data.
  bool has_traffic_secrets() const;

  // Against hostile files; a block of a large run has some thousand.
  static constexpr std::size_t kMaxSecrets = 1'000'000;

 private:
  std::map<std::pair<ClientRandom, SecretLabel>, Secret> secrets_;
};

}  // namespace analysis
