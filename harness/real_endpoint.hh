#pragma once

// A server of Debian as one arm's endpoint: its programs, run by a user without privileges in a
// folder of their own.

#include "base/child_process.hh"
#include "base/file_descriptor.hh"
#include "endpoints/certificate_chain.hh"
#include "endpoints/real_server.hh"
#include "endpoints/server_spec.hh"
#include "harness/endpoint.hh"
#include "harness/plan.hh"
#include "netns/network_namespace.hh"

#include <cstddef>
#include <filesystem>
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
  void check_alive() override;
  std::string finish(const base::Clock& clock) override;

 private:
  struct Running {
    endpoints::ServerProgram program;
    std::filesystem::path log;
    base::FileDescriptor notifications;  // sd_notify(3); not open where a port tells
    base::ChildProcess process;
  };

  std::string root_for(const endpoints::ServerProgram& program) const;
  void write_files(const std::vector<endpoints::ServerFile>& files) const;
  std::filesystem::path kept_files() const;
  void keep(const endpoints::ServerFile& file) const;
  void start(endpoints::ServerProgram program);
  bool is_ready(const Running& running, base::Nanoseconds patience) const;
  [[noreturn]] void report(const Running& running, const std::string& how) const;
  std::string describe(const endpoints::CertificateChain& chain, const std::string& version) const;

  const endpoints::RealServer& server_;
  std::string name_;  // with its release
  std::string arm_;
  const netns::NetworkNamespace& space_;
  Place place_;
  std::filesystem::path ca_file_;
  endpoints::ServerSpec spec_;
  std::string ready_facts_;
  std::vector<Running> running_;  // the backend first
};

}  // namespace harness
