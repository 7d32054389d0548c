#include "harness/program_client.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "captures/connection_kind.hh"
#include "clients/query_identity.hh"
#include "harness/program_version.hh"

#include <sys/epoll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <format>
#include <unistd.h>
#include <utility>

namespace harness {
namespace {

namespace fs = std::filesystem;
using base::check_syscall;
using captures::Outcome;

constexpr uid_t kNobody = 65534;
constexpr std::string_view kOutputFile = "output";
constexpr std::string_view kComplaintFile = "complaint";
// A program that writes without end is cut off in reading.
constexpr std::size_t kMaxTrace = 1U << 20U;
// Connecting, the handshake and the query may take a client's timeout each, and dig gives a
// handshake 30 s whatever it is told.
constexpr int kWaits = 3;
constexpr std::chrono::seconds kGrace{60};

void give_away(const fs::path& path) {
  check_syscall(::chown(path.c_str(), kNobody, kNobody), "give {} to user {}", path.string(),
                kNobody);
}

// Empty where there is no such file.
std::string text_of(const fs::path& path) {
  if (!fs::exists(path)) return {};
  const base::FileDescriptor file(
      check_syscall(::open(path.c_str(), O_RDONLY | O_CLOEXEC), "read {}", path.string()));
  std::string text;
  while (text.size() < kMaxTrace) {
    const auto more = base::read_some(file, kMaxTrace - text.size());
    if (!more || more->empty()) break;
    text += *more;
  }
  return text;
}

base::FileDescriptor create(const fs::path& path, int flags) {
  return base::FileDescriptor(
      check_syscall(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644), "create {}",
                    path.string()));
}

}  // namespace

ProgramClient::ProgramClient(const clients::ClientProgram& program, int network_namespace,
                             const fs::path& folder, const fs::path& log, base::EventLoop& loop)
    : program_(program),
      network_namespace_(network_namespace),
      folder_(folder),
      log_(log),
      loop_(loop),
      version_(version_number(
          version_text({.argv = program.version_command, .user = kNobody}, loop.clock()))) {
  fs::create_directory(folder_);
  give_away(folder_);
}

ProgramClient::~ProgramClient() {
  if (process_) loop_.forget(process_->pidfd().number());
}

void ProgramClient::empty_folder() const {
  for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path());
}

void ProgramClient::write_files(const clients::ClientCommand& command) const {
  for (const clients::ClientFile& written : command.files) {
    base::write_file_atomically(file(written.name), written.text);
    give_away(file(written.name));
  }
}

void ProgramClient::start(const clients::ClientCommand& command) {
  const base::FileDescriptor output = create(file(kOutputFile), O_TRUNC);
  const base::FileDescriptor complaint = create(file(kComplaintFile), O_TRUNC);
  started_ = loop_.clock().now();
  process_.emplace(base::ChildSpec{.argv = command.argv,
                                   .environment = command.environment,
                                   .descriptors = {{output.number(), 1}, {complaint.number(), 2}},
                                   .network_namespace = network_namespace_,
                                   .user = kNobody});
  loop_.watch(process_->pidfd().number(), EPOLLIN, [this](std::uint32_t) { note_end(); });
}

void ProgramClient::ask(const std::string& request_line, const PlannedArm& arm) {
  auto request = clients::parse_query_request(request_line);
  if (!request) throw base::LabError("read the request to a client: " + request.error());
  request_ = std::move(*request);
  local_address_ = arm.client_address;
  ended_.reset();
  keys_taken_ = 0;
  empty_folder();
  const clients::ClientCommand command =
      program_.command(request_.spec, {.folder = folder_, .local_address = local_address_});
  write_files(command);
  start(command);
}

void ProgramClient::note_end() {
  const base::Instant now = loop_.clock().now();
  loop_.forget(process_->pidfd().number());
  ended_ = End{.status = process_->wait(), .at = now};
  process_.reset();
}

clients::ClientTraces ProgramClient::read_traces(base::ExitStatus status) const {
  return {.status = status,
          .output = text_of(file(kOutputFile)),
          .complaint = clients::without_keylog_lines(text_of(file(kComplaintFile))),
          .answer = text_of(file(clients::kAnswerFile))};
}

captures::QueryRecord ProgramClient::make_record(const clients::ClientTraces& traces) const {
  const clients::QuerySpec& spec = request_.spec;
  captures::QueryRecord record;
  clients::identify(record, spec, request_.identity);
  // Nobody told it.
  record.settings.initial_rtt.reset();
  record.settings.max_udp_payload.reset();
  record.settings.pmtud.reset();
  record.start = started_;
  record.client = captures::ClientFacts{.program = std::string(program_.name),
                                        .version = version_,
                                        .ended = traces.status.describe()};
  record.keylog = clients::keylog_lines(
      text_of(file(program_.keys_in_complaint ? kComplaintFile : clients::kKeysFile)));
  const auto add_flow = [&](const char* protocol) {
    record.flows.push_back({.protocol = protocol,
                            .local_address = local_address_,
                            .local_port = spec.local_port,
                            .remote_address = clients::address_text(spec.server),
                            .remote_port = clients::port_of(spec.server)});
  };
  const bool datagrams =
      spec.transport == clients::Transport::kDo53 || clients::runs_over_quic(spec.transport);
  add_flow(datagrams ? "udp" : "tcp");
  if (traces.status.signal == 0) program_.read(traces, spec, record);
  // Where it does not say how far it came, it may have asked again over TCP.
  const bool asked_again = record.fallback || record.outcome != Outcome::kAnswered;
  if (spec.transport == clients::Transport::kDo53 && asked_again) add_flow("tcp");
  return record;
}

captures::QueryRecord ProgramClient::take_record() {
  LABRUN_ASSERT(ended_.has_value());
  const clients::ClientTraces traces = read_traces(ended_->status);
  captures::QueryRecord record = make_record(traces);
  const base::Nanoseconds ran = ended_->at - started_;
  if (traces.status.signal != 0) {
    record.outcome = Outcome::kFailed;
    record.client->fault = captures::Fault::kClient;
    record.error = std::format("{} crashed: {}", program_.name, traces.status.describe());
  } else if (record.outcome == Outcome::kAnswered) {
    record.time = ran;
  } else if (ran >= request_.spec.timeout) {
    // Its clock tells more surely than its words that it has waited in vain.
    record.outcome = Outcome::kNoAnswer;
    record.client->fault = captures::Fault::kNone;
  }
  log_failure(record, traces);
  ended_.reset();
  return record;
}

base::Nanoseconds ProgramClient::patience(base::Nanoseconds timeout) const {
  return kWaits * timeout + kGrace;
}

captures::QueryRecord ProgramClient::give_up() {
  process_->send_signal(SIGKILL);
  note_end();
  const base::Nanoseconds ran = ended_->at - started_;
  captures::QueryRecord record = take_record();
  record.outcome = Outcome::kFailed;
  record.time.reset();
  record.client->fault = captures::Fault::kClient;
  record.error = std::format("{} was still running after {} and was killed; its timeout was {}",
                             program_.name, std::chrono::round<std::chrono::milliseconds>(ran),
                             std::chrono::round<std::chrono::milliseconds>(request_.spec.timeout));
  return record;
}

std::string ProgramClient::take_keylog() {
  const std::string text =
      text_of(file(program_.keys_in_complaint ? kComplaintFile : clients::kKeysFile));
  // A line that is being written comes next time.
  const std::size_t end = text.rfind('\n') + 1;
  if (end <= keys_taken_) return {};
  const std::size_t begin = std::exchange(keys_taken_, end);
  return clients::keylog_lines(std::string_view(text).substr(begin, end - begin));
}

void ProgramClient::log_failure(const captures::QueryRecord& record,
                                const clients::ClientTraces& traces) const {
  if (record.outcome == Outcome::kAnswered) return;
  base::write_all(create(log_, O_APPEND),
                  std::format("{}: {}\n{}{}\n", record.id, traces.status.describe(), traces.output,
                              traces.complaint));
}

}  // namespace harness
