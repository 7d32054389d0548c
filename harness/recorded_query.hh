#pragma once

// A query of a stored run with what became of its packets, and the script that lets the same become
// of them again.

#include "analysis/block_evidence.hh"
#include "analysis/trial.hh"
#include "base/clock.hh"
#include "base/rng.hh"
#include "captures/query_record.hh"
#include "harness/plan.hh"
#include "harness/stored_run.hh"
#include "harness/trial_job.hh"
#include "netns/path_spec.hh"

#include <span>
#include <string>
#include <vector>

namespace harness {

struct RecordedPacket {
  analysis::PacketName name;
  base::Nanoseconds at{0};  // since the query's first packet
  std::string meaning;      // in words
};

struct RecordedQuery {
  captures::QueryRecord record;
  PlannedQuery planned;
  base::Seed kernel_seed = 0;  // of the block's kernel
  FateScript script;
  analysis::LossPattern lost;           // packets that never arrived, or arrived spoilt
  std::vector<RecordedPacket> packets;  // in the order of sending
};

// Reads queries of the run, each id once, in the order of `ids`, from records and captures. Throws
// LabError where they cannot be read.
std::vector<RecordedQuery> read_recorded(const StoredRun& run, std::span<const std::string> ids);

// What a script must do for packets to arrive as they did on this arm, whose path is
// replay_path(arm) meanwhile: by name of the packet, at most one thing for each.
FateScript script_of(std::span<const analysis::SentPacket> packets, const PlannedArm& arm);
// Whether the query is asked again on the arm's own path with the seeds that it had then, instead
// of with its script: netem draws jitter and reordering again, and what a script holds back at the
// gate keeps TCP from sending more, which netem's delay does not.
bool replays_by_seed(const PlannedArm& arm);
// The path for a script, without chance. Where packets of one direction took times that its delay
// and rate do not explain, it is as fast as the arm's can be, and the script delays each packet by
// the rest.
netns::PathSpec replay_path(const PlannedArm& arm);
// Lost packets, and those that arrived spoilt: their receiver dropped them.
analysis::LossPattern losses_of(std::span<const analysis::SentPacket> packets);

// trial_plan() without gates: scripts decide everything.
Plan scripted_plan(const Plan& plan);
// The same on replay_path() or, where replays_by_seed() says so, on the arm's own path.
Plan replay_plan(const Plan& plan);

// Throws BadInput for a run in real time, in which nothing can be asked again the same.
void require_virtual_time(const StoredRun& run, std::string_view command);

}  // namespace harness
