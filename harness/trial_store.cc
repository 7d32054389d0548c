#include "harness/trial_store.hh"

#include "analysis/trial_json.hh"
#include "base/errors.hh"

#include <fcntl.h>
#include <filesystem>
#include <format>
#include <sstream>
#include <utility>

namespace harness {
namespace {

namespace fs = std::filesystem;

std::vector<analysis::Trial> parse_lines(const std::string& text, const fs::path& file) {
  std::vector<analysis::Trial> trials;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    auto trial = analysis::parse_trial(line);
    if (!trial)
      throw base::LabError(
          std::format("read {}, line {}: {}", file.string(), trials.size() + 1, trial.error()));
    trials.push_back(std::move(*trial));
  }
  return trials;
}

std::string whole_lines(const fs::path& file) {
  std::string text = fs::exists(file) ? base::read_file(file) : std::string();
  text.erase(text.rfind('\n') + 1);  // npos + 1 is 0
  return text;
}

}  // namespace

TrialStore::TrialStore(const fs::path& file) {
  const std::string text = whole_lines(file);
  for (analysis::Trial& trial : parse_lines(text, file)) {
    const analysis::LossPattern pattern = trial.pattern;
    known_.insert_or_assign(pattern, std::move(trial));
  }
  if (fs::exists(file)) fs::resize_file(file, text.size());
  file_ = base::FileDescriptor(
      base::check_syscall(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644),
                          "open {}", file.string()));
}

std::optional<analysis::Trial> TrialStore::take(const analysis::LossPattern& pattern) {
  auto node = known_.extract(pattern);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

void TrialStore::add(const analysis::Trial& trial) {
  base::write_all(file_, analysis::to_json_line(trial) + '\n');
}

std::vector<analysis::Trial> read_trials(const fs::path& file) {
  return parse_lines(whole_lines(file), file);
}

}  // namespace harness
