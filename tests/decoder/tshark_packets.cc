#include "tests/decoder/tshark_packets.hh"

#include "base/errors.hh"
#include "tests/decoder/pdml.hh"

#include <array>
#include <charconv>
#include <format>
#include <functional>
#include <map>

namespace decoder {
namespace {

// Values of the two bits that name a long header's type, by version.
constexpr std::array<const char*, 4> kTypesOfVersion1{"Initial", "0-RTT", "Handshake", "Retry"};
constexpr std::array<const char*, 4> kTypesOfVersion2{"Retry", "Initial", "0-RTT", "Handshake"};

std::uint64_t integer(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (problem != std::errc() || end != text.data() + text.size())
    throw base::LabError(std::format("tshark gives '{}' where a number belongs", text));
  return value;
}

std::uint64_t shown(const PdmlElement& field) {
  const std::string_view text = field.attribute("show").value_or("");
  return text.starts_with("0x") ? integer(text.substr(2), 16) : integer(text, 10);
}

// The bytes on the wire as one big-endian number.
std::uint64_t wire_value(const PdmlElement& field) {
  return integer(field.attribute("value").value_or(""), 16);
}

// Without what changes from packet to packet: "User Datagram Protocol, Src Port: 1, Dst Port: 2".
std::string ends_of(const PdmlElement& proto) {
  const std::string_view text = proto.attribute("showname").value_or("");
  return std::string(text.substr(0, text.find(", Seq: ")));
}

// Takes the elements of one file in order. A field belongs to the last packet, frame or message
// that began before it, because tshark nests what it decodes.
class Reader {
 public:
  std::vector<SeenPacket> read(std::string_view text) {
    PdmlScanner scanner(text);
    while (const auto element = scanner.next()) {
      if (element->kind == PdmlElement::Kind::kPacket) packets_.emplace_back();
      if (packets_.empty()) continue;
      if (element->kind == PdmlElement::Kind::kProto) take_proto(*element);
      if (element->kind == PdmlElement::Kind::kField) take_field(*element);
    }
    // tshark shows a number of a packet that it failed to decrypt, too. Every packet has frames
    // (RFC 9000, section 12.4).
    for (SeenPacket& packet : packets_)
      for (SeenQuicPacket& quic : packet.quic)
        if (quic.frames.empty()) quic.number.reset();
    return std::move(packets_);
  }

 private:
  using Action = std::function<void(Reader&, const PdmlElement&)>;

  SeenPacket& packet() { return packets_.back(); }
  SeenQuicPacket& quic() { return last_of(packet().quic, "QUIC packet"); }
  SeenFrame& frame() { return last_of(quic().frames, "QUIC frame"); }

  template <typename Seen>
  Seen& last_of(std::vector<Seen>& list, std::string_view what) {
    if (list.empty())
      throw base::LabError(std::format("packet {}: a field of no {}", packet().number, what));
    return list.back();
  }

  void take_proto(const PdmlElement& proto) {
    const std::string_view name = proto.name();
    if (name == "ip" || name == "ipv6") packet().flow = ends_of(proto);
    if (name == "tcp" || name == "udp") packet().flow += "; " + ends_of(proto);
    if (name == "tls") packet().tls_record = packet().flow.contains("Transmission Control");
    if (name == "http2" || name == "http3") packet().http = true;
    if (name == "dns") packet().dns.emplace_back();
  }

  void take_field(const PdmlElement& field) {
    const auto action = actions().find(field.name());
    if (action != actions().end()) action->second(*this, field);
  }

  void begin_quic_packet(const PdmlElement& field) {
    // What follows the last packet of a datagram and is none has no header form.
    SeenQuicPacket& started = packet().quic.emplace_back();
    if (shown(field) == 0) {
      started.type = "1-RTT";
    } else {
      started.type = "Version Negotiation";
      started.dcid = "";
    }
  }

  void begin_frame(const PdmlElement&) { quic().frames.emplace_back(); }

  void take_frame_type(const PdmlElement& field) {
    const std::uint64_t type = shown(field);
    SeenFrame& seen = frame();
    seen.type = type;
    if (type < kStreamFrame || type > kLastStreamFrame) return;
    seen.type = kStreamFrame;
    seen.fin = (type & 1U) != 0;
  }

  void take_ack_range(const PdmlElement& field) {
    auto& ranges = frame().ranges;
    if (ranges.empty()) throw base::LabError("tshark shows an ACK range before the first one");
    // RFC 9000, section 19.3.1: one packet between two ranges is a gap of 0.
    const std::uint64_t largest = ranges.back().first - gap_ - 2;
    ranges.emplace_back(largest - shown(field), largest);
  }

  static const std::map<std::string, Action, std::less<>>& actions();
  static std::map<std::string, Action, std::less<>> make_header_actions();
  static void add_frame_actions(std::map<std::string, Action, std::less<>>& into);
  static void add_message_actions(std::map<std::string, Action, std::less<>>& into);

  std::vector<SeenPacket> packets_;
  std::uint64_t gap_ = 0;
};

std::map<std::string, Reader::Action, std::less<>> Reader::make_header_actions() {
  return {
      {"num", [](Reader& reader, const auto& field) { reader.packet().number = shown(field); }},
      {"quic.header_form", &Reader::begin_quic_packet},
      {"quic.long.packet_type",
       [](Reader& reader, const auto& field) {
         reader.quic().type = kTypesOfVersion1.at(shown(field));
       }},
      {"quic.long.packet_type_v2",
       [](Reader& reader, const auto& field) {
         reader.quic().type = kTypesOfVersion2.at(shown(field));
       }},
      {"quic.version",
       [](Reader& reader, const auto& field) {
         reader.quic().version = static_cast<std::uint32_t>(wire_value(field));
       }},
      {"quic.dcid",
       [](Reader& reader, const auto& field) {
         reader.quic().dcid = field.attribute("value").value_or("");
       }},
      {"quic.scid",
       [](Reader& reader, const auto& field) {
         reader.quic().scid = field.attribute("value").value_or("");
       }},
      {"quic.token_length",
       [](Reader& reader, const auto& field) { reader.quic().token_length = shown(field); }},
      {"quic.packet_number",
       [](Reader& reader, const auto& field) { reader.quic().number = shown(field); }},
  };
}

void Reader::add_frame_actions(std::map<std::string, Action, std::less<>>& into) {
  const auto take_length = [](Reader& reader, const PdmlElement& field) {
    reader.frame().length = shown(field);
  };
  const auto take_offset = [](Reader& reader, const PdmlElement& field) {
    reader.frame().offset = shown(field);
  };
  into["quic.frame"] = &Reader::begin_frame;
  into["quic.frame_type"] = &Reader::take_frame_type;
  into["quic.padding_length"] = take_length;
  into["quic.crypto.offset"] = take_offset;
  into["quic.crypto.length"] = take_length;
  into["quic.stream.offset"] = take_offset;
  into["quic.stream.stream_id"] = [](Reader& reader, const PdmlElement& field) {
    reader.frame().stream = shown(field);
  };
  // A frame without a length of its own reaches to the end of the packet; the data's size is there
  // in either case, unless it is nothing.
  into["quic.stream_data"] = [](Reader& reader, const PdmlElement& field) {
    reader.frame().length = integer(field.attribute("size").value_or(""), 10);
  };
  into["quic.ack.largest_acknowledged"] = [](Reader& reader, const PdmlElement& field) {
    reader.frame().ranges.assign(1, {shown(field), shown(field)});
  };
  into["quic.ack.first_ack_range"] = [](Reader& reader, const PdmlElement& field) {
    if (!reader.frame().ranges.empty()) reader.frame().ranges.front().first -= shown(field);
  };
  into["quic.ack.gap"] = [](Reader& reader, const PdmlElement& field) {
    reader.gap_ = shown(field);
  };
  into["quic.ack.ack_range"] = &Reader::take_ack_range;
}

void Reader::add_message_actions(std::map<std::string, Action, std::less<>>& into) {
  into["tls.handshake.type"] = [](Reader& reader, const PdmlElement& field) {
    reader.packet().tls.push_back(
        {.name = handshake_name(shown(field)), .length = 0, .offset = 0, .here = 0});
  };
  // tshark shows a message, whole, with the packet that completes it.
  into["tls.handshake.length"] = [](Reader& reader, const PdmlElement& field) {
    if (reader.packet().tls.empty()) return;
    SeenHandshake& message = reader.packet().tls.back();
    message.length = shown(field);
    message.here = message.length;
  };
  into["dns.flags"] = [](Reader& reader, const PdmlElement& field) {
    constexpr std::uint64_t kResponseBit = 0x8000;
    reader.last_of(reader.packet().dns, "DNS message").response =
        (wire_value(field) & kResponseBit) != 0;
  };
  into["dns.qry.name"] = [](Reader& reader, const PdmlElement& field) {
    const std::string name = unescaped(field.attribute("show").value_or(""));
    reader.last_of(reader.packet().dns, "DNS message")
        .questions.push_back(name == "<Root>" ? "." : name);
  };
  into["dns.qry.type"] = [](Reader& reader, const PdmlElement& field) {
    auto& questions = reader.last_of(reader.packet().dns, "DNS message").questions;
    if (!questions.empty()) questions.back() += std::format(" {}", shown(field));
  };
}

const std::map<std::string, Reader::Action, std::less<>>& Reader::actions() {
  static const auto all = [] {
    auto made = make_header_actions();
    add_frame_actions(made);
    add_message_actions(made);
    return made;
  }();
  return all;
}

}  // namespace

const std::vector<std::string>& pdml_arguments() {
  static const std::vector<std::string> arguments{
      "-n", "-T", "pdml",
      // Segments that overtook others, or that were sent again, still make whole TLS records.
      "-o", "tcp.reassemble_out_of_order:TRUE",
      // The port of DNS over QUIC, on which tshark expects DTLS.
      "-d", "udp.port==853,quic",
      // Ports of servers come before those of their clients, for some of which there are
      // dissectors.
      "-d", "udp.port==8853,quic", "-d", "udp.port==443,quic", "-d", "udp.port==444,quic",
      // Only these subtrees are printed.
      "-j", "quic quic.short quic.frame tls tls.record tls.handshake http2 dns dns.qry.name text"};
  return arguments;
}

std::vector<SeenPacket> parse_pdml(std::string_view text) {
  return Reader().read(text);
}

}  // namespace decoder
