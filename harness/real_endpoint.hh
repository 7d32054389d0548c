#pragma once

// A server of Debian as one arm's endpoint: its programs, run by a user without privileges in a
// folder of their own.

#include "base/child_process.hh"
#include "base/clock.hh"
#include "base/file_descriptor.hh"
#include "endpoints/certificate_chain.hh"
#include "endpoints/real_server.hh"
#include "endpoints/server_spec.hh"
#include "harness/endpoint.hh"
#include "harness/plan.hh"
#include "harness/server_folder.hh"
#include "harness/server_keys.hh"
#include "netns/network_namespace.hh"

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace harness {

class RealEndpoint final : public Endpoint {
 public:
  struct Place {
    std::filesystem::path root{};  // that its programs are in; empty: our own
    std::filesystem::path folder;  // for certificate and configuration; must not exist
    // Gets what program NAME says, NAME-`number`.log, and in folder server-`number` its
    // configuration and what it says of its version.
    std::filesystem::path logs;
    std::size_t number = 0;  // of the arm in its plan
  };

  // Starts it in `space`, which outlives it. What stands behind a front is always the lab root's.
  // Throws LabError where a program cannot be started, for instance because it is not installed.
  RealEndpoint(const PlannedArm& arm, const netns::NetworkNamespace& space, Place place);
  RealEndpoint(const RealEndpoint&) = delete;
  RealEndpoint& operator=(const RealEndpoint&) = delete;

  void wait_until_ready(const base::Clock& clock) override;
  const std::string& ready_facts() const override { return ready_facts_; }
  const std::filesystem::path& ca_file() const override { return ca_file_; }
  std::string take_keylog() override { return keys_.take(); }
  std::vector<std::string> logs() const override;
  std::optional<ServerEnd> poll_end() override;
  void restart(const base::Clock& clock) override;
  Finish finish(const base::Clock& clock) override;

 private:
  struct Program {
    endpoints::ServerProgram told{};
    std::filesystem::path log{};
    base::FileDescriptor notifications{};  // sd_notify(3); not open where a port tells
    std::optional<base::ChildProcess> process{};
    pid_t group = -1;  // its process group, which may outlive it
  };

  std::string root_for(const endpoints::ServerProgram& program) const;
  void write_files(const endpoints::CertificateChain& chain,
                   std::vector<endpoints::ServerProgram> programs);
  std::string describe(const endpoints::CertificateChain& chain) const;
  std::filesystem::path kept_files() const;
  void keep(const endpoints::ServerFile& file) const;
  void start(Program& program);
  void kill(Program& program);
  void kill_all();
  bool is_ready(const Program& program, base::Nanoseconds patience) const;
  ServerEnd end_of(const Program& program, std::string how) const;
  [[noreturn]] void report(const Program& program, std::string how) const;
  std::string ask_to_end(Program& program);

  const endpoints::RealServer& server_;
  std::string name_;  // with its release
  std::string arm_;
  const netns::NetworkNamespace& space_;
  Place place_;
  ServerFolder folder_;
  ServerKeys keys_;
  std::filesystem::path ca_file_;
  endpoints::ServerSpec spec_;
  std::string ready_facts_;
  std::vector<Program> programs_;  // the backend first
};

}  // namespace harness
