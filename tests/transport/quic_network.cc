#include "tests/transport/quic_network.hh"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

namespace transport {
namespace {

SocketAddress address(const char* text, std::uint16_t port) {
  sockaddr_in native{};
  native.sin_family = AF_INET;
  native.sin_port = htons(port);
  ::inet_pton(AF_INET, text, &native.sin_addr);
  return SocketAddress(reinterpret_cast<const sockaddr*>(&native), sizeof native);
}

}  // namespace

UdpPath client_path() {
  return {.local = address("198.51.100.1", 10000), .remote = address("198.51.100.53", 853)};
}
UdpPath server_path() {
  return {.local = client_path().remote, .remote = client_path().local};
}

PathBehaviour drop_one(bool from_client, std::size_t ordinal) {
  return [=](const SentDatagram& datagram) -> std::optional<base::Nanoseconds> {
    const bool hit = datagram.from_client == from_client && datagram.ordinal == ordinal;
    return hit ? std::nullopt : std::optional(base::Nanoseconds(0));
  };
}

QuicNetwork::QuicNetwork(TlsSettings server_tls, QuicListenerSettings listener,
                         QuicSessionFactory factory)
    : server_context_(std::move(server_tls)),
      listener_(std::make_unique<QuicListener>(server_context_, std::move(listener),
                                               std::move(factory))) {}

void QuicNetwork::connect(const TlsSettings& client_tls, const QuicSettings& settings,
                          QuicEvents& events) {
  client_context_.emplace(client_tls);
  client = QuicConnection::connect(*client_context_, settings, kServerName, client_path(),
                                   clock_.now(), events);
  flush();
}

void QuicNetwork::flush() {
  if (client) {
    client->flush(clock_.now(),
                  [this](const UdpPath&, ByteSpan datagram) { send(true, datagram); });
  }
  listener_->flush(clock_.now(),
                   [this](const UdpPath&, ByteSpan datagram) { send(false, datagram); });
}

void QuicNetwork::send(bool from_client, ByteSpan bytes) {
  const SentDatagram datagram{.from_client = from_client,
                              .ordinal = sent_count_[from_client]++,
                              .sent_at = elapsed(),
                              .bytes = Bytes(bytes.begin(), bytes.end())};
  sent.push_back(datagram);
  if (const auto delay = path(datagram)) {
    under_way_.emplace(clock_.now() + kOneWayDelay + *delay, datagram);
  }
}

// Moves the clock to what comes next, but not beyond `limit`.
void QuicNetwork::step(base::Instant limit) {
  base::Instant next = limit;
  if (!under_way_.empty()) next = std::min(next, under_way_.begin()->first);
  if (const auto expiry = client ? client->expiry() : std::nullopt) next = std::min(next, *expiry);
  if (const auto expiry = listener_->expiry()) next = std::min(next, *expiry);
  clock_.set(std::max(next, clock_.now()));
  while (!under_way_.empty() && under_way_.begin()->first <= clock_.now()) {
    const auto node = under_way_.extract(under_way_.begin());
    if (node.mapped().from_client) {
      listener_->receive(server_path(), node.mapped().bytes, clock_.now());
    } else if (client) {
      client->receive(client_path(), node.mapped().bytes, clock_.now());
    }
  }
  listener_->handle_expiry(clock_.now());
  if (client && client->expiry() && *client->expiry() <= clock_.now()) {
    client->handle_expiry(clock_.now());
  }
  flush();
}

bool QuicNetwork::run_until(const std::function<bool()>& done, base::Nanoseconds limit) {
  const base::Instant deadline = clock_.now() + limit;
  while (!done()) {
    if (clock_.now() >= deadline) return false;
    step(deadline);
  }
  return true;
}

std::size_t QuicNetwork::bytes_sent(bool by_client, base::Nanoseconds until) const {
  std::size_t bytes = 0;
  for (const SentDatagram& datagram : sent) {
    if (datagram.from_client == by_client && datagram.sent_at <= until)
      bytes += datagram.bytes.size();
  }
  return bytes;
}

}  // namespace transport
