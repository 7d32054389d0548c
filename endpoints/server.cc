#include "endpoints/server.hh"

#include "base/errors.hh"
#include "endpoints/bad_spec.hh"
#include "endpoints/bound_socket.hh"
#include "endpoints/datagram_responder.hh"
#include "endpoints/dns_stream_session.hh"
#include "endpoints/doh2_session.hh"
#include "endpoints/doh3_session.hh"
#include "endpoints/doq_session.hh"
#include "endpoints/quic_endpoint.hh"
#include "endpoints/ready_line.hh"
#include "endpoints/tcp_listener.hh"

#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <format>
#include <optional>
#include <unistd.h>
#include <utility>

namespace endpoints {
namespace {

constexpr std::size_t kMostKeylogLines = 10'000'000;
constexpr std::size_t kMostLogLines = 10'000;

CertificateChain chain_for(const ServerSpec& spec) {
  if (!spec.certificate_file.empty())
    return load_chain(spec.certificate_file, spec.private_key_file);
  return make_chain(spec.chain);
}

// Standard error stays open besides, for last words.
base::FileDescriptor take_over(int number, std::string_view option) {
  if (number < 0) return {};
  base::FileDescriptor taken(::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!taken.is_open()) throw BadSpec(std::format("{}: {} is no open descriptor", option, number));
  if (number > STDERR_FILENO) ::close(number);
  return taken;
}

std::string_view alpn_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::kDot:
      return transport::kAlpnDot;
    case Protocol::kDoh2:
      return transport::kAlpnHttp2;
    case Protocol::kDoh3:
      return transport::kAlpnHttp3;
    case Protocol::kDoq:
      return transport::kAlpnDoq;
    case Protocol::kDo53:
      break;
  }
  LABRUN_ASSERT(protocol != Protocol::kDo53);
  return "";
}

bool is_quic(Protocol protocol) {
  return protocol == Protocol::kDoq || protocol == Protocol::kDoh3;
}

transport::QuicListenerSettings quic_settings(const ServerSpec& spec) {
  transport::QuicListenerSettings settings;
  settings.retry = spec.retry;
  settings.connection.initial_rtt = spec.initial_rtt;
  settings.connection.max_udp_payload = spec.max_udp_payload;
  settings.connection.pmtud = spec.pmtud;
  settings.connection.seed = spec.quic_seed;
  settings.connection.idle_timeout = spec.idle_timeout;
  settings.connection.handshake_timeout = spec.idle_timeout;
  return settings;
}

StreamSessionFactory stream_sessions(Protocol protocol, const ServerSpec& spec,
                                     const Responder& responder) {
  if (protocol == Protocol::kDoh2)
    return [&spec, &responder] { return std::make_unique<Doh2Session>(responder, spec.doh_path); };
  const Carrier carrier = protocol == Protocol::kDot ? Carrier::kEncrypted : Carrier::kStream;
  return [carrier, &responder] { return std::make_unique<DnsStreamSession>(responder, carrier); };
}

transport::QuicSessionFactory quic_sessions(Protocol protocol, const ServerSpec& spec,
                                            const Responder& responder, const LogSink& log) {
  if (protocol == Protocol::kDoh3)
    return [&spec, &responder, log] {
      return std::make_unique<Doh3Session>(responder, spec.doh_path, log);
    };
  return [&responder, log] { return std::make_unique<DoqSession>(responder, log); };
}

}  // namespace

Server::Server(const base::Clock& clock, const ServerSpec& spec)
    : spec_(spec),
      chain_(chain_for(spec_)),
      responder_(Zone(spec_.records), spec_.answers),
      ready_(take_over(spec_.ready_descriptor, "--ready-fd")),
      keylog_(take_over(spec_.keylog_descriptor, "--keylog-fd"), kMostKeylogLines),
      log_(take_over(spec_.log_descriptor, "--log-fd"), kMostLogLines),
      loop_(clock) {
  watch_signals();
  for (const std::string& address : spec_.addresses)
    for (const ProtocolSpec& listener : spec_.listeners) add_listener(address, listener);
  write_ca_file();
}

Server::~Server() = default;

// Signals arrive as something to read, so that they end the loop between two events and never in
// one.
void Server::watch_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  ::sigaddset(&set, SIGINT);
  base::check_syscall(::sigprocmask(SIG_BLOCK, &set, nullptr), "block signals");
  signals_ = base::FileDescriptor(
      base::check_syscall(::signalfd(-1, &set, SFD_CLOEXEC), "create a signal descriptor"));
  loop_.watch(signals_.number(), EPOLLIN, [this](std::uint32_t) { stopping_ = true; });
}

void Server::add_listener(const std::string& address, const ProtocolSpec& listener) {
  if (is_quic(listener.protocol)) return add_quic(address, listener);
  add_tcp(address, listener);
  if (listener.protocol != Protocol::kDo53) return;
  const transport::SocketAddress local = socket_address(address, listener.port);
  datagram_responders_.push_back(std::make_unique<DatagramResponder>(
      loop_, DatagramSocket(bind_udp(local, Fragmentation::kAsNeeded, listener.name), local),
      responder_));
}

LogSink Server::log_of(const ProtocolSpec& listener) {
  return [this, name = listener.name](std::string_view line) {
    log_.add(std::format("{}: {}", name, line));
  };
}

void Server::add_tcp(const std::string& address, const ProtocolSpec& listener) {
  const Protocol protocol = listener.protocol;
  tcp_listeners_.push_back(std::make_unique<TcpListener>(
      loop_, listen_tcp(socket_address(address, listener.port), listener.name),
      TcpListenerSettings{.tls = protocol == Protocol::kDo53 ? nullptr : &context_for(protocol),
                          .make_session = stream_sessions(protocol, spec_, responder_),
                          .idle_timeout = spec_.idle_timeout,
                          .log = log_of(listener)}));
}

void Server::add_quic(const std::string& address, const ProtocolSpec& listener) {
  const transport::SocketAddress local = socket_address(address, listener.port);
  quic_endpoints_.push_back(std::make_unique<QuicEndpoint>(
      loop_, DatagramSocket(bind_udp(local, Fragmentation::kNever, listener.name), local),
      context_for(listener.protocol), quic_settings(spec_),
      quic_sessions(listener.protocol, spec_, responder_, log_of(listener))));
}

const transport::TlsContext& Server::context_for(Protocol protocol) {
  const auto found =
      std::ranges::find_if(contexts_, [&](const auto& entry) { return entry.first == protocol; });
  if (found != contexts_.end()) return *found->second;
  transport::TlsSettings settings;
  settings.role = transport::Role::kServer;
  settings.carrier =
      is_quic(protocol) ? transport::TlsCarrier::kQuic : transport::TlsCarrier::kStream;
  settings.groups = spec_.groups;
  settings.session_tickets = spec_.session_tickets;
  settings.early_data = spec_.early_data;
  settings.alpn = {std::string(alpn_of(protocol))};
  settings.certificate_chain_pem = chain_.certificates_pem;
  settings.private_key_pem = chain_.private_key_pem;
  if (spec_.keylog_descriptor >= 0)
    settings.keylog = [this](std::string_view line) {
      keylog_.add(line);
      if (spec_.keylog_at_once) keylog_.flush();
    };
  try {
    contexts_.emplace_back(protocol, std::make_unique<transport::TlsContext>(std::move(settings)));
  } catch (const base::LabError& error) {
    // Groups and certificates come from the user; so does what OpenSSL finds wrong with them.
    throw BadSpec(error.what());
  }
  return *contexts_.back().second;
}

void Server::write_ca_file() const {
  if (!spec_.ca_file.empty()) base::write_file_atomically(spec_.ca_file, chain_.anchor_pem);
}

void Server::run() {
  if (!spec_.quiet) log_.add(greeting(spec_, chain_));
  if (ready_.is_open()) base::write_all(ready_, ready_line(spec_, chain_) + '\n');
  ready_.close();
  while (!stopping_) {
    log_.flush();
    keylog_.flush_settled();
    loop_.run_once(std::nullopt);
  }
  log_.flush();
  keylog_.flush();
}

}  // namespace endpoints
