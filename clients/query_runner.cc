#include "clients/query_runner.hh"

#include "clients/exchange.hh"
#include "clients/query_progress.hh"

#include <memory>
#include <string_view>
#include <utility>

namespace clients {
namespace {

void identify(captures::QueryRecord& record, const QuerySpec& spec, const QueryIdentity& identity) {
  record.id = identity.id;
  record.cell = identity.cell;
  record.transport = to_string(spec.transport);
  record.block = identity.block;
  record.index = identity.index;
  record.seed = identity.seed;
  const bool encrypted = is_encrypted(spec.transport);
  record.settings.padding = encrypted && spec.padding == Padding::kRfc8467 ? "rfc8467" : "none";
  if (encrypted) record.settings.groups = spec.groups;
  if (runs_over_quic(spec.transport)) {
    record.settings.initial_rtt = spec.initial_rtt;
    record.settings.max_udp_payload = spec.max_udp_payload;
    record.settings.pmtud = spec.pmtud;
  }
}

}  // namespace

QueryRunner::QueryRunner(const base::Clock& clock, KeepKeys keys, base::FileDescriptor live_keys)
    : loop_(clock),
      live_keys_(std::move(live_keys)),
      tls_contexts_(keys == KeepKeys::kNo && !live_keys_.is_open()
                        ? transport::KeylogSink()
                        : [this](std::string_view line) { note_key(line); }) {}

void QueryRunner::note_key(std::string_view line) {
  const std::size_t before = keylog_.size();
  keylog_ += line;
  keylog_ += '\n';
  if (live_keys_.is_open()) base::write_all(live_keys_, std::string_view(keylog_).substr(before));
}

captures::QueryRecord QueryRunner::run(const QuerySpec& spec, const QueryIdentity& identity) {
  const transport::TlsContext* tls = tls_contexts_.find(spec);
  keylog_.clear();
  QueryProgress progress(loop_.clock());
  identify(progress.record(), spec, identity);
  {
    const std::unique_ptr<Exchange> exchange = make_exchange(
        {.loop = loop_, .spec = spec, .progress = progress, .buffer = buffer_, .tls = tls});
    progress.begin();
    exchange->start();
    const base::Instant deadline = progress.start() + spec.timeout;
    // The loop has read the clock at its last wake-up; reading it again here would be one more
    // system call per wake-up.
    while (!progress.ended() && loop_.woken_at() < deadline) loop_.run_once(deadline);
    if (!progress.ended()) exchange->expire();
    progress.expire();
    exchange->close();
  }
  captures::QueryRecord record = progress.take_record();
  record.keylog = std::move(keylog_);
  return record;
}

}  // namespace clients
