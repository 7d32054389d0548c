// Whatever lines a run directory holds where fates, trials and a block's job are expected: they are
// refused with a text, or mean something that is written down again and read back unchanged. Built
// with libFuzzer.

#include "analysis/trial_json.hh"
#include "base/errors.hh"
#include "captures/packet_fate.hh"
#include "harness/trial_job.hh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace {

void read_fate(std::string_view line) {
  const auto fate = captures::parse_packet_fate(line);
  if (!fate) return LABRUN_ASSERT(!fate.error().empty());
  LABRUN_ASSERT(fate->ordinal > 0);
  LABRUN_ASSERT(captures::parse_packet_fate(to_json_line(*fate)) == fate);
}

void read_trial(std::string_view line) {
  const auto trial = analysis::parse_trial(line);
  if (!trial) return LABRUN_ASSERT(!trial.error().empty());
  LABRUN_ASSERT(trial->time.has_value() == (trial->outcome == captures::Outcome::kAnswered));
  LABRUN_ASSERT(std::ranges::adjacent_find(trial->pattern, std::greater_equal()) ==
                trial->pattern.end());
  LABRUN_ASSERT(analysis::parse_trial(to_json_line(*trial)) == trial);
}

void read_job(std::string_view text) {
  harness::TrialJob job;
  try {
    job = harness::parse_trial_job(text);
  } catch (const base::LabError&) {
    return;
  }
  LABRUN_ASSERT(job.share < job.shares);
  LABRUN_ASSERT(harness::parse_trial_job(to_json(job)) == job);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  read_fate(line);
  read_trial(line);
  read_job(line);
  return 0;
}
