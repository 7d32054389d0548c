#include "harness/server_releases.hh"

#include "base/child_process.hh"
#include "base/errors.hh"
#include "endpoints/real_server.hh"
#include "harness/scenario_error.hh"

#include <algorithm>
#include <format>
#include <unistd.h>

namespace harness {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> our_environment() {
  std::vector<std::string> words;
  for (char** word = ::environ; *word != nullptr; ++word) words.emplace_back(*word);
  return words;
}

fs::path testing_root(const Image& image) {
  const fs::path root = image.folder / "testing";
  if (fs::exists(root)) return fs::canonical(root);
  const fs::path recipe = image.folder / "recipe" / "build-testing";
  if (!fs::exists(recipe))
    throw base::LabError(
        "find the servers of Debian testing: this installation has none; run `make testing` and "
        "`make install` in labrun's source folder");
  base::ChildProcess build({.argv = {recipe.string(), image.folder.string()},
                            .environment = our_environment(),
                            .descriptors = {{STDERR_FILENO, 1}}});
  if (const base::ExitStatus status = build.wait(); !status.succeeded())
    throw base::LabError(
        std::format("build the servers of Debian testing: {}; `make testing` in labrun's source "
                    "folder shows why, everything else works without",
                    status.describe()));
  return fs::canonical(root);
}

fs::path own_root(const PlannedArm& arm) {
  const endpoints::ServerName name = endpoints::parse_server_name(arm.server);
  const endpoints::RealServer* server = endpoints::find_real_server(arm.server);
  LABRUN_ASSERT(server != nullptr);
  const fs::path root = name.release;
  const std::string program = server->version_command.front();
  // The program may be a link that is right inside the root only.
  if (!fs::is_symlink(fs::symlink_status(root / program.substr(1))) &&
      !fs::exists(root / program.substr(1)))
    throw BadInput(std::format("labrun: {}: {} is not there; the path is that of a root directory",
                               arm.server, (root / program.substr(1)).string()));
  return fs::canonical(root);
}

}  // namespace

std::vector<std::string> server_releases(const Plan& plan) {
  std::vector<std::string> releases;
  for (const PlannedArm& arm : plan.arms) {
    const std::string release(endpoints::parse_server_name(arm.server).release);
    if (release != endpoints::kStable && !std::ranges::contains(releases, release))
      releases.push_back(release);
  }
  return releases;
}

std::vector<fs::path> release_roots(const Plan& plan, const Image& image) {
  std::vector<fs::path> roots;
  for (const std::string& release : server_releases(plan)) {
    const auto arm = std::ranges::find_if(plan.arms, [&](const PlannedArm& candidate) {
      return endpoints::parse_server_name(candidate.server).release == release;
    });
    roots.push_back(release == endpoints::kTesting ? testing_root(image) : own_root(*arm));
  }
  return roots;
}

}  // namespace harness
