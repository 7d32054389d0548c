// Values are those of mainline Linux with common memory sizes, so that figures compare with what
// deployed hosts do, except where the reason says otherwise.

#include "netns/sysctls.hh"

#include <array>

namespace netns {
namespace {

constexpr std::array kEndSysctls = std::to_array<SysctlSetting>({
    {"net.ipv4.tcp_congestion_control", "cubic",
     "mainline default; a host whose own default is another permits only reno", "reno"},
    {"net.ipv4.tcp_no_metrics_save", "1", "a connection must not learn from those before it"},
    {"net.ipv4.tcp_syn_retries", "6", "how often a lost SYN is repeated"},
    {"net.ipv4.tcp_synack_retries", "5", "how often a lost SYN-ACK is repeated"},
    {"net.ipv4.tcp_syn_linear_timeouts", "4", "SYNs at 1 s steps before doubling, since Linux 6.5"},
    {"net.ipv4.tcp_retries2", "15", "how long a connection without progress lives"},
    {"net.ipv4.tcp_rto_min_us", "200000", "lower bound of the retransmission timeout"},
    {"net.ipv4.tcp_rto_max_ms", "120000", "upper bound of the retransmission timeout"},
    {"net.ipv4.tcp_early_retrans", "3", "tail loss probe on"},
    {"net.ipv4.tcp_recovery", "1", "RACK loss detection (RFC 8985)"},
    {"net.ipv4.tcp_frto", "2", "detects spurious timeouts (RFC 5682)"},
    {"net.ipv4.tcp_reordering", "3", "initial reordering tolerance"},
    {"net.ipv4.tcp_sack", "1", "selective acknowledgements (RFC 2018)"},
    {"net.ipv4.tcp_dsack", "1", "reports duplicates (RFC 2883)"},
    {"net.ipv4.tcp_timestamps", "1", "RFC 7323; 12 bytes in every segment"},
    {"net.ipv4.tcp_window_scaling", "1", "RFC 7323"},
    {"net.ipv4.tcp_ecn", "2", "ECN only when the peer asks for it"},
    {"net.ipv4.tcp_fastopen", "0", "a cold connection carries no cookie"},
    {"net.ipv4.tcp_syncookies", "1", "never reached by one client"},
    {"net.ipv4.tcp_slow_start_after_idle", "1", "mainline default"},
    {"net.ipv4.tcp_autocorking", "1", "mainline default"},
    {"net.ipv4.tcp_mtu_probing", "0", "no probes of the path MTU"},
    {"net.ipv4.tcp_moderate_rcvbuf", "1", "receive window grows by itself"},
    {"net.ipv4.tcp_rmem", "4096 131072 6291456", "namespaces inherit the host's"},
    {"net.ipv4.tcp_wmem", "4096 16384 4194304", "namespaces inherit the host's"},
    {"net.ipv4.tcp_limit_output_bytes", "4194304", "what a sender may queue on its own device"},
    {"net.ipv4.ip_local_port_range", "32768 60999", "ports that a scenario does not choose"},
    {"net.ipv4.ip_unprivileged_port_start", "0", "servers bind port 53 without privilege"},
    {"net.ipv4.ping_group_range", "0 2147483647", "calibration pings without privilege"},
    {"net.ipv4.ip_no_pmtu_disc", "0", "TCP sets DF"},
    {"net.ipv4.ip_forward", "0", "an end is no router"},
    {"net.ipv4.icmp_ratelimit", "0", "an unreachable port answers every query alike"},
    {"net.ipv4.icmp_echo_ignore_all", "0", "answers the calibration"},
    {"net.ipv4.conf.all.rp_filter", "0", "no packet is dropped for its source"},
    {"net.ipv4.conf.default.rp_filter", "0", "no packet is dropped for its source"},
    {"net.ipv6.icmp.ratelimit", "0", "an unreachable port answers every query alike"},
    {"net.ipv6.icmp.echo_ignore_all", "0", "answers the calibration"},
    {"net.ipv6.auto_flowlabels", "0", "flow labels come from a random key"},
    {"net.ipv6.conf.all.disable_ipv6", "0", "namespaces may inherit 1"},
    {"net.ipv6.conf.default.disable_ipv6", "0", "namespaces may inherit 1"},
    {"net.ipv6.conf.all.accept_dad", "0",
     "addresses are usable at once; the kernel takes the larger"},
    {"net.ipv6.conf.default.accept_dad", "0",
     "addresses are usable at once; the kernel takes the larger"},
    {"net.ipv6.conf.all.accept_ra", "0", "no router advertisements"},
    {"net.ipv6.conf.default.accept_ra", "0", "no router advertisements"},
    {"net.ipv6.conf.default.router_solicitations", "0", "no packet but the ends' own"},
    {"net.ipv6.conf.default.autoconf", "0", "no address but the lab's"},
    {"net.ipv6.conf.default.use_tempaddr", "0", "no address but the lab's"},
    {"net.ipv6.conf.default.addr_gen_mode", "1", "no link-local address"},
    {"net.core.rmem_default", "", "receive buffer of UDP sockets"},
    {"net.core.rmem_max", "", "largest receive buffer that a server can ask for"},
    {"net.core.wmem_default", "", "send buffer of UDP sockets"},
    {"net.core.wmem_max", "", "largest send buffer that a server can ask for"},
});

constexpr std::array kWireSysctls = std::to_array<SysctlSetting>({
    {"net.ipv6.conf.all.disable_ipv6", "1", "no packet but the ends' own"},
    {"net.ipv6.conf.default.disable_ipv6", "1", "no packet but the ends' own"},
    {"net.ipv4.ip_forward", "0", "the wire is a bridge, not a router"},
    {"net.bridge.bridge-nf-call-iptables", "0", "no firewall rule sees bridged packets"},
    {"net.bridge.bridge-nf-call-ip6tables", "0", "no firewall rule sees bridged packets"},
    {"net.bridge.bridge-nf-call-arptables", "0", "no firewall rule sees bridged packets"},
});

}  // namespace

std::span<const SysctlSetting> end_sysctls() {
  return kEndSysctls;
}
std::span<const SysctlSetting> wire_sysctls() {
  return kWireSysctls;
}

}  // namespace netns
