#include "harness/fidelity.hh"

#include "analysis/binomial.hh"
#include "analysis/summary.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <format>
#include <variant>

namespace harness {
namespace {

using nlohmann::json;

// A lab whose loss is as configured is called invalid once in 10^9 blocks; a wrong loss model is
// still seen within one.
constexpr double kBlockConfidence = 1 - 1e-9;
// In virtual time a round trip is exact but for the nanoseconds that clock readings cost.
constexpr base::Nanoseconds kVirtualTolerance = std::chrono::microseconds(100);
constexpr base::Nanoseconds kRealTolerance = std::chrono::milliseconds(2);
// More than an echo request or reply takes on an Ethernet wire.
constexpr double kEchoFrameBits = 128 * 8;

base::Nanoseconds serialization_delay(const netns::OneWaySpec& way) {
  if (!way.rate) return base::Nanoseconds(0);
  return base::Nanoseconds(
      std::llround(kEchoFrameBits / static_cast<double>(way.rate->bits_per_second) * 1e9));
}

// The share of packets that independent losses take; empty where a count proves nothing: models
// with memory, and queues that may overflow.
std::optional<base::Probability> independent_loss(const netns::OneWaySpec& way,
                                                  const PlannedArm& arm, analysis::End from) {
  // Of a packet that the gate doubled two copies must be lost.
  const bool doubled = std::ranges::any_of(arm.gate.rules, [&](const GateRule& rule) {
    return rule.verdict == captures::Verdict::kDuplicate && rule.from == from;
  });
  if (doubled || way.limit != 0 || std::holds_alternative<netns::GilbertElliottLoss>(way.loss))
    return std::nullopt;
  const auto* random = std::get_if<netns::RandomLoss>(&way.loss);
  return random == nullptr ? base::Probability() : random->probability;
}

void judge_loss(const std::string& cell, const char* direction,
                const analysis::LossAccount& account, std::vector<std::string>& reasons) {
  if (!account.configured) return;
  const auto region =
      analysis::acceptance_region(account.sent, *account.configured, kBlockConfidence);
  if (!region.contains(account.lost))
    reasons.push_back(std::format("{}, {}: {} of {} packets lost, configured {}", cell, direction,
                                  account.lost, account.sent,
                                  base::to_string(*account.configured)));
}

void judge_calibration(const Plan& plan, const BlockObservation& seen,
                       std::vector<std::string>& reasons) {
  for (const json& calibration : seen.facts.at("calibration")) {
    const auto address = calibration.at("server_address").get<std::string>();
    const auto arm = std::ranges::find(plan.arms, address, &PlannedArm::server_address);
    if (arm == plan.arms.end()) continue;
    const base::Nanoseconds slack =
        serialization_delay(arm->path.to_server) + serialization_delay(arm->path.to_client) +
        (seen.virtual_time ? kVirtualTolerance : kRealTolerance + arm->rtt / 10);
    for (const json& measured : calibration.at("measured_rtt_ns")) {
      if (measured.is_null()) {
        reasons.push_back(std::format("calibration of {}: an echo was lost on a path without loss",
                                      arm->server_address));
        continue;
      }
      const base::Nanoseconds rtt(measured.get<std::int64_t>());
      if (rtt < arm->rtt || rtt > arm->rtt + slack)
        reasons.push_back(std::format("calibration of {}: round trip {} instead of {}",
                                      arm->server_address, base::to_string(rtt),
                                      base::to_string(arm->rtt)));
    }
  }
}

void judge_account(const Plan& plan, const analysis::BlockAccount& account,
                   std::vector<std::string>& reasons) {
  for (const std::string& complaint : account.complaints) reasons.push_back(complaint);
  if (account.unaccounted > account.complaints.size())
    reasons.push_back(std::format("{} packets belong to no query", account.unaccounted));
  if (account.capture_drops > 0)
    reasons.push_back(std::format("the captures missed {} packets", account.capture_drops));
  if (account.truncated > 0)
    reasons.push_back(std::format("the captures cut {} packets short", account.truncated));
  for (const std::string& address : account.foreign_addresses)
    reasons.push_back(
        std::format("a packet names {}, which is not an address of the lab", address));
  if (account.largest_ip_packet > plan.mtu)
    reasons.push_back(std::format("an IP packet of {} bytes on a path with an MTU of {}",
                                  account.largest_ip_packet, plan.mtu));
}

}  // namespace

std::vector<analysis::CellSpec> cell_specs(const Plan& plan) {
  std::vector<analysis::CellSpec> specs;
  for (const PlannedCell& cell : plan.cells) {
    const PlannedArm& arm = plan.arms[cell.arm];
    specs.push_back(
        {.name = cell.name,
         .rtt = arm.rtt,
         .floor = cell.floor,
         .timeout = arm.client.timeout,
         .loss_to_server = independent_loss(arm.path.to_server, arm, analysis::End::kClient),
         .loss_to_client = independent_loss(arm.path.to_client, arm, analysis::End::kServer)});
  }
  return specs;
}

std::vector<std::string> reasons_to_distrust(const Plan& plan, const BlockObservation& seen) {
  std::vector<std::string> reasons;
  judge_calibration(plan, seen, reasons);
  judge_account(plan, seen.account, reasons);
  for (const analysis::CellSummary& cell :
       analysis::summarise(cell_specs(plan), seen.records).cells) {
    judge_loss(cell.spec.name, "client to server", cell.to_server, reasons);
    judge_loss(cell.spec.name, "server to client", cell.to_client, reasons);
  }
  return reasons;
}

}  // namespace harness
