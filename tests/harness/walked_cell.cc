#include "tests/harness/walked_cell.hh"

#include "analysis/pattern_walk.hh"

#include <algorithm>
#include <chrono>
#include <ranges>

namespace harness {
namespace {

using namespace std::chrono_literals;
using analysis::End;
using analysis::Trial;

constexpr analysis::PathTimes kTimes{.to_server = 20ms, .to_client = 20ms, .timeout = 2s};
constexpr base::Nanoseconds kWork = 100us;
constexpr std::uint64_t kMostAnswers = 2;

// Adds the end's next packet; whether it passes.
bool send(Trial& trial, End from, base::Nanoseconds at, std::string_view meaning) {
  const auto before =
      std::ranges::count(trial.packets, from, [](const auto& packet) { return packet.name.from; });
  const analysis::PacketName name{.from = from, .ordinal = static_cast<std::uint64_t>(before) + 1};
  const bool dropped = std::ranges::contains(trial.pattern, name);
  trial.packets.push_back({.name = name,
                           .at = at,
                           .bytes = 60,
                           .meaning = std::string(meaning),
                           .signature = std::string(meaning),
                           .dropped = dropped,
                           .completes_answer = meaning == "DNS answer"});
  return !dropped;
}

}  // namespace

Trial lookup(const analysis::LossPattern& pattern) {
  Trial trial;
  trial.pattern = pattern;
  std::uint64_t answers = 0;
  for (const base::Nanoseconds at : {0ms, 1000ms, 1500ms}) {
    if (!send(trial, End::kClient, at, "DNS query") || answers == kMostAnswers) continue;
    ++answers;
    const base::Nanoseconds replied = at + kTimes.to_server + kWork;
    if (!send(trial, End::kServer, replied, "DNS answer")) continue;
    trial.outcome = captures::Outcome::kAnswered;
    trial.time = replied + kTimes.to_client + kWork;
    send(trial, End::kClient, *trial.time + kWork, "thanks");
    break;
  }
  return trial;
}

analysis::LossPattern pattern_of(std::string_view names) {
  analysis::LossPattern pattern;
  for (const auto name : std::views::split(names, ' '))
    pattern.push_back(analysis::parse_packet_name(std::string_view(name)).value());
  return pattern;
}

WalkedCell walked_cell(std::uint32_t max_drops, double loss) {
  WalkedCell walked;
  walked.cell.planned = {.name = "do53", .floor = 40ms};
  walked.cell.times = kTimes;
  walked.cell.rates = {.client = loss, .server = loss};
  walked.cell.lossless = lookup({});
  analysis::PatternWalk walk(
      {.max_drops = max_drops, .times = kTimes},
      {.run = lookup,
       .found =
           [&](const analysis::WalkedTrial& found) {
             walked.trials.push_back(found.trial);
             walked.cell.leaves.push_back(
                 {.pattern = found.trial.pattern,
                  .leaf = {.time = found.trial.time, .counts = analysis::counts_of(found.past)}});
           },
       .fault =
           [&](const analysis::DeterminismFault& fault) {
             walked.cell.faults.push_back(fault.difference);
           }});
  walk.walk();
  return walked;
}

ExactFacts walk_facts() {
  return {.scenario = "exact2pct",
          .seed = "18446744073709551615",
          .kernel = "lab, Linux 7.3.4, 1000 Hz, virtual time",
          .version = "0.1.0 (abc)",
          .reproduce = "labrun exact scenarios/exact2pct.yaml --seed 18446744073709551615",
          .directory = "runs/exact2pct-exact/exact.json",
          .max_drops = 2,
          .runs = 6,
          .real_seconds = 1.5};
}

nlohmann::json fault_of(std::string_view pattern) {
  const auto packet = [](const char* name, std::int64_t at, bool dropped) {
    return nlohmann::json{
        {"packet", name},    {"at_ns", at},
        {"bytes", 60},       {"meaning", name[0] == 'c' ? "DNS query" : "DNS answer"},
        {"signature", name}, {"dropped", dropped}};
  };
  return {{"pattern", pattern},
          {"attempts", 3},
          {"difference", "s1 came 5 ms later"},
          {"parent", {packet("c1", 0, false), packet("s1", 20'100'000, false)}},
          {"child", {packet("c1", 0, true), packet("s1", 25'100'000, false)}}};
}

}  // namespace harness
