#include "harness/gate_keeper.hh"

#include "analysis/wording.hh"
#include "base/errors.hh"

#include <algorithm>
#include <format>
#include <utility>

namespace harness {
namespace {

using analysis::End;
using captures::Verdict;
using netns::GateDecision;

GateDecision::Kind kind_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return GateDecision::Kind::kPass;
    case Verdict::kDrop:
      return GateDecision::Kind::kDrop;
    case Verdict::kDelay:
      return GateDecision::Kind::kDelay;
    case Verdict::kDuplicate:
      return GateDecision::Kind::kDuplicate;
    case Verdict::kReorder:
      return GateDecision::Kind::kReorder;
  }
  return GateDecision::Kind::kPass;
}

}  // namespace

GateKeeper::GateKeeper(const netns::LabNetwork& network, std::function<std::string()> more_keys)
    : more_keys_(std::move(more_keys)),
      secrets_(std::in_place),
      gate_(network, {.judge = [this](const netns::GatePacket& packet) { return judge(packet); },
                      .passed = [this](std::uint64_t number,
                                       base::Instant at) { note_passed(number, at); }}) {}

void GateKeeper::begin(FateSource* fates, Connections connections) {
  if (connections == Connections::kAnew) {
    // Keys of what came before would be taken for this query's.
    more_keys_();
    conversations_.clear();
    by_tuple_.clear();
    secrets_.emplace();
  }
  entries_.clear();
  first_number_ = judged_;
  ordinals_ = {};
  fates_ = fates;
}

// The ends write their keys before they use them, so what an end has written when its packet stands
// at the gate opens the packet.
void GateKeeper::learn_keys(const captures::IpPacket& ip) {
  constexpr std::uint16_t kDnsPort = 53;
  const bool plain = ip.payload.empty() || ip.tuple.source_port == kDnsPort ||
                     ip.tuple.destination_port == kDnsPort;
  if (!plain && !secrets_->has_traffic_secrets()) secrets_->add(more_keys_());
}

std::size_t GateKeeper::conversation_of(End from, const captures::IpPacket& ip) {
  const captures::FiveTuple tuple = from == End::kClient ? ip.tuple : ip.tuple.reversed();
  const auto [found, added] = by_tuple_.emplace(tuple, conversations_.size());
  if (!added) return found->second;
  if (const auto moved = analysis::conversation_that_moved(conversations_, from, ip))
    return found->second = *moved;
  conversations_.push_back(analysis::make_conversation(ip, *secrets_));
  return found->second;
}

GateDecision GateKeeper::judge(const netns::GatePacket& packet) {
  const auto ip = captures::parse_ip_packet(packet.ip);
  if (!ip) throw base::LabError(std::format("read a packet at the gate: {}", ip.error()));
  ++judged_;
  last_activity_ = packet.in;
  Entry entry{.from = packet.direction == netns::Direction::kToServer ? End::kClient : End::kServer,
              .ordinal = 0,
              .in = packet.in,
              .out = {},
              .conversation = 0,
              .packet = {},
              .signature = {},
              .judgement = {}};
  entry.ordinal = ++ordinals_.at(static_cast<std::size_t>(entry.from));
  learn_keys(*ip);
  entry.conversation = conversation_of(entry.from, *ip);
  analysis::Conversation& conversation = *conversations_[entry.conversation];
  entry.packet = conversation.take(entry.from, *ip);
  conversation.describe(entry.from, entry.packet);
  const analysis::PacketMeaning meaning = analysis::meaning_of(entry.packet);
  entry.signature = meaning.signature;
  if (fates_ != nullptr)
    entry.judgement =
        fates_->judge({.from = entry.from, .ordinal = entry.ordinal, .meaning = meaning});
  const GateDecision decision{.kind = kind_of(entry.judgement.verdict),
                              .by = entry.judgement.by,
                              .behind = entry.judgement.behind};
  entries_.push_back(std::move(entry));
  return decision;
}

void GateKeeper::note_passed(std::uint64_t number, base::Instant at) {
  last_activity_ = std::max(last_activity_, at);
  // What was let go late may belong to a query whose log is closed.
  if (number >= first_number_) entries_.at(number - first_number_).out = at;
}

std::vector<GateRecord> GateKeeper::end(base::Instant start, base::Instant now) {
  gate_.release_all(now);
  std::vector<GateRecord> records;
  records.reserve(entries_.size());
  for (Entry& entry : entries_) {
    // Once more: messages in encrypted records are known when the whole record has come.
    conversations_[entry.conversation]->describe(entry.from, entry.packet);
    GateRecord record;
    record.fate.from = to_string(entry.from);
    record.fate.ordinal = entry.ordinal;
    record.fate.bytes = entry.packet.ip_length;
    record.fate.in = entry.in - start;
    if (entry.out) record.fate.out = *entry.out - start;
    record.fate.meaning = analysis::describe_packet(entry.packet, analysis::Details::kShort);
    record.fate.verdict = entry.judgement.verdict;
    record.fate.reason = std::move(entry.judgement.reason);
    record.signature = std::move(entry.signature);
    record.completes_answer = entry.packet.completes_answer();
    records.push_back(std::move(record));
  }
  entries_.clear();
  first_number_ = judged_;
  fates_ = nullptr;
  return records;
}

}  // namespace harness
