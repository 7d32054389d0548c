#include "analysis/conversation.hh"

#include "analysis/dns_facts.hh"
#include "analysis/quic_conversation.hh"
#include "analysis/tcp_conversation.hh"

#include <algorithm>
#include <utility>

namespace analysis {
namespace {

DecodedPacket undecoded(const captures::IpPacket& packet, Protocol protocol) {
  DecodedPacket decoded;
  decoded.protocol = protocol;
  decoded.ip_length = packet.ip_length;
  decoded.payload_bytes = static_cast<std::uint32_t>(packet.payload.size());
  return decoded;
}

// DNS over UDP (RFC 1035 section 4.2.1): a datagram is a message.
class DnsConversation : public Conversation {
 public:
  DecodedPacket take(End /*from*/, const captures::IpPacket& packet) override {
    DecodedPacket decoded = undecoded(packet, Protocol::kDns);
    auto facts = read_dns(packet.payload);
    if (facts) {
      decoded.dns.push_back(std::move(*facts));
    } else {
      decoded.problem = facts.error();
    }
    return decoded;
  }

  void describe(End from, DecodedPacket& packet) const override {
    packet.messages.clear();
    const std::uint64_t size = packet.payload_bytes;
    packet.messages.push_back(
        {.kind = from == End::kClient ? MessageKind::kDnsQuery : MessageKind::kDnsAnswer,
         .total = size,
         .offset = 0,
         .length = size});
  }

  ConversationFacts facts() const override {
    ConversationFacts facts;
    facts.protocol = "DNS over UDP";
    return facts;
  }
};

class OpaqueConversation : public Conversation {
 public:
  explicit OpaqueConversation(Protocol protocol) : protocol_(protocol) {}
  DecodedPacket take(End /*from*/, const captures::IpPacket& packet) override {
    return undecoded(packet, protocol_);
  }
  void describe(End /*from*/, DecodedPacket& /*packet*/) const override {}
  ConversationFacts facts() const override {
    ConversationFacts facts;
    facts.protocol = protocol_ == Protocol::kIcmp ? "ICMP" : "IP";
    if (protocol_ != Protocol::kUdp) return facts;
    facts.protocol = "UDP";
    facts.sight_ends = "neither DNS nor a known version of QUIC";
    return facts;
  }

 private:
  Protocol protocol_;
};

}  // namespace

std::optional<std::size_t> conversation_that_moved(const Conversations& conversations, End from,
                                                   const captures::IpPacket& packet) {
  for (std::size_t index = 0; index < conversations.size(); ++index)
    if (conversations[index]->goes_on_with(from, packet)) return index;
  return std::nullopt;
}

std::unique_ptr<Conversation> make_conversation(const captures::IpPacket& first,
                                                const SecretStore& secrets) {
  using captures::IpProtocol;
  constexpr std::uint16_t kDnsPort = 53;
  const captures::FiveTuple& tuple = first.tuple;
  if (tuple.protocol == IpProtocol::kTcp) return std::make_unique<TcpConversation>(secrets);
  if (tuple.protocol == IpProtocol::kIcmp || tuple.protocol == IpProtocol::kIcmpv6)
    return std::make_unique<OpaqueConversation>(Protocol::kIcmp);
  if (tuple.protocol != IpProtocol::kUdp)
    return std::make_unique<OpaqueConversation>(Protocol::kOther);
  if (tuple.source_port == kDnsPort || tuple.destination_port == kDnsPort)
    return std::make_unique<DnsConversation>();
  if (looks_like_quic(first.payload)) return std::make_unique<QuicConversation>(secrets);
  if (read_dns(first.payload)) return std::make_unique<DnsConversation>();
  return std::make_unique<OpaqueConversation>(Protocol::kUdp);
}

}  // namespace analysis
