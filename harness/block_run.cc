#include "harness/block_run.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "base/version.hh"
#include "captures/block_capture.hh"
#include "captures/packet_fate.hh"

#include <nlohmann/json.hpp>

#include <format>
#include <vector>

namespace harness {
namespace {

// Every message costs a system call in the lab kernel; a person sees no difference.
constexpr std::uint32_t kQueriesPerMessage = 5;

// One block while it is measured.
class BlockRun {
 public:
  BlockRun(const BlockContext& context, const BlockMessages& messages)
      : context_(context), messages_(messages), lab_(context, {}) {}

  void measure() {
    for (const PlannedQuery& query : context_.block.queries) {
      records_.push_back(lab_.ask(query, nullptr));
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
    base::write_file_atomically(context_.results / kFactsFile, facts.dump(1) + "\n");
  }

 private:
  const BlockContext& context_;
  const BlockMessages& messages_;
  BlockLab lab_;
  std::vector<captures::QueryRecord> records_;
};

}  // namespace

void run_block(const BlockContext& context, const BlockMessages& messages) {
  BlockRun run(context, messages);
  run.measure();
  run.write_results();
}

}  // namespace harness
