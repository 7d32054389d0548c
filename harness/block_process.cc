#include "harness/block_process.hh"

#include "base/errors.hh"
#include "harness/block_task.hh"
#include "harness/guest.hh"
#include "harness/plan_json.hh"
#include "harness/process_log.hh"

#include <sys/epoll.h>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <format>

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHostBlockWord = "LABRUN_HOST_BLOCK";
constexpr int kHostMessageDescriptor = 3;
// A longer line is not one of ours.
constexpr std::size_t kMaxMessageBytes = 1U << 16U;

std::vector<std::pair<std::string, std::string>> guest_words(const BlockPlace& place,
                                                             const PlannedBlock& block) {
  std::vector<std::pair<std::string, std::string>> words{
      {kGuestRootWord, place.image.root.string()},
      {kGuestProgramsWord, place.image.programs.string()},
      {kGuestRunWord, place.directory.path().string()},
      {kGuestBlockWord, std::to_string(block.index)}};
  for (std::size_t number = 0; number < place.release_roots.size(); ++number)
    words.emplace_back(guest_release_word(number), place.release_roots[number].string());
  return words;
}

base::ChildProcess start_host_block(const Image& image, const RunDirectory& directory,
                                    const PlannedBlock& block, const fs::path& console_log,
                                    const base::FileDescriptor& message_end) {
  const base::FileDescriptor log(base::check_syscall(
      ::open(console_log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), "create {}",
      console_log.string()));
  return base::ChildProcess({
      .argv = {(image.programs / "labrun").string()},
      .environment = {std::format("{}={}", kHostBlockWord, block.index),
                      std::format("{}={}", kGuestRunWord, directory.path().string()),
                      std::format("{}={}", kGuestProgramsWord, image.programs.string())},
      .descriptors = {{log.number(), 1},
                      {log.number(), 2},
                      {message_end.number(), kHostMessageDescriptor}},
      .own_process_group = true,
  });
}

}  // namespace

BlockProcess::BlockProcess(base::EventLoop& loop, const BlockPlace& place,
                           const PlannedBlock& block, KernelKind kind, int processor,
                           Observer observer)
    : loop_(loop),
      observer_(std::move(observer)),
      results_(place.directory.block(block.index)),
      console_log_(place.directory.logs() /
                   std::format("{}-console.log", block_name(block.index))) {
  fs::create_directories(results_);
  fs::create_directories(place.directory.scratch(block.index));
  if (kind == KernelKind::kLab) {
    kernel_.emplace(LabKernelSpec{
        .kernel = place.image.kernel,
        .init = place.image.programs / "labrun",
        .memory_megabytes = place.memory_megabytes,
        .processor = processor,
        .seed = block.seed,
        .environment = guest_words(place, block),
        .console_log = console_log_,
        .scratch = place.directory.scratch(block.index),
    });
    message_descriptor_ = kernel_->messages().number();
  } else {
    base::Pipe messages = base::make_pipe();
    host_process_.emplace(
        start_host_block(place.image, place.directory, block, console_log_, messages.write_end));
    host_messages_ = std::move(messages.read_end);
    message_descriptor_ = host_messages_.number();
  }
  loop_.watch(message_descriptor_, EPOLLIN, [this](std::uint32_t) { read_messages(); });
  watch_for_silence();
}

BlockProcess::~BlockProcess() {
  loop_.cancel(silence_);
  if (message_descriptor_ >= 0) loop_.forget(message_descriptor_);
}

void BlockProcess::read_messages() {
  const auto bytes =
      base::read_some(kernel_ ? kernel_->messages() : host_messages_, kMaxMessageBytes);
  if (!bytes) return;
  if (bytes->empty()) return end();
  watch_for_silence();
  unread_ += *bytes;
  for (std::size_t line_end = unread_.find('\n'); line_end != std::string::npos;
       line_end = unread_.find('\n')) {
    const std::string line = unread_.substr(0, line_end);
    unread_.erase(0, line_end + 1);
    handle_line(line);
  }
  if (unread_.size() > kMaxMessageBytes) unread_.clear();
}

void BlockProcess::handle_line(std::string_view line) {
  const auto message = parse_block_message(line);
  if (!message) {
    failure_ = message.error();
  } else if (message->kind == BlockMessage::Kind::kFinished) {
    finished_ = true;
  } else if (message->kind == BlockMessage::Kind::kFailed) {
    failure_ = message->reason;
  } else if (message->kind == BlockMessage::Kind::kDoing) {
    doing_ = message->doing;
  } else {
    observer_.on_message(*message);
  }
}

// On the host's kernel time never stands still, and every wait in there has its own end.
void BlockProcess::watch_for_silence() {
  if (!kernel_) return;
  loop_.cancel(silence_);
  silence_ = loop_.at(loop_.clock().now() + kSilentFor, [this] { give_up(); });
}

void BlockProcess::give_up() {
  failure_ = std::format("nothing was heard from its lab kernel for {} of real time", kSilentFor);
  if (!doing_.work.empty())
    failure_ += std::format(
        ", since it began to {}; its clock stands still while a program in it works without pause, "
        "and that server is the likely one",
        doing_.work);
  for (const std::string& log : doing_.logs)
    failure_ += std::format("; {} ends with: {}", log, end_of_log(results_ / log));
  kernel_->process().send_signal(SIGKILL);
  end();
}

// The process has closed its messages: it is ending, or was ended.
void BlockProcess::end() {
  loop_.forget(std::exchange(message_descriptor_, -1));
  loop_.cancel(silence_);
  base::ChildProcess& process = kernel_ ? kernel_->process() : *host_process_;
  const base::ExitStatus status = process.wait();
  if (failure_.empty() && !finished_)
    failure_ = std::format("its process ended early ({}); see {}", status.describe(),
                           console_log_.string());
  observer_.on_end(failure_);
}

bool is_host_block() {
  return std::getenv(kHostBlockWord) != nullptr;
}

int run_host_block() {
  const fs::path run = std::getenv(kGuestRunWord);
  const BlockMessages messages{base::FileDescriptor(kHostMessageDescriptor)};
  ::fcntl(kHostMessageDescriptor, F_SETFD, FD_CLOEXEC);
  try {
    const Plan plan = plan_from_json(base::read_file(run / "plan.json"));
    const PlannedBlock& block = plan.blocks.at(std::stoul(std::getenv(kHostBlockWord)));
    run_block_task({.plan = plan,
                    .block = block,
                    .programs = std::getenv(kGuestProgramsWord),
                    .scratch = run / ".scratch" / std::to_string(block.index),
                    .results = run / block_folder(block.index),
                    .virtual_time = false},
                   messages);
    messages.finished();
    return base::kExitSuccess;
  } catch (const std::exception& error) {
    messages.failed(base::describe_nested(error));
    return base::kExitLabFailure;
  }
}

}  // namespace harness
