#include "netns/netlink_socket.hh"

#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <new>
#include <optional>
#include <vector>

namespace netns {
namespace {

// The kernel fills answers of a dump up to 32 KiB.
constexpr std::size_t kReceiveBytes = 65'536;
// The kernel answers within the sending system call; a wait that long means that it never will.
constexpr timeval kAnswerDeadline{.tv_sec = 5, .tv_usec = 0};

NetlinkError error_from(const nlmsghdr& answer, std::span<NetlinkMessage> messages,
                        std::uint32_t last) {
  const auto* const error = static_cast<const nlmsgerr*>(nlmsg_data(&answer));
  const std::size_t back = last - answer.nlmsg_seq;
  std::string attempted = messages[messages.size() - 1 - back].name();
  if ((answer.nlmsg_flags & NLM_F_ACK_TLVS) != 0) {
    const bool capped = (answer.nlmsg_flags & NLM_F_CAPPED) != 0;
    const std::size_t request = capped ? 0 : error->msg.nlmsg_len - sizeof(nlmsghdr);
    const std::string text =
        NetlinkAttributes(answer, sizeof(nlmsgerr) + request).text(NLMSGERR_ATTR_MSG);
    if (!text.empty()) attempted += ": " + text;
  }
  return NetlinkError(attempted, -error->error);
}

}  // namespace

void NetlinkSocket::Free::operator()(nl_sock* socket) const {
  nl_socket_free(socket);
}

NetlinkSocket::NetlinkSocket() : socket_(nl_socket_alloc()) {
  if (!socket_) throw std::bad_alloc();
  if (const int result = nl_connect(socket_.get(), NETLINK_ROUTE); result < 0)
    throw base::LabError(std::string("open a routing netlink socket: ") + nl_geterror(result));
  const int descriptor = nl_socket_get_fd(socket_.get());
  const int on = 1;
  // Error texts, and answers without a copy of the request.
  for (const int option : {NETLINK_EXT_ACK, NETLINK_CAP_ACK})
    base::check_syscall(::setsockopt(descriptor, SOL_NETLINK, option, &on, sizeof on),
                        "set option {} of a netlink socket", option);
  base::check_syscall(
      ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &kAnswerDeadline, sizeof kAnswerDeadline),
      "set the deadline of a netlink socket");
}

void NetlinkSocket::request(std::span<NetlinkMessage> messages) {
  send(messages, NLM_F_ACK);
  receive_until(next_sequence_ - 1, messages, [](const nlmsghdr&) {});
}

void NetlinkSocket::ask(NetlinkMessage& question,
                        const std::function<void(const nlmsghdr&)>& answer) {
  const bool is_dump = (question.header().nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
  const std::span one(&question, 1);
  // A dump ends with NLMSG_DONE of its own accord, a single answer with the acknowledgement asked
  // for here.
  send(one, is_dump ? 0 : NLM_F_ACK);
  receive_until(next_sequence_ - 1, one, answer);
}

void NetlinkSocket::send(std::span<NetlinkMessage> messages, int flags_of_last) {
  LABRUN_ASSERT(!messages.empty());
  std::vector<iovec> parts;
  for (NetlinkMessage& message : messages) {
    message.header().nlmsg_seq = next_sequence_++;
    message.header().nlmsg_pid = nl_socket_get_local_port(socket_.get());
    // Every part but the last starts the next on netlink's alignment by itself: all our attributes
    // are padded.
    parts.push_back({&message.header(), NLMSG_ALIGN(message.header().nlmsg_len)});
  }
  messages.back().header().nlmsg_flags |= static_cast<std::uint16_t>(flags_of_last);
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  msghdr envelope{};
  envelope.msg_name = &kernel;
  envelope.msg_namelen = sizeof kernel;
  envelope.msg_iov = parts.data();
  envelope.msg_iovlen = parts.size();
  base::check_syscall(::sendmsg(nl_socket_get_fd(socket_.get()), &envelope, 0), "send {}",
                      messages.back().name());
}

void NetlinkSocket::receive(std::string_view what,
                            const std::function<void(const nlmsghdr&)>& message) {
  alignas(nlmsghdr) std::array<char, kReceiveBytes> buffer;
  const ssize_t received = base::check_syscall(
      ::recv(nl_socket_get_fd(socket_.get()), buffer.data(), buffer.size(), MSG_TRUNC),
      "receive {}", what);
  LABRUN_ASSERT(static_cast<std::size_t>(received) <= buffer.size());
  auto* position = reinterpret_cast<nlmsghdr*>(buffer.data());
  int remaining = static_cast<int>(received);
  for (; nlmsg_ok(position, remaining); position = nlmsg_next(position, &remaining))
    message(*position);
}

void NetlinkSocket::receive_until(std::uint32_t last, std::span<NetlinkMessage> messages,
                                  const std::function<void(const nlmsghdr&)>& answer) {
  const std::string what = "the answer to " + messages.back().name();
  std::optional<NetlinkError> refusal;
  bool done = false;
  const auto take = [&](const nlmsghdr& message) {
    const bool is_last = message.nlmsg_seq == last;
    // What an abandoned question left behind.
    if (last - message.nlmsg_seq >= messages.size()) return;
    if (message.nlmsg_type == NLMSG_DONE) {
      done = done || is_last;
    } else if (message.nlmsg_type == NLMSG_ERROR) {
      const auto* const error = static_cast<const nlmsgerr*>(nlmsg_data(&message));
      if (error->error != 0 && !refusal) refusal = error_from(message, messages, last);
      done = done || is_last;
    } else if (is_last) {
      answer(message);
    }
  };
  while (!done) receive(what, take);
  if (refusal) throw *refusal;
}

void NetlinkSocket::join(int group) {
  if (const int result = nl_socket_add_membership(socket_.get(), group); result < 0)
    throw base::LabError(std::string("join a netlink group: ") + nl_geterror(result));
}

void NetlinkSocket::listen(const std::function<bool(const nlmsghdr&)>& is_last) {
  bool done = false;
  while (!done)
    receive("a notification", [&](const nlmsghdr& message) { done = done || is_last(message); });
}

}  // namespace netns
