#pragma once

// ICMP and ICMPv6 echo: calibrates the path before and after what is measured on it.

#include "base/clock.hh"
#include "netns/ip_address.hh"
#include "netns/network_namespace.hh"

#include <optional>
#include <vector>

namespace netns {

struct PingSpec {
  IpAddress target;
  int count = 5;
  // Of one request; one that is not answered by then is lost, and its answer, should it still come,
  // is ignored.
  base::Nanoseconds timeout = std::chrono::seconds(1);
};

// Sends `count` requests from `from`, one after the other, and returns each round trip, nullopt
// where no answer came. Four system calls per request. Throws SystemError when a request cannot be
// sent.
std::vector<std::optional<base::Nanoseconds>> ping(const NetworkNamespace& from,
                                                   const PingSpec& spec, const base::Clock& clock);

}  // namespace netns
