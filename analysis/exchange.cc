#include "analysis/exchange.hh"

#include "analysis/block_evidence.hh"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace analysis {
namespace {

std::int64_t sent_ns(const SentPacket& sent) {
  return sent.packet->captured.timestamp_ns;
}

// Whether `later` had arrived, by the capture of the other one's sender, before that one was sent.
bool came_first(const SentPacket& later, const SentPacket& earlier) {
  return later.from != earlier.from && later.arrival_number != 0 &&
         later.arrival_number < earlier.packet->number;
}

// In the order of sending. What leaves in the same instant, as on a path without delay, is ordered
// by what the captures saw first.
void sort_by_sending(std::vector<SentPacket>& packets) {
  std::ranges::stable_sort(packets, {}, sent_ns);
  for (std::size_t index = 1; index < packets.size(); ++index)
    for (std::size_t at = index; at > 0 && sent_ns(packets[at]) == sent_ns(packets[at - 1]) &&
                                 came_first(packets[at], packets[at - 1]);
         --at)
      std::swap(packets[at], packets[at - 1]);
}

// The packets of one query as they are decoded.
class ExchangeBuilder {
 public:
  explicit ExchangeBuilder(const SecretStore& secrets) : secrets_(secrets) {}

  Exchange build(std::vector<SentPacket> packets) {
    sort_by_sending(packets);
    for (const SentPacket& sent : packets) add(sent);
    for (auto* events : {&exchange_.earlier, &exchange_.events})
      for (PacketEvent& event : *events)
        conversations_[event.conversation]->describe(event.from, event.packet);
    for (const auto& conversation : conversations_)
      exchange_.conversations.push_back(conversation->facts());
    return std::move(exchange_);
  }

 private:
  void add(const SentPacket& sent) {
    const captures::IpPacket& ip = *sent.packet->parsed;
    const std::size_t conversation = conversation_of(sent.from, ip);
    PacketEvent event{.from = sent.from,
                      .sent_ns = sent.packet->captured.timestamp_ns,
                      .arrived_ns = {},
                      .number = sent.packet->number,
                      .arrival_number = sent.arrival_number,
                      .ordinal = sent.ordinal,
                      .extra_copies = sent.fate.extra_copies,
                      .corrupted = sent.fate.corrupted,
                      .conversation = conversation,
                      .packet = conversations_[conversation]->take(sent.from, ip)};
    if (sent.fate.delay) event.arrived_ns = event.sent_ns + sent.fate.delay->count();
    (sent.earlier ? exchange_.earlier : exchange_.events).push_back(std::move(event));
  }

  std::size_t conversation_of(End from, const captures::IpPacket& ip) {
    const captures::FiveTuple tuple = from == End::kClient ? ip.tuple : ip.tuple.reversed();
    const auto [found, added] = by_tuple_.emplace(tuple, conversations_.size());
    if (!added) return found->second;
    if (const auto moved = conversation_that_moved(conversations_, from, ip))
      return found->second = *moved;
    conversations_.push_back(make_conversation(ip, secrets_));
    return found->second;
  }

  const SecretStore& secrets_;
  std::map<captures::FiveTuple, std::size_t> by_tuple_;  // of packets from the client
  Conversations conversations_;
  Exchange exchange_;
};

}  // namespace

std::vector<const PacketEvent*> Exchange::all_events() const {
  std::vector<const PacketEvent*> all;
  all.reserve(earlier.size() + events.size());
  for (const auto* part : {&earlier, &events})
    for (const PacketEvent& event : *part) all.push_back(&event);
  return all;
}

std::int64_t deadline_of(const Exchange& exchange) {
  if (!exchange.client_timeout || exchange.events.empty())
    return std::numeric_limits<std::int64_t>::max();
  return exchange.events.front().sent_ns + exchange.client_timeout->count();
}

Exchange make_exchange(std::vector<SentPacket> packets, const SecretStore& secrets) {
  return ExchangeBuilder(secrets).build(std::move(packets));
}

}  // namespace analysis
