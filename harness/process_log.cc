#include "harness/process_log.hh"

#include "base/file_descriptor.hh"

namespace harness {
namespace {

// Enough to see why a program ended.
constexpr std::size_t kQuotedBytes = 2000;

}  // namespace

std::string end_of_log(const std::filesystem::path& log) {
  if (!std::filesystem::exists(log)) return "nothing";
  std::string said = base::read_file(log);
  if (said.empty()) return "nothing";
  if (said.size() > kQuotedBytes) said.erase(0, said.size() - kQuotedBytes);
  return said;
}

}  // namespace harness
