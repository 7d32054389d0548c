#include "tests/decoder/seen_packet.hh"

#include <algorithm>
#include <array>
#include <format>

namespace decoder {
namespace {

struct HandshakeType {
  std::uint64_t type;
  const char* name;
};
constexpr std::array<HandshakeType, 10> kHandshakeTypes{{
    {1, "ClientHello"},
    {2, "ServerHello"},
    {4, "NewSessionTicket"},
    {5, "EndOfEarlyData"},
    {8, "EncryptedExtensions"},
    {11, "Certificate"},
    {13, "CertificateRequest"},
    {15, "CertificateVerify"},
    {20, "Finished"},
    {24, "KeyUpdate"},
}};

}  // namespace

std::string describe(const SeenFrame& frame) {
  switch (frame.type) {
    case kPaddingFrame:
      return std::format("PADDING {}", frame.length);
    case kCryptoFrame:
      return std::format("CRYPTO {}+{}", frame.offset, frame.length);
    case kStreamFrame:
      return std::format("STREAM {} {}+{}{}", frame.stream, frame.offset, frame.length,
                         frame.fin ? " fin" : "");
    case kAckFrame:
    case kAckEcnFrame: {
      std::string text = frame.type == kAckFrame ? "ACK" : "ACK_ECN";
      for (const auto& [smallest, largest] : frame.ranges)
        text += std::format(" {}-{}", smallest, largest);
      return text;
    }
    default:
      return std::format("frame {:#04x}", frame.type);
  }
}

std::string describe(const SeenQuicPacket& packet) {
  std::string text = packet.type;
  if (packet.has_number())
    text += packet.number ? std::format(" number {}", *packet.number) : " not decrypted";
  if (packet.type != "1-RTT") text += std::format(" version {:#x}", packet.version);
  if (packet.dcid) text += " dcid " + (packet.dcid->empty() ? "none" : *packet.dcid);
  if (!packet.scid.empty()) text += " scid " + packet.scid;
  if (packet.token_length > 0) text += std::format(" token of {}", packet.token_length);
  if (!packet.number) return text;
  std::string frames;
  for (const SeenFrame& frame : packet.frames)
    frames += (frames.empty() ? "" : ", ") + describe(frame);
  return text + " [" + frames + "]";
}

std::string describe(const SeenDns& message) {
  std::string text = message.response ? "response" : "query";
  for (const std::string& question : message.questions) text += " " + question;
  return text;
}

std::string describe(const SeenHandshake& message) {
  return std::format("{} of {}, {}+{}", message.name, message.length, message.offset, message.here);
}

std::string handshake_name(std::uint64_t type) {
  const auto* found = std::ranges::find(kHandshakeTypes, type, &HandshakeType::type);
  return found == kHandshakeTypes.end() ? "" : found->name;
}

std::string known_handshake_name(const std::string& name) {
  if (name == "HelloRetryRequest") return "ServerHello";
  return std::ranges::contains(kHandshakeTypes, name, &HandshakeType::name) ? name : "";
}

}  // namespace decoder
