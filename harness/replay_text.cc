#include "harness/replay_text.hh"

#include "harness/packet_words.hh"

#include <algorithm>
#include <format>
#include <string_view>
#include <utility>

namespace harness {
namespace {

using analysis::Trial;
using analysis::TrialPacket;
using base::Nanoseconds;
using captures::Verdict;

std::string milliseconds(Nanoseconds time) {
  return in_milliseconds(time) + " ms";
}

// Which packets met which fate: "client 3, server 1 lost" without the last word, for it is the
// heading; other fates are counted.
std::string fates_text(const RecordedQuery& query) {
  std::string text = numbers_in_words(query.lost);
  for (const auto& [verdict, word] :
       {std::pair(Verdict::kDelay, "later"), std::pair(Verdict::kDuplicate, "twice")}) {
    const auto count = std::ranges::count(query.script, verdict, &Intervention::verdict);
    if (count > 0) text += std::format("; {} {}", count, word);
  }
  return text;
}

std::string difference_text(const captures::QueryRecord& record, const Trial& trial) {
  if (!record.time || !trial.time) return "";
  return std::format("{:+.3f} ms",
                     std::chrono::duration<double, std::milli>(*trial.time - *record.time).count());
}

// Between the fastest and the slowest of the answers; empty where none or one was there.
std::string spread_text(const std::vector<Trial>& trials) {
  std::vector<Nanoseconds> times;
  for (const Trial& trial : trials)
    if (trial.time) times.push_back(*trial.time);
  if (times.size() < 2) return "";
  const auto [fastest, slowest] = std::ranges::minmax(times);
  return std::format("{:.3f} ms",
                     std::chrono::duration<double, std::milli>(slowest - fastest).count());
}

using Row = std::vector<std::string>;

Row row_of(const Replay& replay, bool repeated) {
  const captures::QueryRecord& record = replay.query.record;
  const Trial& farthest = replay.farthest();
  Row row{record.id, fates_text(replay.query), end_text(record.outcome, record.time),
          end_text(farthest.outcome, farthest.time), difference_text(record, farthest)};
  if (repeated) row.push_back(spread_text(replay.trials));
  return row;
}

std::string line_of(const Row& row, const std::vector<std::size_t>& widths) {
  constexpr std::size_t kWords = 2;  // columns of words, those behind them are figures
  std::string line;
  for (std::size_t column = 0; column < row.size(); ++column) {
    if (column > 0) line += "  ";
    const std::string room(widths[column] - row[column].size(), ' ');
    line += column < kWords ? row[column] + room : room + row[column];
  }
  return line;
}

std::string verdict_text(const Replay& replay) {
  if (replay.is_same()) return "same";
  if (replay.trials.size() == 1) return "DIFFERS";
  const auto same = std::ranges::count_if(replay.trials, [&](const Trial& trial) {
    return Replay::is_same(replay.query.record, trial);
  });
  return std::format("DIFFERS {} of {} times",
                     replay.trials.size() - static_cast<std::size_t>(same), replay.trials.size());
}

// The gate's eyes open later than those of the captures, which end with all keys.
bool differ(std::string_view one, std::string_view other) {
  constexpr std::string_view kUnread = "encrypted";
  return one != other && !one.contains(kUnread) && !other.contains(kUnread);
}

}  // namespace

bool Replay::is_same(const captures::QueryRecord& record, const Trial& trial) {
  if (record.outcome != trial.outcome) return false;
  return !record.time || std::chrono::abs(*record.time - *trial.time) <= kSameTime;
}

bool Replay::is_same() const {
  return std::ranges::all_of(trials,
                             [&](const Trial& trial) { return is_same(query.record, trial); });
}

const Trial& Replay::farthest() const {
  const auto distance = [&](const Trial& trial) {
    if (trial.outcome != query.record.outcome) return Nanoseconds::max();
    return trial.time ? std::chrono::abs(*query.record.time - *trial.time) : Nanoseconds(0);
  };
  return *std::ranges::max_element(trials, {}, distance);
}

std::string first_difference(const RecordedQuery& query, const Trial& trial) {
  const auto at = [&](const TrialPacket& packet) { return packet.at - trial.packets.front().at; };
  for (const RecordedPacket& then : query.packets) {
    const std::string subject = std::format("{} at {}", in_words(then.name), milliseconds(then.at));
    const auto now = std::ranges::find(trial.packets, then.name, &TrialPacket::name);
    if (now == trial.packets.end())
      return std::format("{} was {}, is missing", subject, then.meaning);
    if (differ(now->meaning, then.meaning))
      return std::format("{} was {}, is {}", subject, then.meaning, now->meaning);
    if (std::chrono::abs(at(*now) - then.at) > kSameTime)
      return std::format("{}, {}, comes at {}", subject, then.meaning, milliseconds(at(*now)));
  }
  for (const TrialPacket& now : trial.packets)
    if (!std::ranges::contains(query.packets, now.name, &RecordedPacket::name))
      return std::format("{} at {} is new: {}", in_words(now.name), milliseconds(at(now)),
                         now.meaning);
  return "";
}

std::string end_text(captures::Outcome outcome, const std::optional<Nanoseconds>& time) {
  if (time) return milliseconds(*time);
  return outcome == captures::Outcome::kNoAnswer ? "no answer" : "failed";
}

std::string render_replays(std::span<const Replay> replays, Colors colors) {
  const bool repeated =
      std::ranges::any_of(replays, [](const Replay& replay) { return replay.trials.size() > 1; });
  std::vector<Row> rows{{"query", "lost", "then", "now", "difference"}};
  if (repeated) rows.front().emplace_back("spread");
  for (const Replay& replay : replays) rows.push_back(row_of(replay, repeated));
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows)
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  std::string text = paint(line_of(rows.front(), widths), Ink::kBold, colors) + '\n';
  for (std::size_t index = 0; index < replays.size(); ++index) {
    const Replay& replay = replays[index];
    const bool same = replay.is_same();
    text += std::format("{}  {}\n", line_of(rows[index + 1], widths),
                        paint(verdict_text(replay), same ? Ink::kGood : Ink::kBad, colors));
    if (same) continue;
    const std::string difference = first_difference(replay.query, replay.farthest());
    text += std::format("  {}\n", difference.empty() ? "its packets were the same" : difference);
  }
  return text;
}

}  // namespace harness
