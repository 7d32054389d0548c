#include "harness/block_run.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "base/version.hh"
#include "captures/block_capture.hh"
#include "captures/packet_fate.hh"
#include "harness/gate_tally.hh"
#include "harness/rule_counter.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <format>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace harness {
namespace {

// Every message costs a system call in the lab kernel; a person sees no difference.
constexpr std::uint32_t kQueriesPerMessage = 5;

bool has_gate(const Plan& plan) {
  return std::ranges::any_of(plan.arms, [](const PlannedArm& arm) { return arm.gate.on; });
}

// The scenario's rules, for one query.
class RuledFates : public FateSource {
 public:
  explicit RuledFates(std::span<const GateRule> rules) : matcher_(rules) {}

  Judgement judge(const JudgedPacket& packet) override {
    const GateRule* rule = matcher_.judge(packet.from, packet.ordinal, packet.meaning);
    if (rule == nullptr) return {};
    return {.verdict = rule->verdict, .by = rule->by, .behind = rule->behind, .reason = rule->text};
  }
  std::span<const std::uint64_t> matches() const { return matcher_.matches(); }

 private:
  RuleMatcher matcher_;
};

// One block while it is measured.
class BlockRun {
 public:
  BlockRun(const BlockContext& context, const BlockMessages& messages)
      : context_(context),
        messages_(messages),
        gate_(has_gate(context.plan)),
        lab_(context, {.captures = true, .gate = gate_}),
        tally_(context.plan) {}

  void measure() {
    for (const PlannedQuery& query : context_.block.queries) {
      ask(query);
      const auto done = static_cast<std::uint32_t>(records_.size());
      if (done % kQueriesPerMessage == 0 || done == context_.block.queries.size())
        messages_.progress(done, lab_.elapsed());
    }
    lab_.close();
  }

  void write_results() {
    nlohmann::json facts = lab_.describe();
    facts["block"] = context_.block.index;
    facts["seed"] = std::to_string(context_.block.seed);
    facts["queries"] = records_.size();
    if (gate_) facts["gate"]["rules"] = tally_.to_json();
    captures::write_block_captures(
        context_.results, context_.block.index,
        {.application = std::format("labrun {}", base::kVersion),
         .comment = std::format("{}, block {}, seed {}", context_.plan.scenario,
                                context_.block.index, context_.block.seed),
         .client = lab_.client_evidence(),
         .server = lab_.server_evidence(),
         .records = records_,
         .server_keylog = lab_.server_keylog()});
    std::string lines;
    for (const captures::QueryRecord& record : records_)
      lines += captures::to_json_line(record) + "\n";
    base::write_file_atomically(context_.results / kRecordsFile, lines);
    if (gate_) base::write_file_atomically(context_.results / kPacketFatesFile, fates_);
    base::write_file_atomically(context_.results / kFactsFile, facts.dump(1) + "\n");
  }

 private:
  void ask(const PlannedQuery& query) {
    const std::uint32_t arm = context_.plan.cells[query.cell].arm;
    RuledFates fates(context_.plan.arms[arm].gate.rules);
    captures::QueryRecord record = lab_.ask(query, &fates);
    if (gate_) tally_.add(arm, fates.matches());
    for (GateRecord& judged : lab_.take_gate_records()) {
      judged.fate.query = query.id;
      fates_ += to_json_line(judged.fate) + "\n";
      if (judged.fate.verdict == captures::Verdict::kDrop)
        record.lost.push_back(
            {.from = judged.fate.from, .ordinal = judged.fate.ordinal, .by = "gate"});
    }
    records_.push_back(std::move(record));
  }

  const BlockContext& context_;
  const BlockMessages& messages_;
  bool gate_;
  BlockLab lab_;
  GateTally tally_;
  std::string fates_;  // lines of the fate log
  std::vector<captures::QueryRecord> records_;
};

}  // namespace

void run_block(const BlockContext& context, const BlockMessages& messages) {
  BlockRun run(context, messages);
  run.measure();
  run.write_results();
}

}  // namespace harness
