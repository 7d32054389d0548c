#include "netns/netem_qdisc.hh"

#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>

#include <format>

namespace netns {
namespace {

constexpr std::uint32_t kHandle = 1U << 16U;  // 1:0

tcmsg root_of(InterfaceIndex device) {
  tcmsg header{};
  header.tcm_family = AF_UNSPEC;
  header.tcm_ifindex = device.value;
  header.tcm_parent = TC_H_ROOT;
  return header;
}

NetlinkMessage netem_message(InterfaceIndex device, const OneWaySpec& spec, base::Seed seed,
                             int flags) {
  tcmsg header = root_of(device);
  header.tcm_handle = kHandle;
  NetlinkMessage message(RTM_NEWQDISC, flags, header);
  message.put(TCA_KIND, "netem");
  put_netem_options(message, spec, seed);
  return message;
}

void require_no_problems(const OneWaySpec& spec, std::string_view direction) {
  for (const SpecProblem& problem : problems_of(spec))
    throw base::LabError(std::format("{}: {}: {}", direction, problem.field, problem.text));
}

QdiscCounters parse_counters(std::span<const std::byte> payload) {
  const NetlinkAttributes attributes(payload);
  const auto basic = attributes.value<gnet_stats_basic>(TCA_STATS_BASIC);
  const auto queue = attributes.value<gnet_stats_queue>(TCA_STATS_QUEUE);
  QdiscCounters counters{.sent_packets = basic.packets,
                         .sent_bytes = basic.bytes,
                         .dropped = queue.drops,
                         .overlimits = queue.overlimits,
                         .requeues = queue.requeues,
                         .queued_packets = queue.qlen,
                         .queued_bytes = queue.backlog,
                         .netem = std::nullopt};
  // Beyond 2^32 packets the kernel adds a 64-bit count.
  if (attributes.has(TCA_STATS_PKT64))
    counters.sent_packets = attributes.value<std::uint64_t>(TCA_STATS_PKT64);
  if (attributes.payload(TCA_STATS_APP).size() >= sizeof(tc_netem_xstats)) {
    const auto own = attributes.value<tc_netem_xstats>(TCA_STATS_APP);
    counters.netem = QdiscCounters::Netem{.delayed = own.delayed,
                                          .dropped_by_loss = own.dropped,
                                          .corrupted = own.corrupted,
                                          .duplicated = own.duplicated,
                                          .reordered = own.reordered};
  }
  return counters;
}

}  // namespace

NetemUnavailable::NetemUnavailable(const std::string& reason)
    : LabError("this kernel cannot impair a path, it has no netem (" + reason +
               "); use the lab kernel (--kernel lab), or load the module: modprobe sch_netem") {}

NetemPair::NetemPair(NetlinkSocket& wire, InterfaceIndex to_server, InterfaceIndex to_client,
                     const PathSpec& path, const PathSeeds& seeds)
    : wire_(&wire), to_server_(to_server), to_client_(to_client), path_(path), seeds_(seeds) {
  try {
    send(NLM_F_CREATE | NLM_F_REPLACE);
  } catch (const NetlinkError& error) {
    if (error.error_number() == ENOENT) throw NetemUnavailable(error.what());
    throw;
  }
  verify();
}

void NetemPair::change(const PathSpec& path, const PathSeeds& seeds) {
  path_ = path;
  seeds_ = seeds;
  send(0);
}

void NetemPair::send(int flags) {
  require_no_problems(path_.to_server, "the way to the server");
  require_no_problems(path_.to_client, "the way to the client");
  std::array messages{netem_message(to_server_, path_.to_server, seeds_.to_server, flags),
                      netem_message(to_client_, path_.to_client, seeds_.to_client, flags)};
  wire_->request(messages);
}

void NetemPair::verify() {
  const auto compare = [](std::string_view direction, const NetemState& wanted,
                          const NetemState& found) {
    if (const auto difference = first_difference(wanted, found))
      throw base::LabError(std::format("netem on the way to the {}: {}", direction, *difference));
  };
  compare("server", expected_state(path_.to_server, seeds_.to_server), read_to_server().state);
  compare("client", expected_state(path_.to_client, seeds_.to_client), read_to_client().state);
}

QdiscReport NetemPair::read(InterfaceIndex device) {
  // The kernel sends its answer to a single question only as an echo.
  NetlinkMessage question(RTM_GETQDISC, NLM_F_ECHO, root_of(device));
  std::optional<QdiscReport> report;
  wire_->ask(question, [&](const nlmsghdr& answer) {
    if (answer.nlmsg_type != RTM_NEWQDISC) return;
    const NetlinkAttributes attributes(answer, sizeof(tcmsg));
    const std::string kind = attributes.text(TCA_KIND);
    if (kind != "netem")
      throw base::LabError(std::format("expected netem, found the qdisc {}", kind));
    report = QdiscReport{.state = parse_netem_options(attributes.payload(TCA_OPTIONS)),
                         .counters = parse_counters(attributes.payload(TCA_STATS2))};
  });
  if (!report) throw base::LabError(std::format("device {} reports no qdisc", device.value));
  return *report;
}

}  // namespace netns
