#include "harness/servers.hh"

#include "base/errors.hh"
#include "endpoints/real_server.hh"
#include "harness/scenario_error.hh"
#include "harness/server_matrix_text.hh"
#include "harness/server_probe_run.hh"
#include "harness/spelling.hh"

#include <algorithm>
#include <filesystem>
#include <format>
#include <iostream>
#include <string>
#include <vector>

namespace harness {
namespace {

bool testing_is_there(const Image& image) {
  return std::filesystem::exists(image.folder / endpoints::kTesting);
}

std::vector<std::string_view> releases_of(const CommandLine& command, const Image& image) {
  if (command.release == endpoints::kTesting) return {endpoints::kTesting};
  if (command.release == endpoints::kStable || !testing_is_there(image))
    return {endpoints::kStable};
  return {endpoints::kStable, endpoints::kTesting};
}

std::vector<std::string> names_of(std::string_view release) {
  std::vector<std::string> names;
  for (const endpoints::RealServer& server : endpoints::real_servers(release))
    names.push_back(release == endpoints::kStable ? std::string(server.name)
                                                  : std::format("{}@{}", server.name, release));
  return names;
}

[[noreturn]] void refuse(const std::string& wanted) {
  std::vector<std::string_view> known;
  for (const endpoints::RealServer& server : endpoints::real_servers())
    known.push_back(server.name);
  const std::string_view program = endpoints::parse_server_name(wanted).program;
  if (std::ranges::contains(known, program))
    throw BadInput(
        std::format("labrun: --only {}: no such release; allowed: stable, testing or "
                    "the path of a root directory",
                    wanted));
  throw BadInput(
      std::format("labrun: --only {}: no such server; {}", wanted, suggestion(program, known)));
}

// "nginx" is that of each release, "nginx@testing" that one, "nginx@/my/root" another one.
std::vector<std::string> chosen_servers(const CommandLine& command, const Image& image) {
  std::vector<std::string> all;
  for (const std::string_view release : releases_of(command, image))
    std::ranges::copy(names_of(release), std::back_inserter(all));
  if (command.only.empty()) return all;
  std::vector<std::string> chosen;
  for (const std::string& wanted : command.only) {
    if (endpoints::find_real_server(wanted) == nullptr) refuse(wanted);
    const bool exact = wanted.contains('@');
    if (exact) chosen.push_back(wanted);
    for (const std::string& name : all)
      if (!exact && endpoints::parse_server_name(name).program == wanted) chosen.push_back(name);
  }
  return chosen;
}

void require_lab_kernel(const Image& image) {
  if (image.kernel.empty())
    throw base::LabError("start the lab kernel: this image has none (labrun doctor says why)");
  if (const auto problem = memory_folder_problem(memory_folder()))
    throw base::LabError("start the lab kernel: " + *problem +
                         "; set TMPDIR to a folder on an executable tmpfs");
}

void print(const CommandLine& command, const std::vector<ServerRow>& rows) {
  if (command.json)
    std::cout << servers_json(rows);
  else if (command.markdown)
    std::cout << servers_markdown(rows);
  else
    std::cout << render_servers(rows, table_colors(command.color));
}

}  // namespace

int servers(const CommandLine& command, const Image& image) {
  const std::vector<std::string> names = chosen_servers(command, image);
  require_lab_kernel(image);
  std::vector<ServerRow> rows;
  for (const std::string& name : names) {
    if (!command.quiet)
      std::cerr << std::format("labrun: {} ({} of {})\n", name, rows.size() + 1, names.size());
    ProbedServer probed = probe_server(name, image, command.jobs);
    if (!probed.stopped_by.empty()) {
      std::cerr << std::format("labrun: stopped by {}\n", probed.stopped_by);
      return base::kExitInterrupted;
    }
    rows.push_back(judge(name, probed.version, probed.cells));
  }
  print(command, rows);
  if (!command.release && !testing_is_there(image) && !command.quiet)
    std::cerr << "labrun: the servers of Debian testing are not there; `make testing` gets them\n";
  return std::ranges::all_of(rows, &ServerRow::keeps_promises) ? base::kExitSuccess
                                                               : base::kExitExpectationFailed;
}

}  // namespace harness
