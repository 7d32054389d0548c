#include "analysis/message.hh"

#include <algorithm>
#include <array>

namespace analysis {

std::string_view to_string(MessageKind kind) {
  constexpr std::array<std::string_view, 18> kNames{"ClientHello",       "ServerHello",
                                                    "HelloRetryRequest", "NewSessionTicket",
                                                    "EndOfEarlyData",    "EncryptedExtensions",
                                                    "Certificate",       "CertificateRequest",
                                                    "CertificateVerify", "Finished",
                                                    "KeyUpdate",         "handshake message",
                                                    "ChangeCipherSpec",  "alert",
                                                    "encrypted record",  "HTTP",
                                                    "DNS query",         "DNS answer"};
  return kNames.at(static_cast<std::size_t>(kind));
}

bool is_handshake(MessageKind kind) {
  return kind < MessageKind::kChangeCipherSpec && kind != MessageKind::kNewSessionTicket;
}

void MessageMap::add(const Message& message) {
  if (messages_.size() < kMaxMessages) messages_.push_back(message);
}

std::vector<MessagePart> MessageMap::parts(std::uint64_t begin, std::uint64_t end) const {
  std::vector<MessagePart> found;
  if (begin >= end) return found;
  auto next = std::ranges::upper_bound(messages_, begin, {}, &Message::end);
  for (; next != messages_.end() && next->begin < end; ++next) {
    const std::uint64_t from = std::max(begin, next->begin);
    found.push_back({.kind = next->kind,
                     .total = next->end - next->begin,
                     .offset = from - next->begin,
                     .length = std::min(end, next->end) - from});
  }
  return found;
}

}  // namespace analysis
