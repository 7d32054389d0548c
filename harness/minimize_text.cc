#include "harness/minimize_text.hh"

#include "harness/packet_words.hh"
#include "harness/replay_text.hh"
#include "harness/table_text.hh"

#include <algorithm>
#include <chrono>
#include <format>

namespace harness {
namespace {

using analysis::LossPattern;
using analysis::Trial;

std::string count_of(std::size_t packets) {
  return std::format("{} packet{}", packets, packets == 1 ? "" : "s");
}

// "1 of them is enough", "all of them are needed".
std::string share_text(std::size_t needed, std::size_t all) {
  if (needed == 0) return "it is as slow without losses";
  if (needed == all) return all == 1 ? "it is needed" : "all of them are needed";
  return std::format("{} of them {} enough", needed, needed == 1 ? "is" : "are");
}

std::string meaning_of(const Trial& trial, analysis::PacketName name) {
  const auto packet = std::ranges::find(trial.packets, name, &analysis::TrialPacket::name);
  return packet == trial.packets.end() ? "" : packet->meaning;
}

std::string ending_text(const Trial& trial, const Trial& lossless) {
  const std::string usual = end_text(lossless.outcome, lossless.time);
  if (trial.time)
    return std::format("answered after {} instead of {}", end_text(trial.outcome, trial.time),
                       usual);
  return std::format("{} instead of an answer after {}", end_text(trial.outcome, trial.time),
                     usual);
}

// One packet with its meaning in a line, or the set, then a line for each.
std::string set_text(const Trial& trial, const Trial& lossless) {
  const LossPattern& pattern = trial.pattern;
  const std::string ending = ending_text(trial, lossless);
  if (pattern.empty()) return std::format("  {}\n", ending);
  const std::string set = set_in_words(pattern);
  if (pattern.size() == 1)
    return std::format("  {}: {}\n  {}\n", set, meaning_of(trial, pattern.front()), ending);
  std::string text = std::format("  {}:\n", set);
  for (const analysis::PacketName name : pattern)
    text += std::format("    {}: {}\n", in_words(name), meaning_of(trial, name));
  return text + std::format("  {}\n", ending);
}

std::string certainty_text(const MinimalSet& minimal) {
  if (minimal.smallest) return "no smaller set does it";
  if (minimal.one_minimal) return "none of these can be spared, but fewer others might do it";
  return "the search ended there, and a smaller set might do it";
}

}  // namespace

std::string render_minimal(const captures::QueryRecord& record, const Minimising& found,
                           base::Nanoseconds real_time) {
  const std::size_t lost = found.full.pattern.size();
  const MinimalSet& minimal = *found.minimal;
  return std::format("{}: {} with {} lost; {}\n{}{} trials in {:.1f} s; {}\n", record.id,
                     end_text(record.outcome, record.time), count_of(lost),
                     share_text(minimal.trial.pattern.size(), lost),
                     set_text(minimal.trial, found.lossless), found.trials,
                     std::chrono::duration<double>(real_time).count(), certainty_text(minimal));
}

std::string render_not_slow(const captures::QueryRecord& record, const Minimising& found,
                            const std::optional<base::Nanoseconds>& slow) {
  const std::string wanted =
      slow ? std::format("{} ms or longer", in_milliseconds(*slow)) : std::string("no answer");
  return std::format(
      "{}: {} in the run; asked again with the same {} lost it ended with {}, and slow is {}: "
      "nothing to search in\n",
      record.id, end_text(record.outcome, record.time), count_of(found.full.pattern.size()),
      end_text(found.full.outcome, found.full.time), wanted);
}

}  // namespace harness
