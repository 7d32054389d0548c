#pragma once

// One 5-tuple's packets, decoded one after the other.

#include "analysis/decoded_packet.hh"
#include "analysis/end.hh"
#include "analysis/secret_store.hh"
#include "analysis/tls_handshake.hh"
#include "captures/ip_packet.hh"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace analysis {

// What a conversation turned out to be.
struct ConversationFacts {
  std::string protocol;  // "DNS over UDP", "QUIC", "TLS over TCP", "TCP", "UDP"
  std::uint32_t quic_version = 0;
  HandshakeFacts handshake;
  std::uint64_t undecrypted = 0;  // QUIC packets and TLS records that could not be opened
  std::string sight_ends;         // why, in words; empty where everything could be read
};

// Packets are given in the order in which their ends sent them, so that nothing is missing where
// the capture of the sender is at hand. A capture from elsewhere may have holes; what lies behind
// one is read as far as that is possible.
class Conversation {
 public:
  virtual ~Conversation() = default;

  virtual DecodedPacket take(End from, const captures::IpPacket& packet) = 0;
  // Fills `messages`. Messages are known once their first bytes have been taken, those inside
  // encrypted records once the whole record has; so ask when everything was taken, where one can.
  virtual void describe(End from, DecodedPacket& packet) const = 0;
  virtual ConversationFacts facts() const = 0;
  // Whether this packet begins another connection on the same 5-tuple, which clients use again.
  virtual bool begins_another(End /*from*/, const captures::IpPacket& /*packet*/) const {
    return false;
  }
  // Whether this packet, which has another 5-tuple, is of this connection, as after a migration.
  virtual bool goes_on_with(End /*from*/, const captures::IpPacket& /*packet*/) const {
    return false;
  }
};

using Conversations = std::vector<std::unique_ptr<Conversation>>;
// Of a packet on a 5-tuple that was not seen before: the one that goes on there.
std::optional<std::size_t> conversation_that_moved(const Conversations& conversations, End from,
                                                   const captures::IpPacket& packet);

// Chooses by the flow's first packet. `secrets` must outlive the conversation, and holds what will
// ever be known of its keys.
std::unique_ptr<Conversation> make_conversation(const captures::IpPacket& first,
                                                const SecretStore& secrets);

}  // namespace analysis
