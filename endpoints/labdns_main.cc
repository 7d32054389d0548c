// labdns, the reference server of the lab: DNS over UDP, TCP, TLS, HTTP/2, HTTP/3 and QUIC from
// static data.

#include "base/clock.hh"
#include "base/errors.hh"
#include "endpoints/bad_spec.hh"
#include "endpoints/command_line.hh"
#include "endpoints/server.hh"

#include <csignal>
#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  // A reader that has gone is an error of the write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto spec = endpoints::parse_command_line(argc, argv, std::cout, std::cerr);
    if (!spec) return spec.error();
    const base::SystemClock clock;
    endpoints::Server server(clock, *spec);
    server.run();
    return base::kExitSuccess;
  } catch (const endpoints::BadSpec& error) {
    std::cerr << "labdns: " << error.what() << '\n';
    return base::kExitBadInput;
  } catch (const std::exception& error) {
    std::cerr << "labdns: " << base::describe_nested(error) << '\n';
    return base::kExitLabFailure;
  }
}
