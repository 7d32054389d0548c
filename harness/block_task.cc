#include "harness/block_task.hh"

#include "base/errors.hh"
#include "harness/block_run.hh"
#include "harness/trial_block.hh"

#include <format>

namespace harness {

std::string block_folder(std::uint32_t index) {
  return std::format("blocks/{}", block_name(index));
}

void run_block_task(BlockContext context, const BlockMessages& messages) {
  context.doing = [&messages](const BlockWork& work) { messages.doing(work); };
  base::with_context(std::format("block {}", context.block.index), [&] {
    if (has_trial_job(context)) return run_trial_block(context, messages);
    run_block(context, messages);
  });
}

}  // namespace harness
