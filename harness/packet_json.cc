#include "harness/packet_json.hh"

#include <nlohmann/json.hpp>

#include <format>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

std::string hexadecimal(const transport::Bytes& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += std::format("{:02x}", byte);
  return text;
}

std::string_view protocol_name(analysis::Protocol protocol) {
  switch (protocol) {
    case analysis::Protocol::kTcp:
      return "tcp";
    case analysis::Protocol::kIcmp:
      return "icmp";
    case analysis::Protocol::kOther:
      return "other";
    default:
      return "udp";
  }
}

Json to_json(const analysis::QuicFrame& frame) {
  namespace type = analysis::quic_frame;
  Json json{{"type", frame.type}, {"name", analysis::frame_name(frame.type)}};
  if (frame.type == type::kStream || frame.type == type::kResetStream ||
      frame.type == type::kStopSending)
    json["stream"] = frame.stream;
  if (frame.type == type::kStream || frame.type == type::kCrypto) json["offset"] = frame.offset;
  if (frame.type == type::kStream || frame.type == type::kCrypto || frame.type == type::kPadding)
    json["length"] = frame.length;
  if (frame.type == type::kStream) json["fin"] = frame.fin;
  if (!frame.ranges.empty()) {
    Json ranges = Json::array();
    for (const analysis::AckRange& range : frame.ranges)
      ranges.push_back(Json::array({range.smallest, range.largest}));
    json["ranges"] = std::move(ranges);
  }
  if (frame.type == type::kConnectionClose || frame.type == type::kApplicationClose)
    json["error_code"] = frame.error_code;
  return json;
}

Json to_json(const analysis::QuicPacket& packet) {
  Json json{{"type", to_string(packet.type)}};
  if (packet.type != analysis::QuicPacketType::kOneRtt) {
    json["version"] = packet.version;
    json["scid"] = hexadecimal(packet.scid);
  }
  json["dcid"] = hexadecimal(packet.dcid);
  if (packet.type == analysis::QuicPacketType::kInitial ||
      packet.type == analysis::QuicPacketType::kRetry)
    json["token_length"] = packet.token.size();
  if (packet.number) json["number"] = *packet.number;
  if (!packet.undecrypted.empty()) json["undecrypted"] = packet.undecrypted;
  if (packet.frames.empty()) return json;
  Json frames = Json::array();
  for (const analysis::QuicFrame& frame : packet.frames) frames.push_back(to_json(frame));
  json["frames"] = std::move(frames);
  return json;
}

Json to_json(const analysis::TcpSegment& segment) {
  Json json{{"begin", segment.begin}, {"end", segment.end}};
  Json flags = Json::array();
  for (const auto& [set, name] : {std::pair(segment.syn, "SYN"), std::pair(segment.ack, "ACK"),
                                  std::pair(segment.fin, "FIN"), std::pair(segment.rst, "RST")})
    if (set) flags.push_back(name);
  json["flags"] = std::move(flags);
  if (segment.ack) json["acknowledged"] = segment.acknowledged;
  if (segment.sack.empty()) return json;
  Json blocks = Json::array();
  for (const analysis::SackBlock& block : segment.sack)
    blocks.push_back(Json::array({block.begin, block.end}));
  json["sack"] = std::move(blocks);
  return json;
}

Json to_json(const analysis::MessagePart& part) {
  return {{"name", to_string(part.kind)},
          {"length", part.total},
          {"offset", part.offset},
          {"here", part.length}};
}

Json to_json(const analysis::DnsFacts& dns) {
  Json json{{"id", dns.id}, {"response", dns.response}, {"questions", dns.questions}};
  if (dns.response) json["rcode"] = dns.rcode;
  json["bytes"] = dns.bytes;
  json["padding"] = dns.padding ? Json(*dns.padding) : Json(nullptr);
  if (dns.http_status) json["http_status"] = *dns.http_status;
  if (!dns.http_method.empty()) json["http_method"] = dns.http_method;
  return json;
}

template <typename Element>
void add_array(Json& json, const char* key, const std::vector<Element>& elements) {
  if (elements.empty()) return;
  Json array = Json::array();
  for (const Element& element : elements) array.push_back(to_json(element));
  json[key] = std::move(array);
}

}  // namespace

std::string to_json_line(const analysis::PacketEvent& event) {
  const analysis::DecodedPacket& packet = event.packet;
  Json json{{"number", event.number},
            {"time_ns", event.sent_ns},
            {"from", to_string(event.from)},
            {"protocol", protocol_name(packet.protocol)},
            {"length", packet.ip_length}};
  if (packet.tcp) json["tcp"] = to_json(*packet.tcp);
  add_array(json, "quic", packet.quic);
  add_array(json, "tls", packet.messages);
  add_array(json, "dns", packet.dns);
  if (!packet.problem.empty()) json["problem"] = packet.problem;
  // Names in DNS messages may hold anything.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace harness
