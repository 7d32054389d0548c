#include "harness/trial_runner.hh"

#include "base/errors.hh"

#include <algorithm>
#include <format>
#include <map>
#include <utility>

namespace harness {
namespace {

using analysis::End;
using analysis::PacketName;

class ScriptedFates : public FateSource {
 public:
  explicit ScriptedFates(const FateScript& script) {
    for (const Intervention& one : script) by_packet_[one.packet] = &one;
  }

  Judgement judge(const JudgedPacket& packet) override {
    const auto found = by_packet_.find({.from = packet.from, .ordinal = packet.ordinal});
    if (found == by_packet_.end()) return {};
    return {.verdict = found->second->verdict,
            .by = found->second->by,
            .behind = 0,
            .reason = std::format("scripted {}", to_string(found->first))};
  }

 private:
  std::map<PacketName, const Intervention*> by_packet_;
};

}  // namespace

FateScript drops(const analysis::LossPattern& pattern) {
  FateScript script;
  for (const PacketName name : pattern)
    script.push_back({.packet = name, .verdict = captures::Verdict::kDrop});
  return script;
}

analysis::Trial TrialRunner::run(const PlannedQuery& query, const FateScript& script) {
  PlannedQuery asked = query;
  constexpr std::size_t kMostPorts = 2;  // of one query
  // Ports repeat after many queries, when the connections that had them are long forgotten.
  asked.local_port =
      static_cast<std::uint16_t>(kFirstLocalPort + (kMostPorts * count_++) % kMaxBlockPorts);
  ScriptedFates fates(script);
  const captures::QueryRecord record = lab_.ask(asked, &fates);
  // What follows from a pattern of losses cannot be said of a server that was not itself.
  if (!lab_.trouble().empty())
    throw base::LabError(std::format("ask {}: {}", asked.id, lab_.trouble()));
  analysis::Trial trial;
  for (const Intervention& one : script) trial.pattern.push_back(one.packet);
  std::ranges::sort(trial.pattern);
  trial.outcome = record.outcome;
  trial.time = record.time;
  for (GateRecord& judged : lab_.take_gate_records())
    trial.packets.push_back(
        {.name = {.from = judged.fate.from == to_string(End::kClient) ? End::kClient : End::kServer,
                  .ordinal = judged.fate.ordinal},
         .at = judged.fate.in,
         .bytes = judged.fate.bytes,
         .meaning = std::move(judged.fate.meaning),
         .signature = std::move(judged.signature),
         .dropped = judged.fate.verdict == captures::Verdict::kDrop,
         .completes_answer = judged.completes_answer});
  return trial;
}

}  // namespace harness
