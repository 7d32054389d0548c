#include "tests/decoder/decoding.hh"

#include "base/child_process.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "tests/decoder/labrun_packets.hh"
#include "tests/decoder/tshark_packets.hh"
#include "tests/e2e/program_run.hh"

#include <fcntl.h>
#include <format>
#include <unistd.h>

namespace decoder {
namespace {

base::FileDescriptor new_file(const std::filesystem::path& path) {
  return base::FileDescriptor(base::check_syscall(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600), "create {}", path.string()));
}

}  // namespace

std::string output_of(const std::vector<std::string>& argv) {
  // In files, because what the two streams say must neither mix nor wait for a reader.
  const e2e::TemporaryFolder folder;
  const base::FileDescriptor output = new_file(folder.path() / "output");
  const base::FileDescriptor errors = new_file(folder.path() / "errors");
  base::ChildProcess program(
      {.argv = argv,
       .environment = {"PATH=/usr/sbin:/usr/bin", "LC_ALL=C.UTF-8",
                       "HOME=" + folder.path().string()},
       .descriptors = {{output.number(), STDOUT_FILENO}, {errors.number(), STDERR_FILENO}}});
  const base::ExitStatus status = program.wait();
  if (!status.succeeded())
    throw base::LabError(std::format("{} {}: {}: {}", argv[0], argv.size() > 1 ? argv[1] : "",
                                     status.describe(), base::read_file(folder.path() / "errors")));
  return base::read_file(folder.path() / "output");
}

Comparison compare_decoders(const std::filesystem::path& capture,
                            const std::filesystem::path& keylog) {
  std::vector<std::string> ours{e2e::program("labrun"), "analyze", capture, "--packets"};
  std::vector<std::string> tshark{"/usr/bin/tshark", "-r", capture};
  const auto& arguments = pdml_arguments();
  tshark.insert(tshark.end(), arguments.begin(), arguments.end());
  if (!keylog.empty()) {
    ours.insert(ours.end(), {"--keylog", keylog});
    tshark.insert(tshark.end(), {"-o", "tls.keylog_file:" + keylog.string()});
  }
  return Comparison(capture.filename(), parse_packet_lines(output_of(ours)),
                    parse_pdml(output_of(tshark)));
}

}  // namespace decoder
