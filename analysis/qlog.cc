#include "analysis/qlog.hh"

#include "analysis/qlog_frame.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <format>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace analysis {
namespace {

using Json = nlohmann::ordered_json;

// RFC 7464 section 2.2: each text has this before it and a line feed behind it.
constexpr char kRecordSeparator = '\x1e';

// A datagram as the end saw it.
struct Sight {
  const PacketEvent* event = nullptr;
  std::int64_t at_ns = 0;
  std::size_t number = 0;  // in the end's own capture
  bool sent = false;
};

bool is_quic(const PacketEvent& event) {
  return !event.packet.quic.empty();
}

// In the order in which the end saw them.
std::vector<Sight> sights_of(const Exchange& exchange, End vantage) {
  std::vector<Sight> sights;
  for (const PacketEvent* event : exchange.all_events()) {
    if (!is_quic(*event)) continue;
    if (event->from == vantage)
      sights.push_back({event, event->sent_ns, event->number, true});
    else if (event->useful())
      sights.push_back({event, *event->arrived_ns, event->arrival_number, false});
  }
  std::ranges::stable_sort(sights, {},
                           [](const Sight& sight) { return std::pair(sight.at_ns, sight.number); });
  return sights;
}

// Milliseconds, to the nanosecond.
std::string milliseconds(std::int64_t ns) {
  return std::format("{}.{:06}", ns / 1'000'000, ns % 1'000'000);
}

std::string_view packet_type(QuicPacketType type) {
  switch (type) {
    case QuicPacketType::kInitial:
      return "initial";
    case QuicPacketType::kZeroRtt:
      return "0RTT";
    case QuicPacketType::kHandshake:
      return "handshake";
    case QuicPacketType::kRetry:
      return "retry";
    case QuicPacketType::kVersionNegotiation:
      return "version_negotiation";
    case QuicPacketType::kOneRtt:
      return "1RTT";
  }
  return "unknown";
}

Json header_of(const QuicPacket& packet) {
  Json header{{"packet_type", packet_type(packet.type)}};
  if (packet.number) header["packet_number"] = *packet.number;
  if (!packet.token.empty()) header["token"] = {{"length", packet.token.size()}};
  if (packet.type != QuicPacketType::kOneRtt) {
    header["version"] = std::format("{:08x}", packet.version);
    header["scid"] = qlog_hex(packet.scid);
  }
  header["dcid"] = qlog_hex(packet.dcid);
  return header;
}

// What the sender of an ACK counts its delay in. Before 1-RTT packets the other end need not know
// what was agreed, and implementations keep to the default.
std::uint64_t ack_delay_exponent(const Exchange& exchange, const PacketEvent& event,
                                 const QuicPacket& packet) {
  if (packet.type != QuicPacketType::kOneRtt) return HandshakeFacts::kDefaultAckDelayExponent;
  const HandshakeFacts& facts = exchange.conversations.at(event.conversation).handshake;
  return event.from == End::kClient ? facts.client_ack_delay_exponent
                                    : facts.server_ack_delay_exponent;
}

Json data_of(const Exchange& exchange, const PacketEvent& event, const QuicPacket& packet) {
  Json data{{"header", header_of(packet)}, {"raw", {{"length", packet.size}}}};
  if (!packet.undecrypted.empty()) data["labrun_undecrypted"] = packet.undecrypted;
  if (packet.frames.empty()) return data;
  Json frames = Json::array();
  for (const QuicFrame& frame : packet.frames)
    frames.push_back(qlog_frame(frame, ack_delay_exponent(exchange, event, packet)));
  data["frames"] = std::move(frames);
  return data;
}

std::string record(std::string_view json) {
  return std::format("{}{}\n", kRecordSeparator, json);
}

// Names come from the wire or from a user, and may hold anything.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string head(End vantage, const QlogTitle& title, std::int64_t reference_ns) {
  const Json words{{"title", std::format("{}, {}, made from captures by labrun", title.query,
                                         to_string(vantage))},
                   {"description", title.description}};
  const std::string text = dump(words);
  return record(
      std::format(R"({{"qlog_version":"0.4","qlog_format":"JSON-SEQ",{},"trace":{{"common_fields":)"
                  R"({{"protocol_type":["QUIC"],"time_format":"relative","reference_time":{}}},)"
                  R"("vantage_point":{{"name":"labrun","type":"{}"}}}}}})",
                  text.substr(1, text.size() - 2), milliseconds(reference_ns), to_string(vantage)));
}

// The connection ID that the client chose for its first packet, which is what logs call a
// connection by.
std::map<std::size_t, std::string> names_of_connections(const Exchange& exchange) {
  std::map<std::size_t, std::string> names;
  for (const PacketEvent* event : exchange.all_events())
    if (is_quic(*event))
      names.emplace(event->conversation, qlog_hex(event->packet.quic.front().dcid));
  return names;
}

}  // namespace

std::string qlog_of(const Exchange& exchange, End vantage, const QlogTitle& title) {
  const auto all = exchange.all_events();
  const auto first = std::ranges::find_if(all, [](const auto* event) { return is_quic(*event); });
  if (first == all.end()) return {};
  const std::int64_t reference_ns = (*first)->sent_ns;
  const auto names = names_of_connections(exchange);
  std::string text = head(vantage, title, reference_ns);
  for (const auto& [event, at_ns, number, sent] : sights_of(exchange, vantage))
    for (const QuicPacket& packet : event->packet.quic)
      text += record(
          std::format(R"({{"time":{},"name":"quic:packet_{}","group_id":"{}","data":{}}})",
                      milliseconds(at_ns - reference_ns), sent ? "sent" : "received",
                      names.at(event->conversation), dump(data_of(exchange, *event, packet))));
  return text;
}

}  // namespace analysis
