#include "harness/block_servers.hh"

#include "base/errors.hh"
#include "harness/block_lab.hh"
#include "harness/real_endpoint.hh"
#include "harness/server_releases.hh"

#include <algorithm>
#include <format>
#include <set>
#include <utility>

namespace harness {

using nlohmann::json;

BlockServers::BlockServers(const BlockContext& context, const netns::NetworkNamespace& space,
                           EndpointProcess::Keys keys, const base::Clock& clock)
    : context_(context), space_(space), clock_(clock), servers_(context.plan.arms.size()) {
  std::set<std::size_t> used;
  for (const PlannedQuery& query : context_.block.queries)
    used.insert(context_.plan.cells[query.cell].arm);
  for (const std::size_t arm : used) servers_[arm].endpoint = make_endpoint(arm, keys);
  // All start at once and are waited for afterwards.
  for (const std::size_t arm : used) {
    announce(arm, "start");
    of(arm).wait_until_ready(clock_);
  }
}

std::filesystem::path BlockServers::root_of(std::size_t arm) const {
  const auto name = endpoints::parse_server_name(context_.plan.arms[arm].server);
  if (name.release == endpoints::kStable) return {};
  const std::vector<std::string> releases = server_releases(context_.plan);
  const auto found = std::ranges::find(releases, name.release);
  LABRUN_ASSERT(found != releases.end());
  return context_.releases / std::to_string(found - releases.begin());
}

std::unique_ptr<Endpoint> BlockServers::make_endpoint(std::size_t number,
                                                      EndpointProcess::Keys keys) const {
  const PlannedArm& arm = context_.plan.arms[number];
  if (arm.server != kLabServer) {
    // Its version is asked for at once.
    announce(number, "start");
    return std::make_unique<RealEndpoint>(
        arm, space_,
        RealEndpoint::Place{.root = root_of(number),
                            .folder = context_.scratch / std::format("server-{}", number),
                            .logs = context_.results,
                            .number = number});
  }
  return std::make_unique<EndpointProcess>(arm, context_.programs / "labdns", space_.descriptor(),
                                           context_.scratch / std::format("ca-{}.pem", number),
                                           context_.results / std::format("labdns-{}.log", number),
                                           keys);
}

void BlockServers::announce(std::size_t number, const std::string& work) const {
  const PlannedArm& arm = context_.plan.arms[number];
  // Each message costs a system call, and labdns is known not to need it.
  if (arm.server == kLabServer || !context_.doing) return;
  const Endpoint* endpoint = servers_[number].endpoint.get();
  context_.doing(
      {.work = std::format("{} {}{}", work, arm.server, arm.name.empty() ? "" : " of " + arm.name),
       .logs = endpoint == nullptr ? std::vector<std::string>() : endpoint->logs()});
}

std::optional<std::string> BlockServers::revive(std::size_t arm) {
  Server& server = servers_[arm];
  if (!server.given_up.empty()) return server.given_up;
  if (!server.down) {
    std::optional<ServerEnd> end = server.endpoint->poll_end();
    if (!end) return std::nullopt;
    end->how += " between queries";
    ends_.push_back(std::move(*end));
  }
  try {
    server.endpoint->restart(clock_);
    server.down = false;
    return std::nullopt;
  } catch (const base::LabError& error) {
    const PlannedArm& planned = context_.plan.arms[arm];
    server.given_up = std::format("not asked, because the server could not be started again: {}",
                                  base::describe_nested(error));
    ends_.push_back({.arm = planned.name,
                     .program = planned.server,
                     .how = "could not be started again; no more queries were asked of it",
                     .log = server.endpoint->logs().front(),
                     .said = error.what()});
    return server.given_up;
  }
}

std::optional<ServerEnd> BlockServers::end_during(std::size_t arm, const std::string& query) {
  Server& server = servers_[arm];
  std::optional<ServerEnd> end = server.endpoint->poll_end();
  if (!end) return std::nullopt;
  server.down = true;
  end->query = query;
  end->how += " during a query";
  ends_.push_back(*end);
  return end;
}

std::string BlockServers::finish() {
  std::string keylog;
  for (std::size_t arm = 0; arm < servers_.size(); ++arm) {
    if (!has(arm)) continue;
    announce(arm, "end");
    Endpoint::Finish result = of(arm).finish(clock_);
    keylog += result.keylog;
    for (ServerEnd& end : result.ends) ends_.push_back(std::move(end));
  }
  return keylog;
}

json BlockServers::describe() const {
  json endpoints = json::array();
  for (std::size_t arm = 0; arm < servers_.size(); ++arm)
    if (has(arm))
      endpoints.push_back(
          {{"arm", context_.plan.arms[arm].name},
           {"ready", json::parse(servers_[arm].endpoint->ready_facts(), nullptr, false)}});
  return endpoints;
}

}  // namespace harness
