#include "analysis/secret_store.hh"

#include "captures/keylog.hh"

#include <algorithm>
#include <array>
#include <utility>

namespace analysis {
namespace {

constexpr std::array<std::pair<std::string_view, SecretLabel>, 5> kLabels{
    {{"CLIENT_EARLY_TRAFFIC_SECRET", SecretLabel::kClientEarlyTraffic},
     {"CLIENT_HANDSHAKE_TRAFFIC_SECRET", SecretLabel::kClientHandshakeTraffic},
     {"SERVER_HANDSHAKE_TRAFFIC_SECRET", SecretLabel::kServerHandshakeTraffic},
     {"CLIENT_TRAFFIC_SECRET_0", SecretLabel::kClientTraffic0},
     {"SERVER_TRAFFIC_SECRET_0", SecretLabel::kServerTraffic0}}};

// Of lower-case hexadecimal text, which parse_keylog_line() has checked.
std::uint8_t digit(char c) {
  return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10);
}

transport::Bytes unhex(std::string_view text) {
  transport::Bytes bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t at = 0; at + 1 < text.size(); at += 2)
    bytes.push_back(static_cast<std::uint8_t>(digit(text[at]) * 16 + digit(text[at + 1])));
  return bytes;
}

}  // namespace

void SecretStore::add(std::string_view keylog) {
  while (!keylog.empty() && secrets_.size() < kMaxSecrets) {
    const std::size_t end = std::min(keylog.find('\n'), keylog.size());
    const auto line = captures::parse_keylog_line(keylog.substr(0, end));
    keylog.remove_prefix(std::min(end + 1, keylog.size()));
    if (!line) continue;
    const auto label =
        std::ranges::find(kLabels, line->label, &decltype(kLabels)::value_type::first);
    const transport::Bytes random = unhex(line->client_random);
    if (label == kLabels.end() || random.size() != ClientRandom{}.size()) continue;
    ClientRandom key{};
    std::ranges::copy(random, key.begin());
    secrets_.insert_or_assign({key, label->second}, unhex(line->secret));
  }
}

std::optional<Secret> SecretStore::find(const ClientRandom& client_random,
                                        SecretLabel label) const {
  const auto found = secrets_.find({client_random, label});
  if (found == secrets_.end()) return std::nullopt;
  return found->second;
}

bool SecretStore::knows(const ClientRandom& client_random) const {
  const auto first = secrets_.lower_bound({client_random, SecretLabel::kClientEarlyTraffic});
  return first != secrets_.end() && first->first.first == client_random;
}

bool SecretStore::has_traffic_secrets() const {
  return std::ranges::any_of(secrets_, [&](const auto& entry) {
    const auto& [random, label] = entry.first;
    return label == SecretLabel::kClientTraffic0 &&
           secrets_.contains({random, SecretLabel::kServerTraffic0});
  });
}

}  // namespace analysis
