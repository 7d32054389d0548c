// Stands in for unbound, and goes wrong as the file /fault in its root directory says: the name of
// a fault, with "server-1" behind it only where that is its arm's folder. It answers Do53 over UDP,
// each question with no records. Statically linked, so that it is all that its root needs.

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

constexpr int kAnswersBeforeFault = 5;

std::string fault;   // empty: none
std::string folder;  // that its configuration is in
bool hangs = false;

bool is(std::string_view name) {
  return fault == name;
}

void say(const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
}

void read_fault() {
  std::ifstream file("/fault");
  std::string arm;
  file >> fault >> arm;
  if (!arm.empty() && !folder.contains(arm)) fault.clear();
}

// "version": what -V asks for.
int print_version() {
  read_fault();
  while (is("version-without-end")) {
    std::printf("Version");
    std::fflush(stdout);
    ::sleep(1);
  }
  std::printf("Version 1.26.2\n");
  return 0;
}

// The address of the first "  interface: 10.53.0.1@53" of the configuration.
sockaddr_in where_to_listen(const std::string& configuration) {
  std::ifstream file(configuration);
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find("interface: ");
    const std::size_t at = line.find("@53");
    if (begin == std::string::npos || at == std::string::npos) continue;
    const std::size_t after = begin + std::strlen("interface: ");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(53);
    if (::inet_pton(AF_INET, line.substr(after, at - after).c_str(), &address.sin_addr) == 1)
      return address;
  }
  return {};
}

int listen(const std::string& configuration) {
  const sockaddr_in address = where_to_listen(configuration);
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  if (address.sin_port == 0) return socket;  // nobody asked for Do53
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return socket;
  std::perror("bind");
  std::exit(1);
}

void tell_ready() {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM, 0);
  constexpr std::string_view kReady = "READY=1";
  ::sendto(socket, kReady.data(), kReady.size(), 0, reinterpret_cast<const sockaddr*>(&address),
           sizeof address);
  ::close(socket);
}

void begin() {
  say("faulty server started");
  std::signal(SIGTERM, [](int) { ::_exit(0); });
  const std::string marker = folder + "/was-here";
  if (is("crash-at-start")) std::raise(SIGSEGV);
  if (is("crash-and-stay-down") && std::ifstream(marker).good()) {
    say("cannot start twice");
    std::exit(1);
  }
  std::ofstream(marker) << "once\n";
  if (is("never-ready")) ::pause();
  if (is("ready-late")) ::sleep(3);
  if (is("hang")) std::signal(SIGTERM, SIG_IGN);
  if (is("bad-end"))
    std::signal(SIGTERM, [](int) {
      constexpr std::string_view kWords = "I did not like that\n";
      [[maybe_unused]] const auto written = ::write(2, kWords.data(), kWords.size());
      ::_exit(7);
    });
}

void go_wrong() {
  if (is("crash") || is("crash-and-stay-down")) {
    // Not all that a server says is text.
    std::fprintf(stderr, "about to crash \xff\xfe\x01\n");
    std::raise(SIGSEGV);
  }
  hangs = is("hang");
  volatile bool forever = is("spin");
  if (forever) say("begins to spin");
  while (forever) {
  }
  const std::string page(1U << 16U, 'x');
  constexpr int kPages = 1024;
  if (is("fill-log"))
    for (int count = 0; count < kPages; ++count) [[maybe_unused]]
      const auto written = ::write(2, page.data(), page.size());
}

void serve(int socket) {
  std::array<std::uint8_t, 4096> message{};
  for (int answers = 0;; ++answers) {
    sockaddr_in client{};
    socklen_t length = sizeof client;
    const ssize_t size = ::recvfrom(socket, message.data(), message.size(), 0,
                                    reinterpret_cast<sockaddr*>(&client), &length);
    if (answers == kAnswersBeforeFault) go_wrong();
    if (size < 12 || hangs) continue;
    message[2] |= 0x80;  // a response, and NOERROR
    message[3] = 0;
    ::sendto(socket, message.data(), static_cast<std::size_t>(size), 0,
             reinterpret_cast<const sockaddr*>(&client), length);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string configuration;
  for (int index = 1; index < argc; ++index) {
    if (std::string_view(argv[index]) == "-V") return print_version();
    if (std::string_view(argv[index]) == "-c" && index + 1 < argc) configuration = argv[index + 1];
  }
  folder = configuration.substr(0, configuration.rfind('/'));
  read_fault();
  begin();
  const int socket = listen(configuration);
  tell_ready();
  serve(socket);
}
