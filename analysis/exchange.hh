#pragma once

// All packets of one query, as both ends saw them.

#include "analysis/conversation.hh"
#include "analysis/decoded_packet.hh"
#include "analysis/end.hh"
#include "base/clock.hh"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace analysis {

// One IP packet on its way. Times are the captures' (both ends read one clock).
struct PacketEvent {
  End from = End::kClient;
  std::int64_t sent_ns = 0;
  std::optional<std::int64_t> arrived_ns;  // empty where it was lost
  std::size_t number = 0;                  // in the sender's capture, from 1
  std::size_t arrival_number = 0;          // in the receiver's; 0 where it was lost
  std::uint64_t ordinal = 0;               // among the packets that this end sent for the query
  std::uint64_t extra_copies = 0;
  bool corrupted = false;
  std::size_t conversation = 0;  // in Exchange::conversations
  DecodedPacket packet;

  bool lost() const { return !arrived_ns; }
  // Arrived with its contents; a corrupted packet is dropped by its receiver's checksum.
  bool useful() const { return arrived_ns && !corrupted; }
};

struct Exchange {
  std::vector<PacketEvent> events;  // in the order of sending
  // What came before the query on connections that it goes on with: no part of it, but what their
  // ends know of the path is from there. In the order of sending.
  std::vector<PacketEvent> earlier;
  std::vector<ConversationFacts> conversations;
  // Shortest time that the path takes, for each end's packets.
  base::Nanoseconds delay_from_client{0};
  base::Nanoseconds delay_from_server{0};
  // What an end takes for the round-trip time before it has measured one (RFC 9002 section 6.2.2).
  base::Nanoseconds client_initial_rtt{333'000'000};
  base::Nanoseconds server_initial_rtt{333'000'000};

  // After which the client gives up, counted from its first packet; empty where it is not known.
  std::optional<base::Nanoseconds> client_timeout;
  // In virtual time work takes none: a program that waits then waits for something.
  bool work_is_free = false;

  // Both, in the order of sending.
  std::vector<const PacketEvent*> all_events() const;
  base::Nanoseconds delay_from(End end) const {
    return end == End::kClient ? delay_from_client : delay_from_server;
  }
  base::Nanoseconds initial_rtt(End end) const {
    return end == End::kClient ? client_initial_rtt : server_initial_rtt;
  }
};

// When the client stops waiting, on the captures' clock; the end of time where that is not known.
std::int64_t deadline_of(const Exchange& exchange);

struct SentPacket;

// Decodes a query's packets in the order in which they were sent. The delays and initial estimates
// stay at their defaults.
Exchange make_exchange(std::vector<SentPacket> packets, const SecretStore& secrets);

}  // namespace analysis
