#include "netns/network_namespace.hh"

#include "base/errors.hh"

#include <fcntl.h>
#include <sched.h>

namespace netns {

using base::check_syscall;

NetworkNamespace NetworkNamespace::current() {
  // The thread's own: /proc/self would be the first thread's.
  return NetworkNamespace(
      base::FileDescriptor(check_syscall(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC),
                                         "open the thread's network namespace")));
}

NetworkNamespace NetworkNamespace::create() {
  const Entered stay(current());
  check_syscall(::unshare(CLONE_NEWNET), "create a network namespace");
  return current();
}

Entered::Entered(const NetworkNamespace& space) : before_(NetworkNamespace::current()) {
  check_syscall(::setns(space.descriptor(), CLONE_NEWNET), "enter a network namespace");
}

Entered::~Entered() {
  LABRUN_ASSERT(::setns(before_.descriptor(), CLONE_NEWNET) == 0);
}

}  // namespace netns
