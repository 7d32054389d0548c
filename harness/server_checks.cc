#include "harness/server_checks.hh"

#include "endpoints/real_server.hh"
#include "harness/spelling.hh"
#include "transport/dns_text.hh"

#include <algorithm>
#include <cctype>
#include <format>
#include <ranges>
#include <set>
#include <utility>

namespace harness {
namespace {

using endpoints::Protocol;
using endpoints::RealServer;

Protocol protocol_of(Transport transport) {
  switch (transport) {
    case Transport::kDo53:
      return Protocol::kDo53;
    case Transport::kDot:
      return Protocol::kDot;
    case Transport::kDoh2:
      return Protocol::kDoh2;
    case Transport::kDoh3:
      return Protocol::kDoh3;
    case Transport::kDoq:
      break;
  }
  return Protocol::kDoq;
}

// The problems of one server, collected.
class Inspector {
 public:
  Inspector(const RealServer& server, const EndpointSettings& endpoint)
      : server_(server), endpoint_(endpoint) {}

  std::vector<ServerProblem> run(std::span<const Transport> transports) {
    check_transports(transports);
    check_groups();
    check_handshake(transports);
    check_answers();
    return std::move(problems_);
  }

 private:
  void add(std::string_view key, std::string_view what) {
    problems_.push_back(
        {.key = key, .text = std::format("{}: {} {} {}", key, server_.name, server_.behind, what)});
  }

  bool serves(Transport transport) const {
    return std::ranges::contains(server_.protocols, protocol_of(transport));
  }

  void check_transports(std::span<const Transport> transports) {
    std::vector<std::string_view> offered;
    for (const Transport transport : kAllTransports)
      if (serves(transport)) offered.push_back(to_string(transport));
    for (const Transport transport : transports)
      if (!serves(transport))
        add("client.transports", std::format("serves no {}; it offers {}", to_string(transport),
                                             join_alternatives(offered)));
  }

  void check_groups() {
    if (server_.chooses_groups) return;
    for (const std::string& group : endpoint_.key_exchange)
      if (!std::ranges::contains(server_.own_groups, group))
        return add("endpoint.key_exchange", std::format("has no {}; it offers {}", group,
                                                        join_alternatives(server_.own_groups)));
    for (const std::string_view own : server_.own_groups)
      if (!std::ranges::contains(endpoint_.key_exchange, own))
        add("endpoint.key_exchange",
            std::format("takes {}, too, and cannot be told not to; client.key_exchange can", own));
  }

  void check_handshake(std::span<const Transport> transports) {
    if (endpoint_.retry == Retry::kAlways && !server_.retry)
      add("endpoint.retry", "cannot be told to send Retry packets");
    if (endpoint_.early_data == EarlyData::kReject)
      add("endpoint.early_data", "cannot be told to refuse what its tickets allow");
    if (endpoint_.early_data != EarlyData::kAccept) return;
    for (const Transport transport : transports)
      if (facts(transport).encrypted &&
          !std::ranges::contains(server_.early_data, protocol_of(transport)))
        add("endpoint.early_data",
            std::format("takes no early data over {}", to_string(transport)));
  }

  void check_answers() {
    constexpr std::uint64_t kUsualUdpLimit = 1232;
    if (endpoint_.answer_bytes)
      add("endpoint.answer_bytes", "answers with what the zone has; only labdns fills answers up");
    if (endpoint_.udp_limit.bytes != kUsualUdpLimit)
      add("endpoint.udp_limit", std::format("keeps to {} bytes here", kUsualUdpLimit));
    for (const std::string& line : endpoint_.zone) check_record(line);
  }

  void check_record(const std::string& line) {
    using enum transport::RecordType;
    const auto record = transport::parse_record(line);
    if (!record) return;
    if (!server_.any_record) {
      if (record->type != kA && record->type != kAaaa)
        add("endpoint.zone", "answers with addresses only (A and AAAA)");
      if (!seen_.emplace(record->name, record->type).second)
        add("endpoint.zone", std::format("has one address of a kind for {}", record->name));
    }
    // Each server has marks of its own in its configuration. Texts are quoted in a zone file's way,
    // which all of them read.
    const std::string written = record->type == kTxt ? record->name : transport::to_string(*record);
    const bool plain = std::ranges::all_of(written, [](unsigned char c) {
      return std::isalnum(c) != 0 || std::string_view(" .-_:").contains(static_cast<char>(c));
    });
    if (!plain) add("endpoint.zone", "is told no names but of letters, digits, '-', '_' and '.'");
  }

  const RealServer& server_;
  const EndpointSettings& endpoint_;
  std::set<std::pair<std::string, transport::RecordType>> seen_;
  std::vector<ServerProblem> problems_;
};

}  // namespace

std::vector<std::string> usual_groups(std::string_view server) {
  const RealServer* real = endpoints::find_real_server(server);
  if (real == nullptr || real->chooses_groups) return {"X25519MLKEM768", "X25519"};
  return {real->own_groups.begin(), real->own_groups.end()};
}

std::vector<ServerProblem> problems_of(const EndpointSettings& endpoint,
                                       std::span<const Transport> transports) {
  const RealServer* server = endpoints::find_real_server(endpoint.server);
  if (server == nullptr) return {};
  return Inspector(*server, endpoint).run(transports);
}

}  // namespace harness
