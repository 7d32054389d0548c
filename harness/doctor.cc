#include "harness/doctor.hh"

#include "base/errors.hh"
#include "harness/image.hh"
#include "netns/lab_network.hh"

#include <sys/utsname.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <format>
#include <ostream>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace harness {
namespace {

using State = Finding::State;

std::string machine() {
  utsname host{};
  ::uname(&host);
  return host.machine;
}

Finding diagnose_root_image() {
  try {
    const Image image = find_image();
    return {State::kGood, "root image", image.root.string()};
  } catch (const base::LabError& error) {
    return {State::kMissing, "root image", error.what()};
  }
}

Finding diagnose_lab_kernel() {
  try {
    const Image image = find_image();
    if (!image.kernel.empty())
      return {State::kGood, "lab kernel",
              std::format("Linux {} with virtual time ({})", image.kernel_release,
                          image.kernel.string())};
  } catch (const base::LabError&) {
    return {State::kMissing, "lab kernel", "not looked for: there is no root image"};
  }
  if (machine() != "x86_64")
    return {State::kMissing, "lab kernel",
            std::format("it exists on x86-64 only and this is {}; use --kernel host as root",
                        machine())};
  return {State::kMissing, "lab kernel", "not built; run `make build` in labrun's source folder"};
}

Finding diagnose_memory() {
  const std::filesystem::path folder = memory_folder();
  const auto problem = memory_folder_problem(folder);
  if (!problem) return {State::kGood, "memory file system", folder.string()};
  return {State::kMissing, "memory file system",
          *problem + "; set TMPDIR to a folder on an executable tmpfs with 512 MiB free"};
}

// Runs `attempt` in a child, because what it tries cannot be undone.
bool child_succeeds(bool (*attempt)()) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool good = false;
    try {
      good = attempt();
    } catch (const std::exception&) {
      good = false;
    }
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

Finding diagnose_user_namespaces() {
  if (child_succeeds([] { return ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0; }))
    return {State::kGood, "user namespaces", "this user may create them"};
  return {State::kUseful, "user namespaces",
          "not for this user; only building the image as an ordinary user needs them (sysctl "
          "kernel.unprivileged_userns_clone=1, or on Ubuntu "
          "kernel.apparmor_restrict_unprivileged_userns=0)"};
}

bool host_network_works(bool with_netem) {
  netns::LabNetwork network({.mtu = 1500,
                             .client_addresses = {*netns::IpAddress::parse("198.51.100.1")},
                             .server_addresses = {*netns::IpAddress::parse("198.51.100.53")}});
  if (with_netem) {
    netns::PathSpec path;
    path.to_server.delay = std::chrono::milliseconds(1);
    network.impair(path, {.to_server = 1, .to_client = 2});
  }
  return true;
}

Finding diagnose_host_kernel() {
  if (::geteuid() != 0)
    return {State::kUseful, "host kernel", "--kernel host needs root; the lab kernel does not"};
  if (child_succeeds([] { return host_network_works(true); }))
    return {State::kGood, "host kernel",
            "has veth, bridge and netem: --kernel host can run every scenario"};
  if (child_succeeds([] { return host_network_works(false); }))
    return {State::kUseful, "host kernel",
            "has no netem: --kernel host runs only scenarios that impair nothing (modprobe "
            "sch_netem may help)"};
  return {State::kUseful, "host kernel",
          "cannot build the lab's network: --kernel host will not work here"};
}

Finding diagnose_cores() {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return {State::kGood, "cores", std::format("{}: as many blocks run at once", cores)};
}

}  // namespace

std::vector<Finding> diagnose() {
  return {diagnose_root_image(),      diagnose_lab_kernel(),  diagnose_memory(),
          diagnose_user_namespaces(), diagnose_host_kernel(), diagnose_cores()};
}

int print_diagnosis(std::ostream& out) {
  const std::vector<Finding> findings = diagnose();
  for (const Finding& finding : findings) {
    const char* word = finding.state == State::kGood     ? "ok"
                       : finding.state == State::kUseful ? "note"
                                                         : "MISSING";
    out << std::format("{:<8} {:<20} {}\n", word, finding.subject, finding.text);
  }
  const bool ready = std::ranges::none_of(
      findings, [](const Finding& finding) { return finding.state == State::kMissing; });
  out << (ready ? "Scenarios can be run here.\n"
                : "Scenarios cannot be run here before what is MISSING is there.\n");
  return ready ? base::kExitSuccess : base::kExitLabFailure;
}

}  // namespace harness
