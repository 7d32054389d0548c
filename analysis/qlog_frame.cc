#include "analysis/qlog_frame.hh"

#include <nlohmann/json.hpp>

#include <cmath>
#include <format>
#include <utility>

namespace analysis {
namespace {

using Json = nlohmann::ordered_json;

// Milliseconds.
double ack_delay(const QuicFrame& frame, std::uint64_t exponent) {
  return std::ldexp(static_cast<double>(frame.ack_delay), static_cast<int>(exponent)) / 1000;
}

Json acked_ranges(const QuicFrame& frame) {
  Json ranges = Json::array();
  for (const auto& [smallest, largest] : frame.ranges)
    ranges.push_back(smallest == largest ? Json::array({largest})
                                         : Json::array({smallest, largest}));
  return ranges;
}

Json connection_close(const QuicFrame& frame) {
  const bool by_application = frame.type == quic_frame::kApplicationClose;
  return {{"frame_type", "connection_close"},
          {"error_space", by_application ? "application" : "transport"},
          {"error_code", frame.error_code}};
}

Json data_frame(const QuicFrame& frame) {
  if (frame.type == quic_frame::kCrypto)
    return {{"frame_type", "crypto"}, {"offset", frame.offset}, {"length", frame.length}};
  Json json{{"frame_type", "stream"},
            {"stream_id", frame.stream},
            {"offset", frame.offset},
            {"length", frame.length}};
  if (frame.fin) json["fin"] = true;
  return json;
}

Json limit_frame(const QuicFrame& frame) {
  const std::string_view directions =
      frame.type == quic_frame::kMaxStreamsUni || frame.type == quic_frame::kStreamsBlockedUni
          ? "unidirectional"
          : "bidirectional";
  switch (frame.type) {
    case quic_frame::kMaxData:
      return {{"frame_type", "max_data"}, {"maximum", frame.value}};
    case quic_frame::kMaxStreamData:
      return {
          {"frame_type", "max_stream_data"}, {"stream_id", frame.stream}, {"maximum", frame.value}};
    case quic_frame::kDataBlocked:
      return {{"frame_type", "data_blocked"}, {"limit", frame.value}};
    case quic_frame::kStreamDataBlocked:
      return {{"frame_type", "stream_data_blocked"},
              {"stream_id", frame.stream},
              {"limit", frame.value}};
    case quic_frame::kStreamsBlocked:
    case quic_frame::kStreamsBlockedUni:
      return {
          {"frame_type", "streams_blocked"}, {"stream_type", directions}, {"limit", frame.value}};
    default:
      return {{"frame_type", "max_streams"}, {"stream_type", directions}, {"maximum", frame.value}};
  }
}

Json connection_id_frame(const QuicFrame& frame) {
  if (frame.type == quic_frame::kRetireConnectionId)
    return {{"frame_type", "retire_connection_id"}, {"sequence_number", frame.value}};
  return {{"frame_type", "new_connection_id"},
          {"sequence_number", frame.value},
          {"retire_prior_to", frame.retire_prior_to},
          {"connection_id_length", frame.length},
          {"connection_id", qlog_hex(frame.connection_id)}};
}

Json rare_frame(const QuicFrame& frame) {
  switch (frame.type) {
    case quic_frame::kNewToken:
      return {{"frame_type", "new_token"}, {"token", {{"length", frame.length}}}};
    case quic_frame::kResetStream:
      return {{"frame_type", "reset_stream"},
              {"stream_id", frame.stream},
              {"error_code", frame.error_code},
              {"final_size", frame.length}};
    case quic_frame::kStopSending:
      return {{"frame_type", "stop_sending"},
              {"stream_id", frame.stream},
              {"error_code", frame.error_code}};
    case quic_frame::kPathChallenge:
      return {{"frame_type", "path_challenge"}};
    case quic_frame::kPathResponse:
      return {{"frame_type", "path_response"}};
    case quic_frame::kDatagram:
    case quic_frame::kDatagramWithLength:
      return {{"frame_type", "datagram"}, {"length", frame.length}};
    default:
      return {{"frame_type", "unknown"}, {"raw_frame_type", frame.type}};
  }
}

}  // namespace

std::string qlog_hex(transport::ByteSpan bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += std::format("{:02x}", byte);
  return text;
}

Json qlog_frame(const QuicFrame& frame, std::uint64_t ack_delay_exponent) {
  if (frame.type == quic_frame::kPadding)
    return {{"frame_type", "padding"}, {"payload_length", frame.length}};
  if (frame.type == quic_frame::kPing) return {{"frame_type", "ping"}};
  if (frame.type == quic_frame::kAck || frame.type == quic_frame::kAckEcn)
    return {{"frame_type", "ack"},
            {"ack_delay", ack_delay(frame, ack_delay_exponent)},
            {"acked_ranges", acked_ranges(frame)}};
  if (frame.type == quic_frame::kCrypto || frame.type == quic_frame::kStream)
    return data_frame(frame);
  if (frame.type == quic_frame::kHandshakeDone) return {{"frame_type", "handshake_done"}};
  if (frame.type == quic_frame::kConnectionClose || frame.type == quic_frame::kApplicationClose)
    return connection_close(frame);
  if (frame.type >= quic_frame::kMaxData && frame.type <= quic_frame::kStreamsBlockedUni)
    return limit_frame(frame);
  if (frame.type == quic_frame::kNewConnectionId || frame.type == quic_frame::kRetireConnectionId)
    return connection_id_frame(frame);
  return rare_frame(frame);
}

}  // namespace analysis
