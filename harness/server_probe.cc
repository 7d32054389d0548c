#include "harness/server_probe.hh"

#include "base/errors.hh"
#include "harness/arm_network.hh"

#include <algorithm>
#include <format>
#include <utility>

namespace harness {
namespace {

// Enough to see what happens sometimes; each takes real time.
constexpr int kColdQueries = 3;
constexpr int kOtherQueries = 2;

// A ClientHello with a post-quantum share takes two datagrams, which not every server survives. It
// is probed for itself; the other probes are about something else.
constexpr std::string_view kOneDatagram = "key_exchange: [X25519]";

std::string listed(const std::vector<Transport>& transports) {
  std::string list;
  for (const Transport transport : transports)
    list += std::format("{}{}", list.empty() ? "" : ", ", to_string(transport));
  return list;
}

std::string scenario_text(std::string_view endpoint, const std::vector<Transport>& transports,
                          int queries, std::string_view client, std::string_view vary = "") {
  return std::format(
      "name: servers\nseed: 1\npath: {{ each_way: {{ delay: 20ms }} }}\n"
      "endpoint: {{ server: labdns{} }}\n"
      "client: {{ transports: [{}], queries: {}{} }}\n{}",
      endpoint, listed(transports), queries, client, vary);
}

Probe probe_of(const Settings& settings) {
  if (settings.endpoint.retry == Retry::kAlways) return Probe::kRetry;
  if (settings.client.connection == Connection::kResumed) return Probe::kTicket;
  return settings.client.connection == Connection::kEarlyData ? Probe::kEarlyData : Probe::kCold;
}

// Scenarios become blocks of one plan, whose arms all have addresses of their own.
class ProbePlan {
 public:
  explicit ProbePlan(const std::string& server) : server_(server) {}

  void add(const std::string& text) {
    // A root of somebody's own may be named in overrides only.
    Scenario scenario = parse_scenario(
        text, "labrun servers", {.assignments = {"endpoint.server=" + server_}, .blocks = {}});
    for (Arm& arm : scenario.arms) arm.name = to_string(probe_of(arm.settings));
    Plan part = make_plan(scenario);
    LABRUN_ASSERT(part.blocks.size() == 1);
    const auto first_arm = static_cast<std::uint32_t>(plan().arms.size());
    const auto first_cell = static_cast<std::uint32_t>(plan().cells.size());
    for (const Arm& arm : scenario.arms) {
      const auto ordinal = static_cast<std::uint32_t>(plan().arms.size());
      plan().arms.push_back(plan_arm(arm, ordinal, scenario.transports));
      probes_.of_arm.push_back(probe_of(arm.settings));
    }
    for (PlannedCell& cell : part.cells) {
      cell.arm += first_arm;
      plan().cells.push_back(std::move(cell));
    }
    PlannedBlock block = std::move(part.blocks.front());
    block.index = static_cast<std::uint32_t>(plan().blocks.size());
    for (PlannedQuery& query : block.queries) query.cell += first_cell;
    plan().blocks.push_back(std::move(block));
    plan().scenario = part.scenario;
    plan().seed = part.seed;
    plan().client_addresses = part.client_addresses;
  }

  ServerProbes take() { return std::move(probes_); }

 private:
  Plan& plan() { return probes_.plan; }

  std::string server_;
  ServerProbes probes_;
};

}  // namespace

std::string_view to_string(Probe probe) {
  switch (probe) {
    case Probe::kCold:
      return "cold";
    case Probe::kRetry:
      return "retry";
    case Probe::kTicket:
      return "ticket";
    case Probe::kEarlyData:
      break;
  }
  return "early-data";
}

std::vector<Transport> transports_of(const endpoints::RealServer& server) {
  std::vector<Transport> transports;
  for (const endpoints::ProtocolSpec& known : endpoints::kProtocols) {
    const auto transport = parse_transport(known.name);
    if (transport && std::ranges::contains(server.protocols, known.protocol))
      transports.push_back(*transport);
  }
  return transports;
}

bool takes_early_data(const endpoints::RealServer& server, Transport transport) {
  return std::ranges::any_of(server.early_data, [&](endpoints::Protocol protocol) {
    return std::ranges::any_of(endpoints::kProtocols, [&](const endpoints::ProtocolSpec& known) {
      return known.protocol == protocol && known.name == to_string(transport);
    });
  });
}

ServerProbes probes_of(const std::string& name) {
  const endpoints::RealServer* server = endpoints::find_real_server(name);
  LABRUN_ASSERT(server != nullptr);
  const std::vector<Transport> transports = transports_of(*server);
  ProbePlan plan(name);
  plan.add(scenario_text("", transports, kColdQueries, ""));
  const std::string one_datagram = std::format(", {}", kOneDatagram);
  std::vector<Transport> quic;
  std::ranges::copy_if(transports, std::back_inserter(quic),
                       [](Transport transport) { return facts(transport).quic; });
  if (server->retry && !quic.empty())
    plan.add(scenario_text(", retry: always", quic, kOtherQueries, one_datagram));
  // Where no ticket comes the block ends, so each transport has its own.
  for (const Transport transport : transports) {
    if (!facts(transport).encrypted) continue;
    if (takes_early_data(*server, transport))
      plan.add(scenario_text(", tickets: 1, early_data: accept", {transport}, kOtherQueries,
                             one_datagram, "vary: { client.connection: [resumed, early-data] }\n"));
    else
      plan.add(scenario_text(", tickets: 1", {transport}, kOtherQueries,
                             one_datagram + ", connection: resumed"));
  }
  return plan.take();
}

}  // namespace harness
