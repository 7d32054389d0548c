#pragma once

// One running labdns: the server of one arm, in the server namespace.

#include "base/child_process.hh"
#include "base/clock.hh"
#include "base/line_reader.hh"
#include "harness/endpoint.hh"
#include "harness/plan.hh"

#include <filesystem>
#include <string>

namespace harness {

class EndpointProcess final : public Endpoint {
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

  void wait_until_ready(const base::Clock& clock) override;
  const std::string& ready_facts() const override { return ready_facts_; }
  const std::filesystem::path& ca_file() const override { return ca_file_; }
  std::string take_keylog() override { return keylog_lines_.available(); }
  // It is ours: that it ends is a fault of the lab, and it is never started again.
  std::optional<ServerEnd> poll_end() override;
  void restart(const base::Clock& clock) override;
  Finish finish(const base::Clock& clock) override;

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
