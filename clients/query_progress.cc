#include "clients/query_progress.hh"

#include "base/errors.hh"

#include <utility>

namespace clients {

void QueryProgress::mark(std::optional<base::Nanoseconds> captures::Phases::* phase) {
  std::optional<base::Nanoseconds>& offset = record_.phases.*phase;
  if (!ended_ && !offset) offset = clock_.now() - record_.start;
}

void QueryProgress::fall_back(std::string fallback) {
  record_.fallback = std::move(fallback);
  record_.phases = {};
}

void QueryProgress::answer() {
  if (ended_) return;
  mark(&captures::Phases::answer);
  record_.time = record_.phases.answer;
  record_.outcome = captures::Outcome::kAnswered;
  ended_ = true;
}

void QueryProgress::fail(std::string error) {
  if (ended_) return;
  for (char& symbol : error)
    if (symbol < ' ' || symbol > '~') symbol = '?';
  record_.error = std::move(error);
  record_.outcome = captures::Outcome::kFailed;
  ended_ = true;
}

void QueryProgress::expire() {
  if (ended_) return;
  record_.outcome = captures::Outcome::kNoAnswer;
  ended_ = true;
}

void QueryProgress::reset() {
  record_ = {};
  ended_ = false;
}

captures::QueryRecord QueryProgress::take_record() {
  LABRUN_ASSERT(ended_);
  return std::move(record_);
}

}  // namespace clients
