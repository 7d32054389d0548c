#pragma once

// What a person sees while a run goes on: one line that is rewritten on a terminal, a line per
// finished block elsewhere.

#include "base/clock.hh"
#include "harness/plan.hh"

#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

namespace harness {

class Progress {
 public:
  enum class Style { kTerminal, kLines, kSilent };

  // `plan`, `out` and `clock` must outlive it.
  Progress(const Plan& plan, std::ostream& out, Style style, const base::Clock& clock);

  // What a block has done so far; `elapsed` on its own clock.
  void update(std::uint32_t block, std::uint32_t queries_done, base::Nanoseconds elapsed);
  void block_finished(std::uint32_t block, bool valid);
  // Takes the rewritten line away, so that something else can be printed.
  void clear();

  base::Nanoseconds virtual_time() const;

 private:
  std::uint32_t queries_done() const;
  void redraw();

  const Plan& plan_;
  std::ostream& out_;
  Style style_;
  const base::Clock& clock_;
  base::Instant started_;
  base::Instant drawn_;
  std::uint32_t blocks_finished_ = 0;
  std::vector<std::uint32_t> done_;
  std::vector<base::Nanoseconds> elapsed_;
  std::uint32_t total_ = 0;
};

}  // namespace harness
