// Whatever a scenario file holds, it is read or refused with a text, and what was read can be
// planned. Built with libFuzzer.

#include "base/errors.hh"
#include "harness/plan.hh"
#include "harness/scenario.hh"
#include "harness/scenario_error.hh"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Few queries, so that the time goes into reading.
  const harness::Overrides few{.assignments = {"client.queries=1"}, .blocks = {}};
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const harness::Scenario scenario = harness::parse_scenario(text, "fuzz", few);
    const harness::Plan plan = harness::make_plan(scenario);
    LABRUN_ASSERT(!plan.cells.empty() && !plan.blocks.empty());
  } catch (const harness::ScenarioError& error) {
    LABRUN_ASSERT(!error.mistakes().empty());
  }
  return 0;
}
