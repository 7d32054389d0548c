#include "harness/progress.hh"

#include <format>
#include <numeric>
#include <ostream>

namespace harness {
namespace {

constexpr std::chrono::milliseconds kRedrawAfter{100};

double seconds(base::Nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Progress::Progress(const Plan& plan, std::ostream& out, Style style, const base::Clock& clock)
    : plan_(plan),
      out_(out),
      style_(style),
      clock_(clock),
      started_(clock.now()),
      drawn_(started_ - kRedrawAfter),
      done_(plan.blocks.size(), 0),
      elapsed_(plan.blocks.size(), base::Nanoseconds(0)) {
  for (const PlannedBlock& block : plan.blocks)
    total_ += static_cast<std::uint32_t>(block.queries.size());
}

std::uint32_t Progress::queries_done() const {
  return std::accumulate(done_.begin(), done_.end(), std::uint32_t{0});
}

base::Nanoseconds Progress::virtual_time() const {
  return std::accumulate(elapsed_.begin(), elapsed_.end(), base::Nanoseconds(0));
}

void Progress::update(std::uint32_t block, std::uint32_t queries_done, base::Nanoseconds elapsed) {
  done_[block] = queries_done;
  elapsed_[block] = elapsed;
  if (style_ == Style::kTerminal && clock_.now() - drawn_ >= kRedrawAfter) redraw();
}

void Progress::redraw() {
  drawn_ = clock_.now();
  out_ << std::format(
              "\r\033[K{} cells, {}/{} queries, {}/{} blocks, {:.0f} s of network time in {:.1f} s",
              plan_.cells.size(), queries_done(), total_, blocks_finished_, plan_.blocks.size(),
              seconds(virtual_time()), seconds(drawn_ - started_))
       << std::flush;
}

void Progress::block_finished(std::uint32_t block, bool valid) {
  ++blocks_finished_;
  if (style_ == Style::kTerminal) return redraw();
  if (style_ == Style::kLines)
    out_ << std::format("block {} of {} done{}: {}/{} queries, {:.1f} s\n", block_name(block),
                        plan_.blocks.size(), valid ? "" : " but INVALID", queries_done(), total_,
                        seconds(clock_.now() - started_))
         << std::flush;
}

void Progress::clear() {
  if (style_ == Style::kTerminal) out_ << "\r\033[K" << std::flush;
}

}  // namespace harness
