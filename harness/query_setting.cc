#include "harness/query_setting.hh"

#include "base/errors.hh"

#include <algorithm>
#include <format>

namespace harness {
namespace {

// The value behind an option of labdns; empty where it is not given.
std::string_view option(const std::vector<std::string>& arguments, std::string_view name) {
  const auto found = std::ranges::find(arguments, name);
  if (found == arguments.end() || std::next(found) == arguments.end()) return {};
  return *std::next(found);
}

}  // namespace

analysis::SettingOf settings_of(const Plan& plan, KernelKind kernel) {
  return [&plan, kernel](const captures::QueryRecord& record) {
    const auto cell = std::ranges::find(plan.cells, record.cell, &PlannedCell::name);
    if (cell == plan.cells.end())
      throw base::LabError(
          std::format("explain query {}: the plan has no cell {}", record.id, record.cell));
    const PlannedArm& arm = plan.arms.at(cell->arm);
    return analysis::QuerySetting{
        .delay_to_server = arm.path.to_server.delay - arm.path.to_server.jitter,
        .delay_to_client = arm.path.to_client.delay - arm.path.to_client.jitter,
        .client_timeout = arm.client.timeout,
        .work_is_free = kernel == KernelKind::kLab,
        .retry_always = option(arm.server_arguments, "--retry") == "always"};
  };
}

}  // namespace harness
