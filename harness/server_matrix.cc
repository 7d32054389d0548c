#include "harness/server_matrix.hh"

#include "base/errors.hh"

#include <algorithm>
#include <format>
#include <utility>

namespace harness {
namespace {

using captures::QueryRecord;
using Kind = Ability::Kind;

std::size_t answered(const ProbedCell& cell) {
  return static_cast<std::size_t>(std::ranges::count_if(
      cell.records, [](const QueryRecord& record) { return record.time.has_value(); }));
}

std::optional<base::Nanoseconds> over_floor(const ProbedCell& cell) {
  std::vector<base::Nanoseconds> times;
  for (const QueryRecord& record : cell.records)
    if (record.time) times.push_back(*record.time - cell.floor);
  if (times.empty()) return std::nullopt;
  std::ranges::sort(times);
  return times[(times.size() - 1) / 2];
}

// Empty where each query has its answer.
std::string missing_answers(const ProbedCell& cell) {
  if (!cell.failure.empty()) return cell.failure;
  const std::size_t count = answered(cell);
  if (count == cell.records.size()) return {};
  std::string text = std::format("{} of {} answered", count, cell.records.size());
  for (const QueryRecord& record : cell.records)
    if (record.error) return std::format("{} ({})", text, *record.error);
  return text;
}

template <typename Predicate>
bool all_of(const ProbedCell& cell, Predicate holds) {
  return std::ranges::all_of(cell.records, holds);
}

// What is wrong with a probe besides missing answers; empty where it shows what it was to show.
std::string shortcoming(const ProbedCell& cell) {
  switch (cell.probe) {
    case Probe::kCold:
      return {};
    case Probe::kRetry:
      return all_of(cell, [](const QueryRecord& record) { return record.retries > 0; })
                 ? ""
                 : "no Retry came";
    case Probe::kTicket:
      return cell.resumed == cell.records.size()
                 ? ""
                 : std::format("{} of {} handshakes resumed", cell.resumed, cell.records.size());
    case Probe::kEarlyData:
      break;
  }
  return all_of(cell, [](const QueryRecord& record) { return record.early_data.accepted; })
             ? ""
             : "refused";
}

Ability ability(const ProbedCell& cell) {
  const std::string missing = missing_answers(cell);
  std::string reason = missing;
  if (cell.failure.empty()) {
    const std::string wrong = shortcoming(cell);
    if (!wrong.empty()) reason = missing.empty() ? wrong : wrong + ", " + missing;
    if (wrong.empty() && !missing.empty() && cell.probe == Probe::kEarlyData)
      reason = "accepted, but " + missing;
  }
  return {.kind = reason.empty() ? Kind::kDoes : Kind::kFails,
          .reason = reason,
          .over_floor = over_floor(cell)};
}

// Of a cold probe, whose client offers the post-quantum group first.
Ability post_quantum(const ProbedCell& cell) {
  if (!cell.failure.empty()) return {.kind = Kind::kFails, .reason = cell.failure};
  std::string seen;
  for (const QueryRecord& record : cell.records)
    if (record.group && (seen.empty() || *record.group != kPostQuantumGroup)) seen = *record.group;
  if (seen == kPostQuantumGroup) return {.kind = Kind::kDoes};
  return {.kind = Kind::kFails,
          .reason = seen.empty() ? "no handshake came to its end" : "it chose " + seen};
}

Aspect aspect_of(Probe probe) {
  switch (probe) {
    case Probe::kCold:
      return Aspect::kAnswers;
    case Probe::kRetry:
      return Aspect::kRetry;
    case Probe::kTicket:
      return Aspect::kTickets;
    case Probe::kEarlyData:
      break;
  }
  return Aspect::kEarlyData;
}

bool may_be_post_quantum(const endpoints::RealServer& server) {
  return server.chooses_groups || std::ranges::contains(server.own_groups, kPostQuantumGroup);
}

}  // namespace

std::string_view to_string(Aspect aspect) {
  switch (aspect) {
    case Aspect::kAnswers:
      return "answers";
    case Aspect::kRetry:
      return "retry";
    case Aspect::kEarlyData:
      return "early_data";
    case Aspect::kPostQuantum:
      return "post_quantum";
    case Aspect::kTickets:
      break;
  }
  return "tickets";
}

const Ability& ServerRow::at(Aspect aspect, Transport transport) const {
  return abilities.at(static_cast<std::size_t>(aspect)).at(static_cast<std::size_t>(transport));
}

Ability& ServerRow::at(Aspect aspect, Transport transport) {
  return abilities.at(static_cast<std::size_t>(aspect)).at(static_cast<std::size_t>(transport));
}

bool ServerRow::keeps_promises() const {
  return std::ranges::none_of(abilities, [](const auto& of_transports) {
    return std::ranges::contains(of_transports, Kind::kFails, &Ability::kind);
  });
}

ServerRow judge(std::string server, std::string version, std::span<const ProbedCell> cells) {
  const endpoints::RealServer* catalogue = endpoints::find_real_server(server);
  LABRUN_ASSERT(catalogue != nullptr);
  ServerRow row{.server = std::move(server), .version = std::move(version)};
  for (const ProbedCell& cell : cells) {
    row.at(aspect_of(cell.probe), cell.transport) = ability(cell);
    if (cell.probe == Probe::kCold && facts(cell.transport).encrypted &&
        may_be_post_quantum(*catalogue))
      row.at(Aspect::kPostQuantum, cell.transport) = post_quantum(cell);
  }
  return row;
}

}  // namespace harness
