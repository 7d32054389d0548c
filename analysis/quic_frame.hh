#pragma once

// QUIC frames (RFC 9000 section 19, RFC 9221) as one flat record each.

#include "transport/bytes.hh"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

namespace quic_frame {
inline constexpr std::uint64_t kPadding = 0x00;
inline constexpr std::uint64_t kPing = 0x01;
inline constexpr std::uint64_t kAck = 0x02;
inline constexpr std::uint64_t kAckEcn = 0x03;
inline constexpr std::uint64_t kResetStream = 0x04;
inline constexpr std::uint64_t kStopSending = 0x05;
inline constexpr std::uint64_t kCrypto = 0x06;
inline constexpr std::uint64_t kNewToken = 0x07;
inline constexpr std::uint64_t kStream = 0x08;  // 0x08 to 0x0f
inline constexpr std::uint64_t kMaxData = 0x10;
inline constexpr std::uint64_t kMaxStreamData = 0x11;
inline constexpr std::uint64_t kMaxStreams = 0x12;
inline constexpr std::uint64_t kMaxStreamsUni = 0x13;
inline constexpr std::uint64_t kDataBlocked = 0x14;
inline constexpr std::uint64_t kStreamDataBlocked = 0x15;
inline constexpr std::uint64_t kStreamsBlocked = 0x16;
inline constexpr std::uint64_t kStreamsBlockedUni = 0x17;
inline constexpr std::uint64_t kNewConnectionId = 0x18;
inline constexpr std::uint64_t kRetireConnectionId = 0x19;
inline constexpr std::uint64_t kPathChallenge = 0x1a;
inline constexpr std::uint64_t kPathResponse = 0x1b;
inline constexpr std::uint64_t kConnectionClose = 0x1c;
inline constexpr std::uint64_t kApplicationClose = 0x1d;
inline constexpr std::uint64_t kHandshakeDone = 0x1e;
inline constexpr std::uint64_t kDatagram = 0x30;
inline constexpr std::uint64_t kDatagramWithLength = 0x31;
}  // namespace quic_frame

struct AckRange {
  std::uint64_t smallest = 0;
  std::uint64_t largest = 0;
  bool operator==(const AckRange&) const = default;
};

struct QuicFrame {
  std::uint64_t type = 0;    // STREAM frames all have kStream, whatever their flags
  std::uint64_t stream = 0;  // of frames that name one
  std::uint64_t offset = 0;  // CRYPTO and STREAM
  std::uint64_t length = 0;  // of the data; of PADDING, in bytes: a run of it is one frame
  bool fin = false;
  std::uint64_t ack_delay = 0;   // as on the wire, before the exponent
  std::vector<AckRange> ranges;  // of ACK, largest first
  std::uint64_t error_code = 0;
  // A limit, of MAX_* and *_BLOCKED; a sequence number, of *_CONNECTION_ID.
  std::uint64_t value = 0;
  std::uint64_t retire_prior_to = 0;  // of NEW_CONNECTION_ID
  transport::Bytes connection_id;     // of NEW_CONNECTION_ID
  transport::ByteSpan
      data;  // CRYPTO, STREAM, token, connection ID or reason; views what was parsed

  // RFC 9002 section 2: all but ACK, PADDING and CONNECTION_CLOSE.
  bool ack_eliciting() const;
};

// "CRYPTO", "ACK"; numbers of unknown types in hexadecimal.
std::string frame_name(std::uint64_t type);

// Against hostile packets: a frame takes a byte there and a hundred here.
inline constexpr std::size_t kMaxFramesPerPacket = 256;

// All frames of a decrypted packet. An error names the byte where it was found; no packet makes it
// allocate more than a small multiple of its own size.
std::expected<std::vector<QuicFrame>, std::string> parse_quic_frames(transport::ByteSpan plaintext);

}  // namespace analysis
