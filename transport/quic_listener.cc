#include "transport/quic_listener.hh"

#include "base/errors.hh"
#include "transport/quic_address_validation.hh"
#include "transport/quic_core.hh"

#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace transport {
namespace {

// RFC 9000 section 14.1: smaller first datagrams are not answered, so that nobody is amplified.
constexpr std::size_t kMinInitialDatagram = 1200;

Bytes key_of(const ngtcp2_cid& cid) {
  return {cid.data, cid.data + cid.datalen};
}

struct Outgoing {
  UdpPath path;
  Bytes datagram;
};

}  // namespace

class QuicListener::Core {
 public:
  Core(const TlsContext& context, QuicListenerSettings settings, QuicSessionFactory factory)
      : context_(context), settings_(std::move(settings)), factory_(std::move(factory)) {
    LABRUN_ASSERT(context.settings().role == Role::kServer);
  }

  void receive(const UdpPath& path, ByteSpan datagram, base::Instant now);
  void handle_expiry(base::Instant now);
  void flush(base::Instant now, const DatagramSink& sink);
  void touch(std::uint64_t serial);
  std::optional<base::Instant> expiry() const;
  std::size_t connection_count() const { return entries_.size(); }
  const QuicListenerCounters& counters() const { return counters_; }

 private:
  struct Entry {
    // The connection refers to the session, so it goes first.
    std::unique_ptr<QuicSession> session;
    std::unique_ptr<QuicConnection> connection;
    ngtcp2_pkt_hd first_header{};  // without its token; for a Retry that comes later
    std::vector<Bytes> routes;
    std::optional<base::Instant> armed;
    bool touched = false;
    bool retiring = false;
  };
  void deliver(std::uint64_t serial, const UdpPath& path, ByteSpan datagram, base::Instant now);
  void receive_first(const UdpPath& path, ByteSpan datagram, base::Instant now);
  void accept(const QuicAcceptance& acceptance, ByteSpan datagram, base::Instant now);
  void route(std::uint64_t serial, const ngtcp2_cid& cid, bool added);
  void rearm(std::uint64_t serial, Entry& entry);
  void remove(std::uint64_t serial);
  void remove_retired(base::Instant now);
  void answer(const UdpPath& path, Bytes datagram);

  const TlsContext& context_;
  QuicListenerSettings settings_;
  QuicSessionFactory factory_;
  AddressValidation validation_;
  QuicListenerCounters counters_;
  std::uint64_t next_serial_ = 1;
  std::map<std::uint64_t, Entry> entries_;
  std::map<Bytes, std::uint64_t> routes_;  // by connection ID
  std::set<std::pair<base::Instant, std::uint64_t>> timers_;
  std::vector<std::uint64_t> touched_;
  std::deque<std::pair<base::Instant, std::uint64_t>> retired_;
  std::vector<Outgoing> answers_;  // of no connection
};

void QuicListener::Core::receive(const UdpPath& path, ByteSpan datagram, base::Instant now) {
  remove_retired(now);
  ngtcp2_version_cid ids{};
  // The library takes no empty datagrams.
  const int decoded = datagram.empty()
                          ? NGTCP2_ERR_INVALID_ARGUMENT
                          : ngtcp2_pkt_decode_version_cid(&ids, datagram.data(), datagram.size(),
                                                          kConnectionIdLength);
  if (decoded == NGTCP2_ERR_VERSION_NEGOTIATION && datagram.size() >= kMinInitialDatagram) {
    ++counters_.version_negotiations_sent;
    return answer(path, make_version_negotiation(ids));
  }
  if (decoded != 0) {
    ++counters_.ignored_datagrams;
    return;
  }
  const auto found = routes_.find(Bytes(ids.dcid, ids.dcid + ids.dcidlen));
  if (found != routes_.end()) return deliver(found->second, path, datagram, now);
  receive_first(path, datagram, now);
}

void QuicListener::Core::deliver(std::uint64_t serial, const UdpPath& path, ByteSpan datagram,
                                 base::Instant now) {
  Entry& entry = entries_.at(serial);
  // Whatever comes of it, the connection may have something to say or another timer.
  touch(serial);
  switch (entry.connection->receive(path, datagram, now)) {
    case QuicConnection::Received::kTaken:
      return;
    case QuicConnection::Received::kRetryWanted:
      if (settings_.retry == RetryPolicy::kNever) ++counters_.spurious_retries_sent;
      answer(path, validation_.make_retry(path.remote, entry.first_header, now));
      return remove(serial);
    case QuicConnection::Received::kDropped:
      return remove(serial);
  }
}

void QuicListener::Core::receive_first(const UdpPath& path, ByteSpan datagram, base::Instant now) {
  QuicAcceptance acceptance{.path = path, .original_dcid = std::nullopt};
  ngtcp2_pkt_hd& header = acceptance.header;
  if (ngtcp2_accept(&header, datagram.data(), datagram.size()) != 0 ||
      entries_.size() >= settings_.max_connections) {
    ++counters_.ignored_datagrams;
    return;
  }
  const AddressValidation::Verdict verdict = validation_.judge(path.remote, header, now);
  if (verdict.invalid) {
    ++counters_.invalid_tokens;
    return answer(path, make_token_refusal(header));
  }
  acceptance.original_dcid = verdict.original_dcid;
  if (settings_.retry == RetryPolicy::kAlways && !acceptance.original_dcid) {
    ++counters_.retries_sent;
    return answer(path, validation_.make_retry(path.remote, header, now));
  }
  accept(acceptance, datagram, now);
}

void QuicListener::Core::accept(const QuicAcceptance& acceptance, ByteSpan datagram,
                                base::Instant now) {
  std::unique_ptr<QuicSession> session = factory_();
  if (!session) {
    ++counters_.ignored_datagrams;
    return;
  }
  ++counters_.accepted;
  const std::uint64_t serial = next_serial_++;
  auto connection =
      QuicConnection::accept(context_, settings_.connection, acceptance, now, *session);
  connection->core_->serial = serial;
  connection->core_->on_connection_id = [this, serial](const ngtcp2_cid& cid, bool added) {
    route(serial, cid, added);
  };
  Entry& entry = entries_[serial];
  entry.first_header = acceptance.header;
  entry.first_header.token = nullptr;
  entry.first_header.tokenlen = 0;
  entry.session = std::move(session);
  entry.connection = std::move(connection);
  // The client goes on with the ID it made up until it has seen ours.
  route(serial, acceptance.header.dcid, true);
  for (const ngtcp2_cid& cid : entry.connection->core_->connection_ids()) route(serial, cid, true);
  entry.session->attach(*entry.connection);
  deliver(serial, acceptance.path, datagram, now);
}

void QuicListener::Core::route(std::uint64_t serial, const ngtcp2_cid& cid, bool added) {
  Bytes key = key_of(cid);
  if (!added) {
    routes_.erase(key);
    return;
  }
  entries_.at(serial).routes.push_back(key);
  routes_[std::move(key)] = serial;
}

void QuicListener::Core::touch(std::uint64_t serial) {
  Entry& entry = entries_.at(serial);
  if (!std::exchange(entry.touched, true)) touched_.push_back(serial);
}

void QuicListener::Core::flush(base::Instant now, const DatagramSink& sink) {
  for (const Outgoing& outgoing : std::exchange(answers_, {})) {
    sink(outgoing.path, outgoing.datagram);
  }
  for (const std::uint64_t serial : std::exchange(touched_, {})) {
    const auto found = entries_.find(serial);
    if (found == entries_.end()) continue;
    Entry& entry = found->second;
    entry.touched = false;
    entry.connection->flush(now, sink);
    rearm(serial, entry);
    if (entry.connection->closed() && !std::exchange(entry.retiring, true)) {
      // Stays for a while, so that what the client still has under way is not taken for a new
      // connection.
      retired_.emplace_back(entry.connection->core_->lingers_until(), serial);
    }
  }
}

// One entry per connection in timers_, and only where it changed.
void QuicListener::Core::rearm(std::uint64_t serial, Entry& entry) {
  const std::optional<base::Instant> expiry = entry.connection->expiry();
  if (expiry == entry.armed) return;
  if (entry.armed) timers_.erase({*entry.armed, serial});
  if (expiry) timers_.emplace(*expiry, serial);
  entry.armed = expiry;
}

void QuicListener::Core::handle_expiry(base::Instant now) {
  // Collected first: handling one may change the set.
  std::vector<std::uint64_t> due;
  for (const auto& [expiry, serial] : timers_) {
    if (expiry > now) break;
    due.push_back(serial);
  }
  for (const std::uint64_t serial : due) {
    touch(serial);
    entries_.at(serial).connection->handle_expiry(now);
  }
}

std::optional<base::Instant> QuicListener::Core::expiry() const {
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first;
}

void QuicListener::Core::answer(const UdpPath& path, Bytes datagram) {
  if (!datagram.empty()) answers_.push_back({path, std::move(datagram)});
}

void QuicListener::Core::remove(std::uint64_t serial) {
  const auto node = entries_.extract(serial);
  if (node.empty()) return;
  const Entry& entry = node.mapped();
  if (entry.armed) timers_.erase({*entry.armed, serial});
  for (const Bytes& key : entry.routes) {
    const auto found = routes_.find(key);
    if (found != routes_.end() && found->second == serial) routes_.erase(found);
  }
}

// Without a timer of its own: only a further datagram could tell whether they are still here.
void QuicListener::Core::remove_retired(base::Instant now) {
  while (!retired_.empty() && retired_.front().first <= now) {
    remove(retired_.front().second);
    retired_.pop_front();
  }
}

QuicListener::QuicListener(const TlsContext& context, QuicListenerSettings settings,
                           QuicSessionFactory factory)
    : core_(std::make_unique<Core>(context, std::move(settings), std::move(factory))) {}
QuicListener::~QuicListener() = default;

void QuicListener::receive(const UdpPath& path, ByteSpan datagram, base::Instant now) {
  core_->receive(path, datagram, now);
}
void QuicListener::handle_expiry(base::Instant now) {
  core_->handle_expiry(now);
}
void QuicListener::flush(base::Instant now, const DatagramSink& sink) {
  core_->flush(now, sink);
}
void QuicListener::touch(QuicConnection& connection) {
  core_->touch(connection.core_->serial);
}
std::optional<base::Instant> QuicListener::expiry() const {
  return core_->expiry();
}
std::size_t QuicListener::connection_count() const {
  return core_->connection_count();
}
const QuicListenerCounters& QuicListener::counters() const {
  return core_->counters();
}

}  // namespace transport
