#pragma once

// labdns as a process on the loopback interface, and the tools of others to ask it with.

#include "base/child_process.hh"
#include "base/file_descriptor.hh"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace endpoints {

// What is there until the end of `from`, or until nothing came for some seconds.
std::string read_to_end(const base::FileDescriptor& from);

struct ToolResult {
  base::ExitStatus status;
  std::string output;
};
// Runs a program to its end; its standard error joins its output.
ToolResult run_tool(const std::vector<std::string>& argv);

// Ended with this object.
class LabdnsProcess {
 public:
  // Serves 127.0.0.1 on ports that are free, once ready. Throws LabError otherwise.
  explicit LabdnsProcess(std::vector<std::string> options = {});
  ~LabdnsProcess();

  // The one that this process has in place of `standard`: port(853).
  std::string port(int standard) const { return std::to_string(standard + offset_); }
  const std::string& ready_line() const { return ready_line_; }
  const std::string& ca_file() const { return ca_file_; }
  // Ends it with a signal and says how it went.
  base::ExitStatus end(int signal);
  // Everything on --keylog-fd; after end().
  std::string keylog() { return read_to_end(keylog_); }

 private:
  bool start(std::vector<std::string> options);

  int offset_;
  std::string ca_file_;
  std::string ready_line_;
  base::FileDescriptor keylog_;
  std::unique_ptr<base::ChildProcess> process_;
};

}  // namespace endpoints
