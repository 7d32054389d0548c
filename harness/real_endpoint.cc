#include "harness/real_endpoint.hh"

#include "base/errors.hh"
#include "clients/address.hh"
#include "endpoints/certificate_chain.hh"
#include "endpoints/command_line.hh"
#include "harness/process_log.hh"
#include "harness/program_version.hh"

#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <format>
#include <poll.h>
#include <ranges>
#include <sstream>
#include <unistd.h>
#include <utility>

namespace harness {
namespace {

namespace fs = std::filesystem;
using base::check_syscall;

constexpr std::chrono::seconds kReadyWithin{30};
constexpr std::chrono::seconds kEndWithin{10};
// Between two attempts to connect to a server that is starting.
constexpr std::chrono::milliseconds kProbePause{5};
constexpr uid_t kNobody = 65534;

endpoints::ServerSpec spec_of(const PlannedArm& arm) {
  std::vector<const char*> words{"labdns"};
  for (const std::string& argument : arm.server_arguments) words.push_back(argument.c_str());
  std::ostringstream complaint;
  auto spec = endpoints::parse_command_line(static_cast<int>(words.size()), words.data(), complaint,
                                            complaint);
  if (!spec)
    throw base::LabError(std::format("read the plan of {}: {}", arm.server, complaint.str()));
  return std::move(*spec);
}

const endpoints::RealServer& server_of(const PlannedArm& arm) {
  const endpoints::RealServer* server = endpoints::find_real_server(arm.server);
  if (server == nullptr)
    throw base::LabError(std::format("start {}: no such server is known", arm.server));
  return *server;
}

// The loopback interface has all of 127.0.0.0/8.
std::string backend_address(std::size_t arm) {
  constexpr std::size_t kPerNetwork = 250;
  return std::format("127.1.{}.{}", arm / kPerNetwork, arm % kPerNetwork + 1);
}

void give_away(const fs::path& path) {
  check_syscall(::chown(path.c_str(), kNobody, kNobody), "give {} to user {}", path.string(),
                kNobody);
}

// sd_notify(3): the program writes READY=1 to it.
base::FileDescriptor make_notify_socket(const fs::path& path) {
  base::FileDescriptor socket(
      check_syscall(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0),
                    "open a socket for readiness"));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  LABRUN_ASSERT(path.string().size() < sizeof address.sun_path);
  std::ranges::copy(path.string(), address.sun_path);
  check_syscall(
      ::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
      "bind {}", path.string());
  give_away(path);
  return socket;
}

bool says_ready(const base::FileDescriptor& socket) {
  std::array<char, 4096> message;
  ssize_t count = 0;
  while ((count = ::recv(socket.number(), message.data(), message.size(), 0)) > 0) {
    const std::string_view text(message.data(), static_cast<std::size_t>(count));
    if (text.starts_with("READY=1") || text.contains("\nREADY=1")) return true;
  }
  return false;
}

bool takes_connections(const netns::NetworkNamespace& space, const std::string& address,
                       std::uint16_t port) {
  const netns::Entered inside(space);
  const auto target = clients::parse_address(address, port);
  LABRUN_ASSERT(target.has_value());
  const base::FileDescriptor socket(check_syscall(
      ::socket(target->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), "open a socket"));
  // Within one namespace the answer is there at once.
  return ::connect(socket.number(), target->get(), target->length) == 0;
}

// Whether one of the descriptors has something before the time is over.
bool wait_for(std::initializer_list<int> descriptors, base::Nanoseconds patience) {
  std::vector<pollfd> watched;
  for (const int number : descriptors) watched.push_back({number, POLLIN, 0});
  // A negative time would be no limit.
  const auto milliseconds =
      std::max(std::chrono::ceil<std::chrono::milliseconds>(patience).count(), std::int64_t{0});
  return ::poll(watched.data(), watched.size(), static_cast<int>(milliseconds)) > 0;
}

}  // namespace

RealEndpoint::RealEndpoint(const PlannedArm& arm, const netns::NetworkNamespace& space,
                           const fs::path& folder, const fs::path& logs, std::size_t number)
    : server_(server_of(arm)),
      arm_(arm.name),
      space_(space),
      folder_(folder),
      ca_file_(folder / "ca.pem"),
      spec_(spec_of(arm)) {
  fs::create_directory(folder_);
  give_away(folder_);
  const endpoints::CertificateChain chain = endpoints::make_chain(spec_.chain);
  const endpoints::ServerSite site{.folder = folder_,
                                   .certificates = folder_ / "chain.pem",
                                   .private_key = folder_ / "key.pem",
                                   .combined = folder_ / "combined.pem",
                                   .backend_address = backend_address(number)};
  write_files({{"chain.pem", chain.certificates_pem},
               {"key.pem", chain.private_key_pem},
               {"combined.pem", chain.certificates_pem + chain.private_key_pem},
               {"ca.pem", chain.anchor_pem}});
  ready_facts_ = describe(chain);
  for (endpoints::ServerProgram& program : server_.programs(spec_, site)) {
    const fs::path log = logs / std::format("{}-{}.log", program.name, number);
    start(std::move(program), log);
  }
}

void RealEndpoint::write_files(const std::vector<endpoints::ServerFile>& files) const {
  for (const endpoints::ServerFile& file : files) {
    const fs::path path = folder_ / file.name;
    base::write_file_atomically(path, file.text);
    give_away(path);
  }
}

void RealEndpoint::start(endpoints::ServerProgram program, const fs::path& log) {
  write_files(program.files);
  std::vector<std::string> environment = program.environment;
  base::FileDescriptor notifications;
  if (!program.probe_port) {
    const fs::path path = folder_ / (program.name + ".notify");
    notifications = make_notify_socket(path);
    environment.push_back("NOTIFY_SOCKET=" + path.string());
  }
  const base::FileDescriptor output(
      check_syscall(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644),
                    "create {}", log.string()));
  base::ChildProcess process({.argv = program.argv,
                              .environment = std::move(environment),
                              .descriptors = {{output.number(), 1}, {output.number(), 2}},
                              .network_namespace = space_.descriptor(),
                              .user = kNobody});
  running_.push_back({.program = std::move(program),
                      .log = log,
                      .notifications = std::move(notifications),
                      .process = std::move(process)});
}

std::string RealEndpoint::describe(const endpoints::CertificateChain& chain) const {
  return nlohmann::ordered_json{{"ready", true},
                                {"chain_bytes", chain.total_bytes()},
                                {"certificates", chain.der_sizes},
                                {"versions", {{server_.name, version_of(server_.version_command)}}}}
      .dump();
}

void RealEndpoint::report(const Running& running, const std::string& how) const {
  throw base::LabError(std::format("{}{} {}; it said: {}", running.program.name,
                                   arm_.empty() ? "" : " of " + arm_, how,
                                   end_of_log(running.log)));
}

bool RealEndpoint::is_ready(const Running& running, base::Nanoseconds patience) const {
  const int ended = running.process.pidfd().number();
  if (running.notifications.is_open()) {
    wait_for({running.notifications.number(), ended}, patience);
    return says_ready(running.notifications);
  }
  if (takes_connections(space_, spec_.addresses.front(), *running.program.probe_port)) return true;
  wait_for({ended}, std::min<base::Nanoseconds>(patience, kProbePause));
  return false;
}

void RealEndpoint::wait_until_ready(const base::Clock& clock) {
  const base::Instant deadline = clock.now() + kReadyWithin;
  for (Running& running : running_) {
    while (!is_ready(running, deadline - clock.now())) {
      if (const auto status = running.process.poll())
        report(running, "ended before it was ready (" + status->describe() + ")");
      if (clock.now() >= deadline)
        report(running, std::format("was not ready within {}", kReadyWithin));
    }
  }
}

void RealEndpoint::check_alive() {
  for (Running& running : running_)
    if (const auto status = running.process.poll())
      report(running, "ended during the run (" + status->describe() + ")");
}

std::string RealEndpoint::finish(const base::Clock&) {
  // A front before what stands behind it.
  for (Running& running : running_ | std::views::reverse) {
    running.process.send_signal(SIGTERM);
    if (!wait_for({running.process.pidfd().number()}, kEndWithin))
      report(running, std::format("did not end within {} of SIGTERM", kEndWithin));
    const base::ExitStatus status = running.process.wait();
    const bool by_signal = running.program.ends_by_signal && status.signal == SIGTERM;
    if (!status.succeeded() && !by_signal)
      report(running, "ended badly (" + status.describe() + ")");
  }
  return {};
}

}  // namespace harness
