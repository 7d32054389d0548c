#include "harness/client_checks.hh"

#include "clients/client_program.hh"
#include "harness/spelling.hh"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <format>
#include <utility>

namespace harness {
namespace {

using clients::ClientProgram;

// What QUIC clients do untold: ngtcp2 is behind all of them.
constexpr std::chrono::milliseconds kUsualInitialRtt{333};
constexpr std::uint64_t kUsualUdpPayload = 1200;

bool asks_over(const ClientProgram& program, Transport transport) {
  return std::ranges::contains(program.transports, to_string(transport),
                               [](clients::Transport known) { return clients::to_string(known); });
}

// The problems of one client, collected.
class Inspector {
 public:
  Inspector(const ClientProgram& program, const ClientSettings& client)
      : program_(program), client_(client) {}

  std::vector<ClientProblem> run(std::span<const Transport> transports) {
    check_transports(transports);
    check_groups();
    check_timeout();
    if (client_.connection != Connection::kCold)
      add("client.connection", std::format("asks cold only, one process for each query; not {}",
                                           captures::to_string(client_.connection)));
    check_quic();
    return std::move(problems_);
  }

 private:
  void add(std::string_view key, std::string_view what) {
    problems_.push_back(
        {.key = key,
         .text = std::format("{}: {} {} {}", key, program_.name, program_.behind, what)});
  }

  void check_transports(std::span<const Transport> transports) {
    std::vector<std::string_view> offered;
    for (const Transport transport : kAllTransports)
      if (asks_over(program_, transport)) offered.push_back(to_string(transport));
    for (const Transport transport : transports)
      if (!asks_over(program_, transport))
        add("client.transports",
            std::format("asks over {}; not {}", join_alternatives(offered), to_string(transport)));
  }

  void check_groups() {
    if (program_.chooses_groups) return;
    if (std::ranges::equal(client_.key_exchange, program_.own_groups)) return;
    add("client.key_exchange", std::format("cannot be told its groups; it offers {}",
                                           join_alternatives(program_.own_groups)));
  }

  void check_timeout() {
    if (program_.whole_seconds && client_.timeout % std::chrono::seconds(1) != base::Nanoseconds(0))
      add("client.timeout", "counts its timeout in whole seconds");
  }

  void check_quic() {
    if (client_.initial_rtt != kUsualInitialRtt)
      add("client.initial_rtt",
          std::format("cannot be told; its QUIC begins with {}", kUsualInitialRtt));
    if (client_.max_udp_payload.bytes != kUsualUdpPayload)
      add("client.max_udp_payload", "cannot be told the size of its datagrams");
    if (client_.pmtud) add("client.pmtud", "cannot be told whether to probe");
  }

  const ClientProgram& program_;
  const ClientSettings& client_;
  std::vector<ClientProblem> problems_;
};

}  // namespace

std::vector<std::string> usual_client_groups(std::string_view program,
                                             const std::vector<std::string>& server) {
  const ClientProgram* known = clients::find_client_program(program);
  if (known == nullptr || known->chooses_groups) return server;
  return {known->own_groups.begin(), known->own_groups.end()};
}

std::span<const std::string> shared_groups(const ClientSettings& client) {
  const ClientProgram* known = clients::find_client_program(client.program);
  const std::size_t shares = known == nullptr ? 1 : known->key_shares;
  return std::span(client.key_exchange).first(std::min(shares, client.key_exchange.size()));
}

std::vector<ClientProblem> problems_of(const ClientSettings& client,
                                       std::span<const Transport> transports) {
  const ClientProgram* program = clients::find_client_program(client.program);
  if (program == nullptr) return {};
  return Inspector(*program, client).run(transports);
}

}  // namespace harness
