#pragma once

// Stands at the packet gate: knows for each packet its query, its number and what it means, has its
// fate decided, and keeps the log.

#include "analysis/conversation.hh"
#include "analysis/decoded_packet.hh"
#include "analysis/end.hh"
#include "analysis/packet_meaning.hh"
#include "analysis/secret_store.hh"
#include "base/clock.hh"
#include "captures/ip_packet.hh"
#include "captures/packet_fate.hh"
#include "netns/packet_gate.hh"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace harness {

// A packet that waits for its verdict.
struct JudgedPacket {
  analysis::End from = analysis::End::kClient;
  std::uint64_t ordinal = 0;  // from 1, among this end's packets of the query
  const analysis::PacketMeaning& meaning;
};

struct Judgement {
  captures::Verdict verdict = captures::Verdict::kPass;
  base::Nanoseconds by{0};   // of kDelay
  std::uint32_t behind = 0;  // of kReorder
  std::string reason;        // for the log; empty for what simply passes
};

// Decides the fates of one query's packets.
class FateSource {
 public:
  virtual ~FateSource() = default;
  virtual Judgement judge(const JudgedPacket& packet) = 0;
};

// One packet of the log.
struct GateRecord {
  captures::PacketFate fate;  // without its query; times since the query's start
  std::string signature;      // PacketMeaning::signature, as it was known at the gate
  bool completes_answer = false;
};

class GateKeeper {
 public:
  // `more_keys` gives the key log lines that either end has written since it was asked last. Throws
  // as netns::PacketGate does.
  GateKeeper(const netns::LabNetwork& network, std::function<std::string()> more_keys);
  GateKeeper(const GateKeeper&) = delete;
  GateKeeper& operator=(const GateKeeper&) = delete;

  netns::PacketGate& gate() { return gate_; }

  // Packets belong to a new query from here on. `fates` must outlive it; null lets everything pass.
  // kGoOn: its connection is one of those that the packets before belonged to.
  enum class Connections { kAnew, kGoOn };
  void begin(FateSource* fates, Connections connections);
  // The query's packets in the order of judging; what is still held is let go first. `start` is
  // when the query began.
  std::vector<GateRecord> end(base::Instant start, base::Instant now);
  // When the last packet was judged or let go; the origin of time before the first.
  base::Instant last_activity() const { return last_activity_; }

 private:
  struct Entry {
    analysis::End from = analysis::End::kClient;
    std::uint64_t ordinal = 0;
    base::Instant in;
    std::optional<base::Instant> out;
    std::size_t conversation = 0;
    analysis::DecodedPacket packet;
    std::string signature;
    Judgement judgement;
  };

  netns::GateDecision judge(const netns::GatePacket& packet);
  void note_passed(std::uint64_t number, base::Instant at);
  std::size_t conversation_of(analysis::End from, const captures::IpPacket& ip);
  void learn_keys(const captures::IpPacket& ip);

  std::function<std::string()> more_keys_;
  FateSource* fates_ = nullptr;
  std::optional<analysis::SecretStore> secrets_;
  std::map<captures::FiveTuple, std::size_t> by_tuple_;  // of packets from the client
  analysis::Conversations conversations_;
  std::vector<Entry> entries_;
  std::uint64_t first_number_ = 0;  // the gate's number of entries_[0]
  std::uint64_t judged_ = 0;
  std::array<std::uint64_t, 2> ordinals_{};
  base::Instant last_activity_;
  netns::PacketGate gate_;  // last: it calls back into the others
};

}  // namespace harness
