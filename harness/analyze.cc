#include "harness/analyze.hh"

#include "analysis/capture_file.hh"
#include "analysis/finding.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/block_analysis.hh"
#include "harness/capture_report.hh"
#include "harness/packet_json.hh"
#include "harness/run_figures.hh"
#include "harness/scenario_error.hh"
#include "harness/stored_run.hh"

#include <algorithm>
#include <format>
#include <fstream>
#include <iostream>
#include <unistd.h>
#include <vector>

namespace harness {
namespace {

namespace fs = std::filesystem;

// Records go beside the old ones, which they replace when all are there.
class RecordRewriter {
 public:
  RecordRewriter(const fs::path& run_directory, bool rewrite)
      : target_(run_directory / "queries.jsonl"), beside_(run_directory / ".queries.jsonl.new") {
    if (rewrite && ::access(run_directory.c_str(), W_OK) == 0)
      stream_.open(beside_, std::ios::trunc);
  }
  ~RecordRewriter() {
    std::error_code gone;
    if (writes()) fs::remove(beside_, gone);
  }
  RecordRewriter(const RecordRewriter&) = delete;
  RecordRewriter& operator=(const RecordRewriter&) = delete;

  bool writes() const { return stream_.is_open(); }
  void add(const std::vector<captures::QueryRecord>& records) {
    if (writes()) stream_ << to_lines(records);
  }
  void finish() {
    if (!writes()) return;
    stream_.flush();
    if (!stream_) throw base::LabError(std::format("write {}: no space?", beside_.string()));
    fs::rename(beside_, target_);
  }

 private:
  fs::path target_;
  fs::path beside_;
  std::ofstream stream_;
};

int analyze_run(const CommandLine& command) {
  if (command.packets || command.keylog)
    throw BadInput(
        std::format("labrun: {} is a run directory; --packets and --keylog are for "
                    "capture files, such as {}/captures/0-client.pcapng",
                    command.target.string(), command.target.string()));
  const StoredRun run(command.target);
  RunFigures figures(run.plan());
  RecordReader reader(run);
  // What a stopped run left is read, not rewritten: it may be all there is.
  RecordRewriter rewriter(run.path(), run.complete());
  for (auto records = reader.next_block(); !records.empty(); records = reader.next_block()) {
    const auto block = static_cast<std::uint32_t>(records.front().block);
    const BlockAnalysis analysed =
        analyse_block(run.plan(), run.kernel(), run.captures(), block, records);
    if (run.is_valid_block(block)) figures.add(records, analysed.findings);
    rewriter.add(records);
  }
  rewriter.finish();
  if (rewriter.writes()) {
    figures.write(run.path());
  } else if (run.complete()) {
    std::cerr << std::format("labrun: {} cannot be written to: nothing in it is changed\n",
                             run.path().string());
  } else {
    std::cerr << std::format(
        "labrun: the run in {} is incomplete: these are its finished blocks; "
        "nothing in it is changed\n",
        run.path().string());
  }
  return report_figures(figures, run.plan(), run.facts(), table_colors(command.color),
                        run.valid() && run.complete());
}

void print_packets(const analysis::CaptureFile& capture) {
  std::vector<const analysis::PacketEvent*> events;
  for (const auto& conversation : capture.conversations)
    for (const analysis::PacketEvent& event : conversation.exchange.events)
      events.push_back(&event);
  std::ranges::sort(events, {}, [](const analysis::PacketEvent* event) { return event->number; });
  for (const analysis::PacketEvent* event : events) std::cout << to_json_line(*event) << '\n';
}

int analyze_capture(const CommandLine& command) {
  std::ifstream stream(command.target, std::ios::binary);
  if (!stream)
    throw BadInput(
        std::format("labrun: read {}: it is neither a run directory nor a file that can "
                    "be read",
                    command.target.string()));
  std::string keylog;
  if (command.keylog) {
    try {
      keylog = base::read_file(*command.keylog);
    } catch (const base::SystemError& error) {
      throw BadInput(std::format("labrun: {}", error.what()));
    }
  }
  const analysis::CaptureFile capture = analysis::read_capture(stream, keylog);
  if (command.keylog && capture.secrets == 0)
    std::cerr << std::format("labrun: {} holds no TLS secret\n", command.keylog->string());
  if (command.packets) {
    print_packets(capture);
  } else if (capture.packets > 0 || capture.broken.empty()) {
    std::cout << render_capture(command.target, capture, table_colors(command.color));
  }
  if (capture.broken.empty()) return base::kExitSuccess;
  std::cerr << std::format("labrun: {}: {}{}\n", command.target.string(), capture.broken,
                           capture.packets > 0 ? "; what came before it is shown" : "");
  return base::kExitBadInput;
}

}  // namespace

int analyze(const CommandLine& command) {
  return fs::is_directory(command.target) ? analyze_run(command) : analyze_capture(command);
}

}  // namespace harness
