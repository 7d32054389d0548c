#include "clients/query_runner.hh"

#include "base/errors.hh"
#include "clients/exchange.hh"
#include "clients/query_identity.hh"

#include <memory>
#include <string_view>
#include <utility>

namespace clients {
namespace {

void fail(captures::QueryRecord& record, std::string_view error) {
  record.outcome = captures::Outcome::kFailed;
  record.time.reset();
  record.error = error;
}

}  // namespace

struct QueryRunner::Asking {
  Asking(const QuerySpec& asked, const base::Clock& clock) : spec(asked), progress(clock) {}
  QuerySpec spec;
  QueryProgress progress;
  std::unique_ptr<Exchange> exchange;
};

QueryRunner::QueryRunner(const base::Clock& clock, KeepKeys keys, base::FileDescriptor live_keys)
    : loop_(clock),
      live_keys_(std::move(live_keys)),
      tls_contexts_(
          keys == KeepKeys::kNo && !live_keys_.is_open()
              ? transport::KeylogSink()
              : [this](std::string_view line) { note_key(line); },
          [this](transport::ByteSpan session) {
            resumption_.session.assign(session.begin(), session.end());
          }) {}

QueryRunner::~QueryRunner() = default;

void QueryRunner::note_key(std::string_view line) {
  const std::size_t before = keylog_.size();
  keylog_ += line;
  keylog_ += '\n';
  if (live_keys_.is_open()) base::write_all(live_keys_, std::string_view(keylog_).substr(before));
}

std::unique_ptr<QueryRunner::Asking> QueryRunner::ask(const QuerySpec& spec,
                                                      const QueryIdentity& identity,
                                                      const transport::Resumption* resumption,
                                                      QueryProgress::Afterwards afterwards) {
  auto asking = std::make_unique<Asking>(spec, loop_.clock());
  const transport::TlsContext* tls = tls_contexts_.find(spec);
  keylog_.clear();
  identify(asking->progress.record(), spec, identity);
  asking->exchange = make_exchange({.loop = loop_,
                                    .spec = asking->spec,
                                    .progress = asking->progress,
                                    .buffer = buffer_,
                                    .tls = tls,
                                    .resumption = resumption});
  asking->progress.begin(afterwards);
  asking->exchange->start();
  wait(*asking);
  return asking;
}

void QueryRunner::wait(Asking& asking) {
  QueryProgress& progress = asking.progress;
  const base::Instant deadline = progress.start() + asking.spec.timeout;
  // The loop has read the clock at its last wake-up; reading it again here would be one more
  // system call per wake-up.
  while (!progress.ended() && loop_.woken_at() < deadline) loop_.run_once(deadline);
  if (!progress.ended()) asking.exchange->expire();
  progress.expire();
}

captures::QueryRecord QueryRunner::take_record(Asking& asking) {
  captures::QueryRecord record = asking.progress.take_record();
  record.keylog = std::exchange(keylog_, {});
  return record;
}

captures::QueryRecord QueryRunner::finish(std::unique_ptr<Asking> asking) {
  asking->exchange->close();
  asking->exchange.reset();
  return take_record(*asking);
}

captures::QueryRecord QueryRunner::run(const QuerySpec& spec, const QueryIdentity& identity) {
  constexpr auto kClose = QueryProgress::Afterwards::kClose;
  if (spec.connection == Connection::kCold) {
    captures::QueryRecord record = finish(ask(spec, identity, nullptr, kClose));
    resumption_ = {};  // a ticket that nobody prepared
    return record;
  }
  if (!is_open(spec.connection)) {
    const transport::Resumption resumption = std::exchange(resumption_, {});
    if (resumption.session.empty()) throw base::LabError("resume a connection: no ticket is there");
    QuerySpec resumed = spec;
    if (resumed.local_port != 0) ++resumed.local_port;
    captures::QueryRecord record = finish(ask(resumed, identity, &resumption, kClose));
    resumption_ = {};  // a ticket that nobody prepared
    return record;
  }
  std::unique_ptr<Asking> asking = std::move(open_);
  if (!asking) throw base::LabError("go on with a connection: none is open");
  asking->progress.reset();
  identify(asking->progress.record(), spec, identity);
  asking->progress.begin(kClose);
  asking->exchange->ask_again();
  wait(*asking);
  return finish(std::move(asking));
}

captures::QueryRecord QueryRunner::prepare(const QuerySpec& spec, const QueryIdentity& identity) {
  open_.reset();
  resumption_ = {};
  std::unique_ptr<Asking> asking = ask(spec, identity, nullptr, QueryProgress::Afterwards::kServe);
  if (asking->progress.record().outcome != captures::Outcome::kAnswered)
    return finish(std::move(asking));
  wait_for_silence(spec);
  asking->exchange->remember(resumption_);
  if (!is_open(spec.connection)) {
    captures::QueryRecord record = finish(std::move(asking));
    if (resumption_.session.empty()) fail(record, "the server gave no session ticket");
    return record;
  }
  captures::QueryRecord record = take_record(*asking);
  open_ = std::move(asking);
  return record;
}

// Whatever wakes the loop up is the connection's.
void QueryRunner::wait_for_silence(const QuerySpec& spec) {
  const base::Instant give_up = loop_.clock().now() + spec.timeout + spec.settle;
  base::Instant silent_at = loop_.clock().now() + spec.settle;
  while (silent_at < give_up) {
    loop_.run_once(silent_at);
    if (loop_.woken_at() >= silent_at) return;
    silent_at = loop_.woken_at() + spec.settle;
  }
}

}  // namespace clients
