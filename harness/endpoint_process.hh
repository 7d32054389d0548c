#pragma once

// One running labdns: the server of one arm, in the server namespace.

#include "base/child_process.hh"
#include "base/clock.hh"
#include "base/line_reader.hh"
#include "harness/plan.hh"

#include <filesystem>
#include <string>

namespace harness {

class EndpointProcess {
 public:
  // When key log lines can be had: those of a connection together, when it is quiet, or each before
  // its secret is used.
  enum class Keys { kSettled, kLive };
  // Starts it; it is ready when wait_until_ready() has returned. `ca_file` is where it leaves its
  // trust anchor, `log` takes its standard error.
  EndpointProcess(const PlannedArm& arm, const std::filesystem::path& program,
                  int network_namespace, const std::filesystem::path& ca_file,
                  const std::filesystem::path& log, Keys keys);

  EndpointProcess(const EndpointProcess&) = delete;
  EndpointProcess& operator=(const EndpointProcess&) = delete;

  // Returns when every listener is bound. Throws LabError with the process's own words where it
  // ends or stays silent instead.
  void wait_until_ready(const base::Clock& clock);

  // What it said of itself when it became ready, one JSON object: certificate sizes, versions.
  const std::string& ready_facts() const { return ready_facts_; }
  const std::filesystem::path& ca_file() const { return ca_file_; }
  // Key log lines since the last call.
  std::string take_keylog() { return keylog_lines_.available(); }
  // Throws LabError when the process has ended.
  void check_alive();
  // Ends it, and returns the key log lines that it kept for connections still open. Throws LabError
  // where it does not end well.
  std::string finish(const base::Clock& clock);

 private:
  std::string describe_end(const std::string& how) const;

  std::string arm_;
  std::filesystem::path ca_file_;
  std::filesystem::path log_;
  base::Pipe ready_;
  base::Pipe keylog_;
  base::ChildProcess process_;
  base::LineReader ready_lines_;
  base::LineReader keylog_lines_;
  std::string ready_facts_;
};

}  // namespace harness
