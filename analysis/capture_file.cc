#include "analysis/capture_file.hh"

#include "captures/capture_reader.hh"
#include "captures/link_frame.hh"
#include "captures/pcapng_format.hh"

#include <array>
#include <format>
#include <map>
#include <memory>
#include <utility>
#include <variant>

namespace analysis {
namespace {

using captures::FiveTuple;

struct StoredPacket {
  std::size_t number = 0;
  std::int64_t timestamp_ns = 0;
  std::uint32_t link_type = 0;
  std::vector<std::uint8_t> bytes;
};

// Ports on which DNS servers listen: a capture may begin in the middle of a conversation.
bool is_server_port(std::uint16_t port) {
  return port == 53 || port == 853 || port == 443 || port == 8853;
}

bool comes_from_server(const captures::IpPacket& first) {
  if (first.tcp && first.tcp->syn) return first.tcp->ack;
  return is_server_port(first.tuple.source_port) && !is_server_port(first.tuple.destination_port);
}

// All packets are kept until all keys are known, which may stand behind them.
class CaptureFileReader {
 public:
  explicit CaptureFileReader(std::string_view keylog) { secrets_.add(keylog); }

  CaptureFile read(std::istream& input) {
    collect(input);
    for (const StoredPacket& packet : packets_) {
      decode(packet);
      if (frames_ <= CaptureFile::kMaxFrames) continue;
      file_.broken = std::format("packet {}: more than {} QUIC frames", packet.number,
                                 CaptureFile::kMaxFrames);
      break;
    }
    for (Decoding& decoding : decodings_) finish(decoding);
    file_.secrets = secrets_.size();
    return std::move(file_);
  }

 private:
  struct Decoding {
    FiveTuple tuple;
    std::unique_ptr<Conversation> conversation;
    Exchange exchange;
    std::array<std::uint64_t, 2> ordinals{};
  };

  void collect(std::istream& input) {
    captures::CaptureReader reader(input);
    for (;;) {
      auto block = reader.next();
      if (!block) {
        file_.broken = block.error();
        return;
      }
      if (!block->has_value()) return;
      if (!take(**block)) return;
    }
  }

  bool take(captures::SeenBlock& block) {
    if (const auto* interface = std::get_if<captures::InterfaceSeen>(&block))
      link_types_.push_back(interface->link_type);
    if (const auto* secrets = std::get_if<captures::SecretsSeen>(&block))
      if (secrets->type == captures::pcapng::kTlsKeylog) secrets_.add(secrets->text);
    auto* seen = std::get_if<captures::PacketSeen>(&block);
    if (seen == nullptr) return true;
    bytes_ += seen->packet.bytes.size();
    if (bytes_ > CaptureFile::kMaxBytes) {
      file_.broken = std::format("packet {}: more than {} MB of packets", file_.packets + 1,
                                 CaptureFile::kMaxBytes >> 20U);
      return false;
    }
    packets_.push_back({.number = ++file_.packets,
                        .timestamp_ns = seen->packet.timestamp_ns,
                        .link_type = link_types_.at(seen->interface),
                        .bytes = std::move(seen->packet.bytes)});
    return true;
  }

  void decode(const StoredPacket& packet) {
    const auto ip = captures::parse_frame(packet.link_type, packet.bytes);
    if (!ip) {
      unread(packet.number, std::string(ip.error()));
      return;
    }
    if (ip->fragment) {
      unread(packet.number, "fragment of an IP packet");
      return;
    }
    const auto place = place_of(*ip);
    if (!place) {
      unread(packet.number,
             std::format("more than {} conversations", CaptureFile::kMaxConversations));
      return;
    }
    Decoding& decoding = decodings_[place->first];
    const End from = place->second;
    decoding.exchange.events.push_back(
        {.from = from,
         .sent_ns = packet.timestamp_ns,
         .arrived_ns = packet.timestamp_ns,
         .number = packet.number,
         .arrival_number = packet.number,
         .ordinal = ++decoding.ordinals.at(static_cast<std::size_t>(from)),
         .extra_copies = 0,
         .corrupted = false,
         .conversation = 0,
         .packet = decoding.conversation->take(from, *ip)});
    for (const QuicPacket& quic : decoding.exchange.events.back().packet.quic)
      frames_ += quic.frames.size();
  }

  // Which conversation, and who sent.
  std::optional<std::pair<std::size_t, End>> place_of(const captures::IpPacket& ip) {
    if (const auto found = by_client_tuple_.find(ip.tuple);
        found != by_client_tuple_.end() &&
        !decodings_[found->second].conversation->begins_another(End::kClient, ip))
      return std::pair(found->second, End::kClient);
    if (const auto found = by_client_tuple_.find(ip.tuple.reversed());
        found != by_client_tuple_.end())
      return std::pair(found->second, End::kServer);
    if (decodings_.size() == CaptureFile::kMaxConversations) return std::nullopt;
    const End from = comes_from_server(ip) ? End::kServer : End::kClient;
    Decoding& decoding = decodings_.emplace_back();
    decoding.tuple = from == End::kClient ? ip.tuple : ip.tuple.reversed();
    decoding.conversation = make_conversation(ip, secrets_);
    by_client_tuple_[decoding.tuple] = decodings_.size() - 1;
    return std::pair(decodings_.size() - 1, from);
  }

  void finish(Decoding& decoding) {
    for (PacketEvent& event : decoding.exchange.events)
      decoding.conversation->describe(event.from, event.packet);
    decoding.exchange.conversations.push_back(decoding.conversation->facts());
    file_.conversations.push_back(
        {.tuple = decoding.tuple, .exchange = std::move(decoding.exchange)});
  }

  void unread(std::size_t number, std::string why) {
    ++file_.unread_count;
    if (file_.unread.size() < CaptureFile::kMaxUnread)
      file_.unread.push_back({.number = number, .why = std::move(why)});
  }

  CaptureFile file_;
  SecretStore secrets_;
  std::vector<std::uint32_t> link_types_;
  std::vector<StoredPacket> packets_;
  std::size_t bytes_ = 0;
  std::size_t frames_ = 0;
  std::vector<Decoding> decodings_;
  std::map<FiveTuple, std::size_t> by_client_tuple_;
};

}  // namespace

CaptureFile read_capture(std::istream& input, std::string_view keylog) {
  return CaptureFileReader(keylog).read(input);
}

}  // namespace analysis
