#pragma once

// What one IP packet of a conversation meant.

#include "analysis/message.hh"
#include "analysis/quic_frame.hh"
#include "analysis/quic_header.hh"
#include "transport/bytes.hh"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace analysis {

enum class Protocol : std::uint8_t { kUdp, kDns, kQuic, kTcp, kIcmp, kOther };

// The byte streams that a conversation has in each direction.
enum class StreamKind : std::uint8_t {
  kTcp,
  kInitialCrypto,
  kHandshakeCrypto,
  kApplicationCrypto,
  kQuicStream,
};

// Bytes [begin, end) of a stream, as a packet carries them.
struct DataRange {
  StreamKind kind = StreamKind::kTcp;
  std::uint64_t stream = 0;  // of kQuicStream
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool fin = false;
  bool again = false;  // this end has sent all of it before

  bool same_stream(const DataRange& other) const {
    return kind == other.kind && stream == other.stream;
  }
  bool overlaps(const DataRange& other) const {
    return same_stream(other) &&
           ((begin < other.end && other.begin < end) || (fin && other.fin && end == other.end));
  }
};

struct SackBlock {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Sequence numbers count from the first byte of data, 0, and do not wrap.
struct TcpSegment {
  bool syn = false;
  bool ack = false;
  bool fin = false;
  bool rst = false;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t acknowledged = 0;  // the other end's bytes before this one have arrived
  std::vector<SackBlock> sack;     // RFC 2018; also D-SACK, RFC 2883
  bool pure_ack() const { return ack && !syn && !fin && !rst && begin == end; }
};

struct QuicPacket {
  QuicPacketType type = QuicPacketType::kOneRtt;
  std::uint32_t version = 0;
  transport::Bytes dcid;
  transport::Bytes scid;
  transport::Bytes token;  // of Initial and Retry
  std::uint64_t size = 0;  // within the datagram, header and tag included
  // Empty where there is none, or it could not be opened: then `undecrypted` says why.
  std::optional<std::uint64_t> number;
  std::vector<QuicFrame> frames;  // their `data` is empty
  std::string undecrypted;

  bool ack_eliciting() const;
  bool only_acknowledges() const;  // nothing but ACK and PADDING
  const QuicFrame* find_frame(std::uint64_t wanted) const;
};

// A DNS message that a packet completes.
struct DnsFacts {
  bool response = false;
  std::uint16_t id = 0;
  std::vector<std::string> questions;  // "a.lab.test A"
  std::string rcode;                   // of responses
  bool truncated = false;
  std::uint64_t bytes = 0;
  bool edns = false;
  std::optional<std::uint64_t> padding;  // bytes of the EDNS padding option (RFC 7830)
  std::string http_method;
  std::optional<int> http_status;
};

struct DecodedPacket {
  Protocol protocol = Protocol::kOther;
  std::uint32_t ip_length = 0;
  std::uint32_t payload_bytes = 0;  // behind the UDP or TCP header
  std::optional<TcpSegment> tcp;
  std::vector<QuicPacket> quic;
  std::vector<DataRange> data;
  std::vector<MessagePart> messages;  // filled by Conversation::describe()
  std::vector<DnsFacts> dns;
  std::string problem;  // what could not be read, and why

  bool carries(MessageKind kind) const;
  bool carries_handshake() const;
  bool completes_answer() const;  // a whole DNS answer that is not truncated
  bool has_new_data() const;      // data or a FIN of a stream sent for the first time
  bool has_quic(QuicPacketType type) const;
  bool ack_eliciting() const;  // an acknowledgement is due for it, TCP or QUIC
};

}  // namespace analysis
