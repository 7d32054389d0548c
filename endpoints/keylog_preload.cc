// A shared library that is loaded into servers of others before OpenSSL: it writes the keys of
// their connections, as NSS key log lines, to the file that SSLKEYLOGFILE names. OpenSSL as Debian
// builds it can do that when a program asks for it, and servers do not ask. What a server does with
// its connections stays as it is; of C++ nothing is used that would have to be there at run time.

#include <openssl/ssl.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace {

template <typename Function>
Function original(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// Where a context keeps what its program set as its own callback.
int own_callback_slot() {
  static const int kSlot = ::SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return kSlot;
}

int keylog_file = -1;

// At the start, because nginx clears its environment.
__attribute__((constructor)) void open_keylog_file() {
  const char* name = std::getenv("SSLKEYLOGFILE");
  if (name != nullptr) keylog_file = ::open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

void write_line(const SSL* connection, const char* line) {
  char end = '\n';
  iovec parts[] = {{const_cast<char*>(line), std::strlen(line)}, {&end, 1}};
  // One call, so that lines of several threads stay whole. Without keys the server works as well.
  [[maybe_unused]] const auto written = ::writev(keylog_file, parts, 2);
  // nginx 1.26 and haproxy 3.0 take the keys of their QUIC connections from this very callback.
  void* own = ::SSL_CTX_get_ex_data(::SSL_get_SSL_CTX(connection), own_callback_slot());
  if (own != nullptr) reinterpret_cast<SSL_CTX_keylog_cb_func>(own)(connection, line);
}

void set_callback(SSL_CTX* context) {
  static const auto kSet =
      original<void (*)(SSL_CTX*, SSL_CTX_keylog_cb_func)>("SSL_CTX_set_keylog_callback");
  kSet(context, write_line);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void SSL_CTX_set_keylog_callback(
    SSL_CTX* context, SSL_CTX_keylog_cb_func callback) {
  ::SSL_CTX_set_ex_data(context, own_callback_slot(), reinterpret_cast<void*>(callback));
  set_callback(context);
}

__attribute__((visibility("default"))) SSL* SSL_new(SSL_CTX* context) {
  static const auto kNew = original<SSL* (*)(SSL_CTX*)>("SSL_new");
  if (context != nullptr && ::SSL_CTX_get_keylog_callback(context) != write_line)
    set_callback(context);
  return kNew(context);
}
}
