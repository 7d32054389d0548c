#pragma once

// A lab network for tests that need a kernel: two families, one address of each per end.

#include "base/clock.hh"
#include "netns/lab_network.hh"
#include "netns/ping.hh"

#include <gtest/gtest.h>

#include <format>
#include <memory>
#include <optional>
#include <vector>

namespace netns {

inline IpAddress address(std::string_view text) {
  return IpAddress::parse(text).value();
}

// Builds the network anew for each test. Skips, and says so, where the process may not create
// namespaces.
class LabFixture : public testing::Test {
 protected:
  void SetUp() override {
    try {
      network_ = std::make_unique<LabNetwork>(spec());
    } catch (const base::SystemError& error) {
      if (error.error_number() != EPERM) throw;
      GTEST_SKIP() << "needs the right to create network namespaces: " << error.what();
    } catch (const std::exception& error) {
      FAIL() << base::describe_nested(error);
    }
  }

  static LabNetworkSpec spec() {
    return {.mtu = 1500,
            .client_addresses = {address("198.51.100.1"), address("2001:db8:53::1")},
            .server_addresses = {address("198.51.100.53"), address("2001:db8:53::53")}};
  }

  std::vector<std::optional<base::Nanoseconds>> ping_server(
      int count, std::string_view target = "198.51.100.53") {
    return ping(
        network_->client_namespace(),
        {.target = address(target), .count = count, .timeout = std::chrono::milliseconds(200)},
        clock_);
  }

  base::SystemClock clock_;
  std::unique_ptr<LabNetwork> network_;
};

// For what netem does. Skips where the kernel has none, so the lab kernel is where these run.
class NetemFixture : public LabFixture {
 protected:
  void SetUp() override {
    LabFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    try {
      network_->impair({.to_server = {.delay = std::chrono::milliseconds(1)}, .to_client = {}}, {});
    } catch (const NetemUnavailable& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

}  // namespace netns
