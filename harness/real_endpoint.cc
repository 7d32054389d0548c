#include "harness/real_endpoint.hh"

#include "base/errors.hh"
#include "clients/address.hh"
#include "endpoints/certificate_chain.hh"
#include "endpoints/command_line.hh"
#include "harness/process_log.hh"
#include "harness/program_version.hh"

#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <system_error>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <format>
#include <poll.h>
#include <ranges>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace harness {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;
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

RealEndpoint::RealEndpoint(const PlannedArm& arm, const netns::NetworkNamespace& space, Place place)
    : server_(server_of(arm)),
      name_(arm.server),
      arm_(arm.name),
      space_(space),
      place_(std::move(place)),
      folder_(place_.folder, kNobody),
      keys_(place_.folder),
      ca_file_(place_.folder / "ca.pem"),
      spec_(spec_of(arm)) {
  const endpoints::CertificateChain chain = endpoints::make_chain(spec_.chain);
  const fs::path& folder = place_.folder;
  write_files(chain, server_.programs(spec_, {.folder = folder,
                                              .certificates = folder / "chain.pem",
                                              .private_key = folder / "key.pem",
                                              .combined = folder / "combined.pem",
                                              .key_logger = keys_.library(),
                                              .key_log = keys_.log(),
                                              .backend_address = backend_address(place_.number)}));
  ready_facts_ = describe(chain);
  for (Program& program : programs_) start(program);
}

std::string RealEndpoint::root_for(const endpoints::ServerProgram& program) const {
  return program.backend ? std::string() : place_.root.string();
}

// All of them before any program of the server runs.
void RealEndpoint::write_files(const endpoints::CertificateChain& chain,
                               std::vector<endpoints::ServerProgram> programs) {
  folder_.write({"chain.pem", chain.certificates_pem});
  folder_.write({"key.pem", chain.private_key_pem});
  folder_.write({"combined.pem", chain.certificates_pem + chain.private_key_pem});
  folder_.write({"ca.pem", chain.anchor_pem});
  fs::create_directory(kept_files());
  for (endpoints::ServerProgram& told : programs) {
    for (const endpoints::ServerFile& file : told.files) {
      folder_.write(file);
      keep(file);
    }
    Program program{.log = place_.logs / std::format("{}-{}.log", told.name, place_.number)};
    if (!told.probe_port) program.notifications = folder_.make_notify_socket(told.name + ".notify");
    // Of an earlier attempt at the same block.
    fs::remove(program.log);
    program.told = std::move(told);
    programs_.push_back(std::move(program));
  }
  folder_.hand_over();
}

fs::path RealEndpoint::kept_files() const {
  return place_.logs / std::format("server-{}", place_.number);
}

void RealEndpoint::keep(const endpoints::ServerFile& file) const {
  base::write_file_atomically(kept_files() / file.name, file.text);
}

std::string RealEndpoint::describe(const endpoints::CertificateChain& chain) const {
  const base::SystemClock clock;
  const std::string version = version_text(
      {.argv = server_.version_command, .root = place_.root.string(), .user = kNobody}, clock);
  keep({"version.txt", version});
  json versions{{name_, version_number(version)}};
  if (std::ranges::any_of(programs_, [](const Program& one) { return one.told.backend; })) {
    const endpoints::RealServer* backend = endpoints::find_real_server(endpoints::kBackend);
    LABRUN_ASSERT(backend != nullptr);
    versions[std::format("{} (behind {})", backend->name, server_.name)] =
        version_number(version_text({.argv = backend->version_command, .user = kNobody}, clock));
  }
  return json{{"ready", true},
              {"chain_bytes", chain.total_bytes()},
              {"certificates", chain.der_sizes},
              {"versions", std::move(versions)}}
      .dump();
}

void RealEndpoint::start(Program& program) {
  const endpoints::ServerProgram& told = program.told;
  std::vector<std::string> environment = told.environment;
  if (program.notifications.is_open())
    environment.push_back("NOTIFY_SOCKET=" + (place_.folder / (told.name + ".notify")).string());
  const base::FileDescriptor output(
      check_syscall(::open(program.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644),
                    "create {}", program.log.string()));
  program.process.emplace(
      base::ChildSpec{.argv = told.argv,
                      .environment = std::move(environment),
                      .descriptors = {{output.number(), 1}, {output.number(), 2}},
                      .network_namespace = space_.descriptor(),
                      .root = root_for(told),
                      .user = kNobody,
                      .largest_file = kMostLogBytes,
                      .own_process_group = true});
  program.group = program.process->pid();
}

// With what it has started itself.
void RealEndpoint::kill(Program& program) {
  if (program.group > 0) ::kill(-program.group, SIGKILL);
  program.group = -1;
  program.process.reset();
}

void RealEndpoint::kill_all() {
  for (Program& program : programs_) kill(program);
}

std::vector<std::string> RealEndpoint::logs() const {
  std::vector<std::string> names;
  names.reserve(programs_.size());
  for (const Program& program : programs_) names.push_back(program.log.filename());
  return names;
}

ServerEnd RealEndpoint::end_of(const Program& program, std::string how) const {
  return {.arm = arm_,
          .program = program.told.name,
          .how = std::move(how),
          .log = program.log.filename(),
          .said = end_of_log(program.log)};
}

void RealEndpoint::report(const Program& program, std::string how) const {
  const ServerEnd end = end_of(program, std::move(how));
  throw base::LabError(std::format("{} {}; it said: {}", program_of(end), end.how, end.said));
}

bool RealEndpoint::is_ready(const Program& program, base::Nanoseconds patience) const {
  const int ended = program.process->pidfd().number();
  if (program.notifications.is_open()) {
    wait_for({program.notifications.number(), ended}, patience);
    return says_ready(program.notifications);
  }
  if (takes_connections(space_, spec_.addresses.front(), *program.told.probe_port)) return true;
  wait_for({ended}, std::min<base::Nanoseconds>(patience, kProbePause));
  return false;
}

void RealEndpoint::wait_until_ready(const base::Clock& clock) {
  const base::Instant deadline = clock.now() + kReadyWithin;
  for (Program& program : programs_) {
    while (!is_ready(program, deadline - clock.now())) {
      if (const auto status = program.process->poll())
        report(program, "ended before it was ready (" + status->describe() + ")");
      if (clock.now() >= deadline)
        report(program, std::format("was not ready within {}", kReadyWithin));
    }
  }
}

std::optional<ServerEnd> RealEndpoint::poll_end() {
  for (Program& program : programs_) {
    const auto status = program.process ? program.process->poll() : std::nullopt;
    if (!status) continue;
    ServerEnd end = end_of(program, "ended (" + status->describe() + ")");
    // A front without what stands behind it answers nothing, nor does that alone.
    kill_all();
    return end;
  }
  return std::nullopt;
}

void RealEndpoint::restart(const base::Clock& clock) {
  for (Program& program : programs_) {
    kill(program);
    // What an earlier one said of itself is not true of this one.
    if (program.notifications.is_open()) says_ready(program.notifications);
    note_in_log(program.log, "started again");
    start(program);
  }
  try {
    wait_until_ready(clock);
  } catch (const base::LabError&) {
    kill_all();
    throw;
  }
}

// Empty where it ended as it should.
std::string RealEndpoint::ask_to_end(Program& program) {
  program.process->send_signal(SIGTERM);
  if (!wait_for({program.process->pidfd().number()}, kEndWithin))
    return std::format("did not end within {} of SIGTERM, and was killed", kEndWithin);
  const base::ExitStatus status = program.process->wait();
  if (status.succeeded() || (program.told.ends_by_signal && status.signal == SIGTERM)) return {};
  return "ended badly (" + status.describe() + ") when it was asked to end";
}

Endpoint::Finish RealEndpoint::finish(const base::Clock&) {
  Finish result;
  // A front before what stands behind it.
  for (Program& program : programs_ | std::views::reverse) {
    std::string how = program.process ? ask_to_end(program) : std::string();
    kill(program);
    if (!how.empty()) result.ends.push_back(end_of(program, std::move(how)));
    std::error_code missing;
    const auto size = fs::file_size(program.log, missing);
    if (missing || size < kMostLogBytes) continue;
    const std::string limit = std::format("{} MiB", kMostLogBytes >> 20U);
    result.ends.push_back(end_of(program, "said more than the " + limit + " that its log keeps"));
    note_in_log(program.log, "cut off after " + limit);
  }
  result.keylog = keys_.take();
  return result;
}

}  // namespace harness
