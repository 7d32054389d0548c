#include "netns/local_route_watch.hh"

#include <linux/rtnetlink.h>
#include <netlink/msg.h>

#include <set>

namespace netns {

LocalRouteWatch::LocalRouteWatch() {
  socket_.join(RTNLGRP_IPV6_ROUTE);
}

void LocalRouteWatch::wait_for(const std::vector<IpAddress>& addresses) {
  std::set<IpAddress> missing;
  for (const IpAddress& address : addresses)
    if (address.is_v6()) missing.insert(address);
  if (missing.empty()) return;
  const auto is_last = [&](const nlmsghdr& message) {
    if (message.nlmsg_type != RTM_NEWROUTE) return false;
    const auto& header = *static_cast<const rtmsg*>(nlmsg_data(&message));
    const auto destination =
        IpAddress::from(NetlinkAttributes(message, sizeof header).payload(RTA_DST));
    if (header.rtm_type == RTN_LOCAL && destination) missing.erase(*destination);
    return missing.empty();
  };
  base::with_context("wait until the addresses are local", [&] { socket_.listen(is_last); });
}

}  // namespace netns
