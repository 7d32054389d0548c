#include "harness/lab_kernel.hh"

#include "base/errors.hh"

#include <fcntl.h>
#include <format>

namespace harness {
namespace {

// The kernel takes a value with blanks in double quotes, and has no way to write a double quote.
std::string kernel_word(const std::string& name, const std::string& value) {
  if (value.find_first_of("\"\n") != std::string::npos)
    throw base::LabError(std::format(
        "start the lab kernel: the path {} holds a double quote or a line feed, which a kernel "
        "command line cannot carry",
        value));
  if (value.find(' ') == std::string::npos) return name + "=" + value;
  return std::format("{}=\"{}\"", name, value);
}

std::vector<std::string> arguments(const LabKernelSpec& spec) {
  std::vector<std::string> argv{
      spec.kernel.string(),
      std::format("mem={}M", spec.memory_megabytes),
      "root=/dev/root",
      "rootfstype=hostfs",
      "rootflags=/",
      "ro",
      kernel_word("init", spec.init.string()),
      "time-travel=inf-cpu",
      std::format("time-travel-start={}", LabKernel::kBootTimeNs),
      "seccomp=on",
      "con=null",
      "con0=null,fd:1",
      "ssl0=null,fd:3",
      "quiet",
      "panic=-1",
      std::format("labseed={}", spec.seed),
      "uml_dir=" + spec.scratch.string(),
      "umid=kernel",
  };
  for (const auto& [name, value] : spec.environment) argv.push_back(kernel_word(name, value));
  return argv;
}

base::ChildProcess start(const LabKernelSpec& spec, const base::FileDescriptor& message_end) {
  const base::FileDescriptor log(base::check_syscall(
      ::open(spec.console_log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), "create {}",
      spec.console_log.string()));
  return base::ChildProcess({
      .argv = arguments(spec),
      // The kernel looks for a place for its memory in TMPDIR first.
      .environment = {"HOME=" + spec.scratch.string(), "TMPDIR=" + memory_folder().string()},
      .descriptors = {{log.number(), 1}, {log.number(), 2}, {message_end.number(), 3}},
      .processor = spec.processor,
      .own_process_group = true,
  });
}

}  // namespace

// The write end lives in the kernel only, so that its end is our end of file.
LabKernel::LabKernel(const LabKernelSpec& spec) : LabKernel(spec, base::make_pipe()) {}

LabKernel::LabKernel(const LabKernelSpec& spec, base::Pipe messages)
    : messages_(std::move(messages.read_end)), process_(start(spec, messages.write_end)) {}

}  // namespace harness
