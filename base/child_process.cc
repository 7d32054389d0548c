#include "base/child_process.hh"

#include "base/errors.hh"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <fcntl.h>
#include <format>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

namespace base {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Puts the wanted descriptors in place. Sources are first lifted above every target, so that no
// assignment hits a source that is still needed.
bool place_descriptors(const ChildSpec& spec) {
  int highest = 2;
  for (const auto& [ours, theirs] : spec.descriptors) highest = std::max({highest, theirs, ours});
  std::vector<std::pair<int, int>> lifted;
  for (const auto& [ours, theirs] : spec.descriptors) {
    const int copy = ::fcntl(ours, F_DUPFD_CLOEXEC, highest + 1);
    if (copy < 0) return false;
    lifted.emplace_back(copy, theirs);
  }
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0 || ::dup2(null, 0) < 0 || ::dup2(null, 1) < 0) return false;
  return std::ranges::all_of(lifted,
                             [](const auto& pair) { return ::dup2(pair.first, pair.second) >= 0; });
}

bool stay_on(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

bool limit_files(std::uint64_t bytes) {
  // Its default would end who writes on; that it is ignored outlives exec.
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
  return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

bool become_user(uid_t user, pid_t parent) {
  const gid_t group = user;
  if (::setgroups(0, nullptr) != 0 || ::setresgid(group, group, group) != 0 ||
      ::setresuid(user, user, user) != 0)
    return false;
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // A change of user takes it back.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  return true;
}

// Runs in the child; only returns to report errno through the pipe.
void become_program(const ChildSpec& spec, pid_t parent, char** argv, char** environment) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  if (spec.own_process_group) ::setpgid(0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (spec.network_namespace >= 0 && ::setns(spec.network_namespace, CLONE_NEWNET) != 0) return;
  if (!place_descriptors(spec)) return;
  if (spec.processor && !stay_on(*spec.processor)) return;
  if (spec.largest_file && !limit_files(*spec.largest_file)) return;
  if (!spec.root.empty() && (::chroot(spec.root.c_str()) != 0 || ::chdir("/") != 0)) return;
  if (spec.user && !become_user(*spec.user, parent)) return;
  ::execve(argv[0], argv, environment);
}

ExitStatus exit_status_from(int status) {
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

}  // namespace

std::string ExitStatus::describe() const {
  if (signal != 0) return std::format("signal {} ({})", signal, ::strsignal(signal));
  return std::format("exit code {}", code);
}

ChildProcess::ChildProcess(const ChildSpec& spec) {
  LABRUN_ASSERT(!spec.argv.empty());
  // Everything that allocates is made before fork.
  const std::vector<char*> argv = pointers_to(spec.argv);
  const std::vector<char*> environment = pointers_to(spec.environment);
  Pipe failure = make_pipe();
  const pid_t parent = ::getpid();
  pid_ = check_syscall(::fork(), "fork for {}", spec.argv[0]);
  if (pid_ == 0) {
    become_program(spec, parent, const_cast<char**>(argv.data()),
                   const_cast<char**>(environment.data()));
    const int error_number = errno;
    [[maybe_unused]] const auto written =
        ::write(failure.write_end.number(), &error_number, sizeof error_number);
    ::_exit(127);
  }
  failure.write_end.close();
  int error_number = 0;
  if (::read(failure.read_end.number(), &error_number, sizeof error_number) ==
      sizeof error_number) {
    wait();
    throw SystemError("start " + spec.argv[0], error_number);
  }
  pidfd_ = FileDescriptor(static_cast<int>(check_syscall(
      ::syscall(SYS_pidfd_open, pid_, 0), "open the process {} ({})", pid_, spec.argv[0])));
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void ChildProcess::send_signal(int number) {
  if (pid_ > 0) ::kill(pid_, number);
}

std::optional<ExitStatus> ChildProcess::poll() {
  LABRUN_ASSERT(pid_ > 0);
  int status = 0;
  if (check_syscall(::waitpid(pid_, &status, WNOHANG), "wait for process {}", pid_) == 0)
    return std::nullopt;
  pid_ = -1;
  return exit_status_from(status);
}

ExitStatus ChildProcess::wait() {
  LABRUN_ASSERT(pid_ > 0);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0) {
    if (errno != EINTR) check_syscall(-1, "wait for process {}", pid_);
  }
  pid_ = -1;
  return exit_status_from(status);
}

}  // namespace base
