#include "analysis/quic_frame.hh"

#include "analysis/byte_reader.hh"

#include <array>
#include <format>
#include <optional>
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

// How many varints a frame of such a type is made of, where it is made of nothing else.
std::optional<int> plain_varints(std::uint64_t type) {
  switch (type) {
    case quic_frame::kPing:
    case quic_frame::kHandshakeDone:
      return 0;
    case 0x10:  // MAX_DATA
    case 0x12:  // MAX_STREAMS, both kinds
    case 0x13:
    case 0x14:  // DATA_BLOCKED
    case 0x16:  // STREAMS_BLOCKED, both kinds
    case 0x17:
    case 0x19:  // RETIRE_CONNECTION_ID
      return 1;
    default:
      return std::nullopt;
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
    case 0x11:  // MAX_STREAM_DATA
    case 0x15:  // STREAM_DATA_BLOCKED
      frame.stream = reader.varint();
      reader.varint();
      return true;
    case quic_frame::kNewConnectionId:
      reader.varint();
      reader.varint();
      read_data(reader, frame, reader.integer(1));
      reader.span(16);  // stateless reset token
      return true;
    case 0x1a:  // PATH_CHALLENGE
    case quic_frame::kPathResponse:
      reader.span(8);
      return true;
    case quic_frame::kConnectionClose:
    case quic_frame::kApplicationClose:
      read_close(reader, frame);
      return true;
    case 0x30:  // DATAGRAM, RFC 9221
    case 0x31:
      read_data(reader, frame, frame.type == 0x31 ? reader.varint() : reader.left());
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
  if (const auto varints = plain_varints(frame.type)) {
    for (int count = 0; count < *varints; ++count) reader.varint();
    return true;
  }
  return read_rare(reader, frame);
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
