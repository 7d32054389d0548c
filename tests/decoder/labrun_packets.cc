#include "tests/decoder/labrun_packets.hh"

#include "base/errors.hh"
#include "transport/dns_text.hh"

#include <nlohmann/json.hpp>

#include <format>
#include <ranges>

namespace decoder {
namespace {

using nlohmann::json;

SeenFrame frame_of(const json& object) {
  SeenFrame frame;
  frame.type = object.at("type");
  const bool has_bytes = frame.type == kCryptoFrame || frame.type == kStreamFrame;
  if (has_bytes || frame.type == kPaddingFrame) frame.length = object.at("length");
  if (has_bytes) frame.offset = object.at("offset");
  if (frame.type == kStreamFrame) {
    frame.stream = object.at("stream");
    frame.fin = object.value("fin", false);
  }
  if (frame.type == kAckFrame || frame.type == kAckEcnFrame)
    for (const json& range : object.at("ranges"))
      frame.ranges.emplace_back(range.at(0), range.at(1));
  return frame;
}

SeenQuicPacket quic_packet_of(const json& object) {
  SeenQuicPacket packet;
  packet.type = object.at("type");
  if (packet.type != "1-RTT") {
    packet.version = object.at("version");
    packet.dcid = object.value("dcid", "");
    packet.scid = object.value("scid", "");
  } else if (object.contains("dcid")) {
    packet.dcid = object.at("dcid");
  }
  if (packet.type == "Initial") packet.token_length = object.value("token_length", 0U);
  if (object.contains("number")) packet.number = object.at("number").get<std::uint64_t>();
  if (!packet.has_number()) packet.number.reset();
  if (object.contains("frames"))
    for (const json& frame : object.at("frames")) packet.frames.push_back(frame_of(frame));
  return packet;
}

// "a.lab.test A" with the number of the type.
std::string question_of(const std::string& text) {
  const std::size_t space = text.rfind(' ');
  if (space == std::string::npos) throw base::LabError("a question without a type: " + text);
  const auto type = transport::parse_record_type(text.substr(space + 1));
  if (!type) throw base::LabError("a question of an unknown type: " + text);
  return std::format("{} {}", text.substr(0, space), static_cast<std::uint16_t>(*type));
}

SeenPacket packet_of(const json& object) {
  SeenPacket packet;
  packet.number = object.at("number");
  for (const json& quic : object.value("quic", json::array()))
    packet.quic.push_back(quic_packet_of(quic));
  for (const json& message : object.value("tls", json::array())) {
    const bool dns = message.value("name", "").starts_with("DNS ");
    if (dns && !packet.quic.empty() && message.at("here") != message.at("length"))
      packet.dns_over_packets = true;
    const std::string name = known_handshake_name(message.value("name", ""));
    if (name.empty()) continue;
    // labrun counts a message from its header on, as offsets of CRYPTO frames do.
    constexpr std::uint64_t kHeader = 4;
    const std::uint64_t begin = message.at("offset");
    const std::uint64_t end = begin + message.at("here").get<std::uint64_t>();
    const std::uint64_t from = std::max(begin, kHeader);
    packet.tls.push_back({.name = name,
                          .length = message.at("length").get<std::uint64_t>() - kHeader,
                          .offset = from - kHeader,
                          .here = std::max(end, from) - from});
  }
  for (const json& message : object.value("dns", json::array())) {
    SeenDns& seen = packet.dns.emplace_back();
    seen.response = message.at("response");
    for (const json& question : message.value("questions", json::array()))
      seen.questions.push_back(question_of(question));
  }
  return packet;
}

}  // namespace

SeenPacket parse_packet_line(std::string_view line) {
  try {
    return packet_of(json::parse(line));
  } catch (const std::exception& error) {
    throw base::LabError(std::format("{} in the line: {}", error.what(), line));
  }
}

std::vector<SeenPacket> parse_packet_lines(std::string_view text) {
  std::vector<SeenPacket> packets;
  for (const auto line : text | std::views::split('\n'))
    if (!line.empty()) packets.push_back(parse_packet_line(std::string_view(line)));
  return packets;
}

}  // namespace decoder
