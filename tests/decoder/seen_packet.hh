#pragma once

// What a decoder says of one captured packet, in a form that two decoders can be held to.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace decoder {

// Types as on the wire (RFC 9000 section 19), but that every STREAM frame has kStreamFrame: its
// other bits are `offset`, `length` and `fin`.
inline constexpr std::uint64_t kPaddingFrame = 0x00;
inline constexpr std::uint64_t kAckFrame = 0x02;
inline constexpr std::uint64_t kAckEcnFrame = 0x03;
inline constexpr std::uint64_t kCryptoFrame = 0x06;
inline constexpr std::uint64_t kStreamFrame = 0x08;
inline constexpr std::uint64_t kLastStreamFrame = 0x0f;

struct SeenFrame {
  std::uint64_t type = 0;
  std::uint64_t stream = 0;  // STREAM
  std::uint64_t offset = 0;  // CRYPTO and STREAM
  std::uint64_t length = 0;  // those and PADDING; consecutive PADDING is one frame
  bool fin = false;
  // ACK: smallest and largest of each range, in the order of the frame.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  bool operator==(const SeenFrame&) const = default;
};

struct SeenQuicPacket {
  std::string type;  // "Initial", "0-RTT", "Handshake", "Retry", "Version Negotiation", "1-RTT"
  std::uint32_t version = 0;            // long headers
  std::optional<std::string> dcid;      // hexadecimal
  std::string scid;                     // long headers
  std::uint64_t token_length = 0;       // Initial
  std::optional<std::uint64_t> number;  // nullopt where it could not be decrypted
  std::vector<SeenFrame> frames;
  bool operator==(const SeenQuicPacket&) const = default;

  // Retry and Version Negotiation have nothing to decrypt.
  bool has_number() const { return type != "Retry" && type != "Version Negotiation"; }
};

// A TLS handshake message, or the part of one that is in this packet.
struct SeenHandshake {
  std::string name;          // "ClientHello"; a HelloRetryRequest is a "ServerHello"
  std::uint64_t length = 0;  // of the whole message's body, without its header of four bytes
  std::uint64_t offset = 0;  // of the part, in the body
  std::uint64_t here = 0;    // length of the part
  auto operator<=>(const SeenHandshake&) const = default;
};

struct SeenDns {
  bool response = false;
  std::vector<std::string> questions;  // "a.lab.test 1": name and type number
  auto operator<=>(const SeenDns&) const = default;
};

struct SeenPacket {
  std::uint64_t number = 0;  // in the file, from 1
  std::vector<SeenQuicPacket> quic;
  std::vector<SeenHandshake> tls;
  std::vector<SeenDns> dns;
  bool dns_over_packets = false;  // ours only: carries a part of a DNS message over QUIC
  // The following are tshark's only.
  std::string flow;         // addresses, ports and protocol, in the packet's direction
  bool tls_record = false;  // a TLS record over TCP begins or ends here
  bool http = false;        // HTTP/2 or HTTP/3 is in it
};

// For people: "Initial number 3 version 1 dcid .. [ACK 3-3 0-1, CRYPTO 285+100]".
std::string describe(const SeenFrame& frame);
std::string describe(const SeenQuicPacket& packet);
std::string describe(const SeenDns& message);
std::string describe(const SeenHandshake& message);

// All of a list, separated by a semicolon; "nothing" for none.
template <typename Seen>
std::string describe_all(const std::vector<Seen>& list) {
  if (list.empty()) return "nothing";
  std::string text;
  for (const Seen& item : list) text += (text.empty() ? "" : "; ") + describe(item);
  return text;
}

// The name of a handshake message type (RFC 8446 section 4); empty for one that is not compared.
std::string handshake_name(std::uint64_t type);
// The same name for what a decoder calls the message; empty for what is none of the known ones.
std::string known_handshake_name(const std::string& name);

}  // namespace decoder
