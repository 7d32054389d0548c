#include "endpoints/line_writer.hh"

#include <utility>

namespace endpoints {
namespace {

constexpr std::size_t kMuch = 32'768;  // half of a pipe

}  // namespace

LineWriter::LineWriter(base::FileDescriptor descriptor, std::int64_t most_lines)
    : descriptor_(std::move(descriptor)), lines_left_(most_lines) {}

void LineWriter::add(std::string_view line) {
  if (!descriptor_.is_open() || lines_left_ < 0) return;
  pending_.append(lines_left_ > 0 ? line : "# further lines are left out").push_back('\n');
  --lines_left_;
}

void LineWriter::flush() {
  if (pending_.empty()) return;
  base::write_all(descriptor_, pending_);
  pending_.clear();
}

void LineWriter::flush_settled() {
  if (pending_.size() == pending_before_ || pending_.size() > kMuch) flush();
  pending_before_ = pending_.size();
}

}  // namespace endpoints
