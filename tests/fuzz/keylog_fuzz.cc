// Whatever text stands where keys are expected, the store holds what its well-formed lines say, the
// last of them where they contradict, and nothing else. Built with libFuzzer.

#include "analysis/secret_store.hh"
#include "base/errors.hh"
#include "captures/keylog.hh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace {

using analysis::SecretLabel;

const std::map<std::string_view, SecretLabel> kLabels{
    {"CLIENT_EARLY_TRAFFIC_SECRET", SecretLabel::kClientEarlyTraffic},
    {"CLIENT_HANDSHAKE_TRAFFIC_SECRET", SecretLabel::kClientHandshakeTraffic},
    {"SERVER_HANDSHAKE_TRAFFIC_SECRET", SecretLabel::kServerHandshakeTraffic},
    {"CLIENT_TRAFFIC_SECRET_0", SecretLabel::kClientTraffic0},
    {"SERVER_TRAFFIC_SECRET_0", SecretLabel::kServerTraffic0}};

std::string digits_of(const analysis::Secret& secret) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : secret) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

analysis::ClientRandom random_of(std::string_view digits) {
  analysis::ClientRandom random{};
  for (std::size_t index = 0; index < random.size(); ++index)
    random.at(index) = static_cast<std::uint8_t>(
        std::stoul(std::string(digits.substr(2 * index, 2)), nullptr, 16));
  return random;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  analysis::SecretStore store;
  store.add(text);
  std::map<std::pair<std::string, SecretLabel>, std::string> expected;
  analysis::SecretStore line_by_line;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    line_by_line.add(line);
    const auto parsed = captures::parse_keylog_line(line);
    if (parsed && kLabels.contains(parsed->label))
      expected[{parsed->client_random, kLabels.at(parsed->label)}] = parsed->secret;
  }
  LABRUN_ASSERT(store.size() == expected.size());
  LABRUN_ASSERT(line_by_line.size() == expected.size());
  for (const auto& [key, secret] : expected) {
    const auto random = random_of(key.first);
    LABRUN_ASSERT(store.knows(random));
    const auto found = store.find(random, key.second);
    LABRUN_ASSERT(found && digits_of(*found) == secret);
  }
  store.add(text);
  LABRUN_ASSERT(store.size() == expected.size());
  return 0;
}
