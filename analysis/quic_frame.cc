#include "analysis/quic_frame.hh"

#include "analysis/byte_reader.hh"

#include <array>
#include <format>
#include <utility>

namespace analysis {
namespace {

using transport::ByteSpan;

constexpr std::array kNames{"PADDING",
                            "PING",
                            "ACK",
                            "ACK_ECN",
                            "RESET_STREAM",
                            "STOP_SENDING",
                            "CRYPTO",
                            "NEW_TOKEN",
                            "STREAM",
                            "STREAM",
                            "STREAM",
                            "STREAM",
                            "STREAM",
                            "STREAM",
                            "STREAM",
                            "STREAM",
                            "MAX_DATA",
                            "MAX_STREAM_DATA",
                            "MAX_STREAMS",
                            "MAX_STREAMS_UNI",
                            "DATA_BLOCKED",
                            "STREAM_DATA_BLOCKED",
                            "STREAMS_BLOCKED",
                            "STREAMS_BLOCKED_UNI",
                            "NEW_CONNECTION_ID",
                            "RETIRE_CONNECTION_ID",
                            "PATH_CHALLENGE",
                            "PATH_RESPONSE",
                            "CONNECTION_CLOSE",
                            "CONNECTION_CLOSE_APP",
                            "HANDSHAKE_DONE"};

// RFC 9000 section 19.3. False where the ranges contradict each other.
bool read_ack(ByteReader& reader, QuicFrame& frame) {
  std::uint64_t largest = reader.varint();
  frame.ack_delay = reader.varint();
  std::uint64_t more = reader.varint();
  std::uint64_t length = reader.varint();
  for (;;) {
    if (reader.failed() || length > largest) return false;
    frame.ranges.push_back({.smallest = largest - length, .largest = largest});
    if (more == 0) break;
    --more;
    const std::uint64_t gap = reader.varint();
    const std::uint64_t smallest = largest - length;
    length = reader.varint();
    if (reader.failed() || gap + 2 > smallest) return false;
    largest = smallest - gap - 2;
  }
  if (frame.type == quic_frame::kAckEcn)
    for (int count = 0; count < 3; ++count) reader.varint();
  return true;
}

void read_stream(ByteReader& reader, QuicFrame& frame) {
  const std::uint64_t flags = std::exchange(frame.type, quic_frame::kStream);
  frame.stream = reader.varint();
  if ((flags & 4U) != 0) frame.offset = reader.varint();
  frame.data = (flags & 2U) != 0 ? reader.span(reader.varint()) : reader.rest();
  frame.length = frame.data.size();
  frame.fin = (flags & 1U) != 0;
}

void read_data(ByteReader& reader, QuicFrame& frame, std::uint64_t length) {
  frame.data = reader.span(length);
  frame.length = frame.data.size();
}

void read_close(ByteReader& reader, QuicFrame& frame) {
  frame.error_code = reader.varint();
  if (frame.type == quic_frame::kConnectionClose) reader.varint();  // the frame it complains about
  read_data(reader, frame, reader.varint());
}

// False where a frame of that type is more than one number or none.
bool read_plain(ByteReader& reader, QuicFrame& frame) {
  switch (frame.type) {
    case quic_frame::kPing:
    case quic_frame::kHandshakeDone:
      return true;
    case quic_frame::kMaxData:
    case quic_frame::kMaxStreams:
    case quic_frame::kMaxStreamsUni:
    case quic_frame::kDataBlocked:
    case quic_frame::kStreamsBlocked:
    case quic_frame::kStreamsBlockedUni:
    case quic_frame::kRetireConnectionId:
      frame.value = reader.varint();
      return true;
    default:
      return false;
  }
}

bool read_rare(ByteReader& reader, QuicFrame& frame) {
  switch (frame.type) {
    case quic_frame::kResetStream:
      frame.stream = reader.varint();
      frame.error_code = reader.varint();
      frame.length = reader.varint();
      return true;
    case quic_frame::kStopSending:
      frame.stream = reader.varint();
      frame.error_code = reader.varint();
      return true;
    case quic_frame::kNewToken:
      read_data(reader, frame, reader.varint());
      return true;
    case quic_frame::kMaxStreamData:
    case quic_frame::kStreamDataBlocked:
      frame.stream = reader.varint();
      frame.value = reader.varint();
      return true;
    case quic_frame::kNewConnectionId:
      frame.value = reader.varint();
      frame.retire_prior_to = reader.varint();
      read_data(reader, frame, reader.integer(1));
      frame.connection_id.assign(frame.data.begin(), frame.data.end());
      reader.span(16);  // stateless reset token
      return true;
    case quic_frame::kPathChallenge:
    case quic_frame::kPathResponse:
      reader.span(8);
      return true;
    case quic_frame::kConnectionClose:
    case quic_frame::kApplicationClose:
      read_close(reader, frame);
      return true;
    case quic_frame::kDatagram:
      read_data(reader, frame, reader.left());
      return true;
    case quic_frame::kDatagramWithLength:
      read_data(reader, frame, reader.varint());
      return true;
    default:
      return false;
  }
}

// False where the type is unknown or its contents contradict themselves.
bool read_body(ByteReader& reader, QuicFrame& frame) {
  if (frame.type == quic_frame::kAck || frame.type == quic_frame::kAckEcn)
    return read_ack(reader, frame);
  if (frame.type >= 0x08 && frame.type <= 0x0f) {
    read_stream(reader, frame);
    return true;
  }
  if (frame.type == quic_frame::kCrypto) {
    frame.offset = reader.varint();
    read_data(reader, frame, reader.varint());
    return true;
  }
  return read_plain(reader, frame) || read_rare(reader, frame);
}

}  // namespace

bool QuicFrame::ack_eliciting() const {
  return type != quic_frame::kPadding && type != quic_frame::kAck && type != quic_frame::kAckEcn &&
         type != quic_frame::kConnectionClose && type != quic_frame::kApplicationClose;
}

std::string frame_name(std::uint64_t type) {
  if (type < kNames.size()) return kNames.at(type);
  if (type == 0x30 || type == 0x31) return "DATAGRAM";
  return std::format("{:#x}", type);
}

std::expected<std::vector<QuicFrame>, std::string> parse_quic_frames(ByteSpan plaintext) {
  std::vector<QuicFrame> frames;
  ByteReader reader(plaintext);
  while (reader.left() > 0) {
    const std::size_t start = reader.at();
    QuicFrame frame;
    frame.type = reader.varint();
    if (frame.type == quic_frame::kPadding) {
      std::size_t end = start + 1;
      while (end < plaintext.size() && plaintext[end] == 0) ++end;
      frame.length = end - start;
      reader.span(end - reader.at());
    } else if (!read_body(reader, frame)) {
      return std::unexpected(std::format("byte {}: {}", start,
                                         reader.failed() ? "frame cut short" : "malformed frame"));
    }
    if (frames.size() == kMaxFramesPerPacket)
      return std::unexpected(
          std::format("byte {}: more than {} frames", start, kMaxFramesPerPacket));
    if (reader.failed()) return std::unexpected(std::format("byte {}: frame cut short", start));
    frames.push_back(std::move(frame));
  }
  if (frames.empty()) return std::unexpected("a packet without frames");
  return frames;
}

}  // namespace analysis
