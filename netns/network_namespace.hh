#pragma once

// A network namespace that is held by its descriptor alone: it has no name, and it vanishes with
// the last process, socket or descriptor in it, whatever way we end.

#include "base/file_descriptor.hh"

#include <utility>

namespace netns {

class NetworkNamespace {
 public:
  // A new, empty namespace (its loopback is down). The calling thread stays where it is. Throws
  // SystemError, with EPERM when the process may not create namespaces.
  static NetworkNamespace create();
  // The namespace that the calling thread is in.
  static NetworkNamespace current();

  // For setns(2) and ChildSpec::network_namespace; stays ours to close.
  int descriptor() const { return file_.number(); }

 private:
  explicit NetworkNamespace(base::FileDescriptor file) : file_(std::move(file)) {}
  base::FileDescriptor file_;
};

// The calling thread is inside a namespace while this exists, and back where it was afterwards.
// What is opened meanwhile (sockets, captures) stays bound to the namespace. A way back that fails
// ends the program: nothing would be measured where it claims to be.
class Entered {
 public:
  explicit Entered(const NetworkNamespace& space);
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  ~Entered();

 private:
  NetworkNamespace before_;
};

}  // namespace netns
