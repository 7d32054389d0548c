#pragma once

// A routing netlink socket. It stays bound to the namespace in which it was opened, wherever the
// thread goes afterwards.

#include "base/errors.hh"
#include "netns/netlink_message.hh"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct nl_sock;

namespace netns {

// The kernel refused a request: "RTM_NEWQDISC: Specified qdisc kind is unknown: No such file or
// directory".
class NetlinkError : public base::SystemError {
 public:
  NetlinkError(std::string_view attempted, int error_number)
      : SystemError(attempted, error_number) {}
};

class NetlinkSocket {
 public:
  // Opens in the calling thread's namespace.
  NetlinkSocket();

  // Sends all requests with one system call; the kernel carries them out in order, each whatever
  // became of those before. One more system call reads the answer of the last. Throws NetlinkError
  // with the first refusal and the kernel's own text.
  void request(std::span<NetlinkMessage> messages);
  void request(NetlinkMessage& message) { request(std::span(&message, 1)); }

  // Sends a question and hands over every answer; a dump's as well.
  void ask(NetlinkMessage& question, const std::function<void(const nlmsghdr&)>& answer);

  // Queues the messages of a multicast group (RTNLGRP_*) from now on. Such a socket serves for
  // listening only.
  void join(int group);
  // Hands over queued messages, and waits for more, until `is_last` says so. Throws LabError when
  // none came for 5 s.
  void listen(const std::function<bool(const nlmsghdr&)>& is_last);

 private:
  void send(std::span<NetlinkMessage> messages, int flags_of_last);
  // Receives until the acknowledgement of the message numbered `last`.
  void receive_until(std::uint32_t last, std::span<NetlinkMessage> messages,
                     const std::function<void(const nlmsghdr&)>& answer);

  // Receives one datagram of messages and hands them over.
  void receive(std::string_view what, const std::function<void(const nlmsghdr&)>& message);

  struct Free {
    void operator()(nl_sock* socket) const;
  };
  std::unique_ptr<nl_sock, Free> socket_;
  std::uint32_t next_sequence_ = 1;
};

}  // namespace netns
