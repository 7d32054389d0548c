#pragma once

// The servers of a block while its lab stands, one for each arm that has queries in it. One that
// ends on its own is started again before its next query; one that does not come up then stays
// down.

#include "base/clock.hh"
#include "harness/endpoint.hh"
#include "harness/endpoint_process.hh"
#include "netns/network_namespace.hh"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace harness {

struct BlockContext;

class BlockServers {
 public:
  // Starts them all at once in `space` and waits until each is ready. All that is passed must
  // outlive it. Throws LabError where one cannot be started.
  BlockServers(const BlockContext& context, const netns::NetworkNamespace& space,
               EndpointProcess::Keys keys, const base::Clock& clock);

  bool has(std::size_t arm) const { return servers_[arm].endpoint != nullptr; }
  Endpoint& of(std::size_t arm) { return *servers_[arm].endpoint; }

  // Tells the host that work with this server begins ("ask dot:3 of unbound"): should time stand
  // still from now on, it is probably the one that works without pause.
  void announce(std::size_t arm, const std::string& work) const;
  // Sees to it that the server runs. Where it does not, because it did not come up again: why.
  std::optional<std::string> revive(std::size_t arm);
  // How the server ended since revive(), where it did; `query` was under way.
  std::optional<ServerEnd> end_during(std::size_t arm, const std::string& query);
  // Ends them; returns the last key log lines.
  std::string finish();

  // All ends that nobody had asked for, in their order.
  const std::vector<ServerEnd>& ends() const { return ends_; }
  nlohmann::json describe() const;

 private:
  struct Server {
    std::unique_ptr<Endpoint> endpoint{};  // null where no query of the block needs it
    bool down = false;                     // it has ended
    std::string given_up{};                // why it is not started any more
  };

  std::filesystem::path root_of(std::size_t arm) const;
  std::unique_ptr<Endpoint> make_endpoint(std::size_t arm, EndpointProcess::Keys keys) const;

  const BlockContext& context_;
  const netns::NetworkNamespace& space_;
  const base::Clock& clock_;
  std::vector<Server> servers_;  // by arm
  std::vector<ServerEnd> ends_;
};

}  // namespace harness
