#include "harness/block_lab.hh"

#include "base/errors.hh"
#include "captures/flow_index.hh"
#include "captures/link_frame.hh"
#include "clients/query_identity.hh"
#include "clients/query_request.hh"
#include "harness/arm_network.hh"
#include "harness/block_network.hh"
#include "netns/ping.hh"

#include <sys/epoll.h>

#include <algorithm>
#include <format>
#include <span>
#include <utility>

namespace harness {
namespace {

using nlohmann::json;

// How long the wire must be silent before the next query, so that no late repetition of one query
// takes part in another. In virtual time it costs nothing: labdns keeps a connection whose end was
// lost for 30 s, with ever longer pauses between its probes.
constexpr std::chrono::seconds kVirtualSilence{31};
// After a connection that a query's preparation has closed, of which nothing was lost.
constexpr std::chrono::seconds kFarewell{1};
// Silence that never comes means that somebody sends on a timer of their own.
constexpr std::chrono::minutes kSilenceWithin{10};
constexpr std::chrono::seconds kEchoWithin{5};
// A block's packets are kept in memory until its end, at both ends, in a kernel of 512 MB.
constexpr std::size_t kMaxBlockBytes = 100'000'000;
// The kernel's timers fire on grids: of 8 ms from 64 ms on, of 64 ms from 512 ms on, of 512 ms from
// 4 s on, of 4096 ms from 33 s on (timer wheel, HZ = 1000). A query that begins on the coarsest of
// them finds all timers in the same phase, so a second's timer is as late in every query as in any.
constexpr std::chrono::milliseconds kTimerGrid{4096};
// Servers close a connection that is silent, some after two seconds; a query on an open one begins
// on a finer grid, on which all timers of less than 33 s are in the same phase.
constexpr std::chrono::milliseconds kWarmGrid{512};
// The wheel counts from 300 s before the boot (INITIAL_JIFFIES).
constexpr std::chrono::seconds kWheelBeforeBoot{300};
// A long wait in epoll_wait(2) may end a thousandth late; so the last of it is short.
constexpr std::chrono::milliseconds kLastStep{32};
// Even a short wait ends up to 50 us late (PR_SET_TIMERSLACK), and by the chance of what the kernel
// did last a fraction more or less. Each reading moves a virtual clock on by the same small step,
// so a few readings lead to the same nanosecond every time.
constexpr std::chrono::microseconds kAfterSlack{64};

captures::PacketCapture open_capture(const netns::NetworkNamespace& space) {
  const netns::Entered inside(space);
  return captures::PacketCapture(std::string(netns::kEndDevice));
}

// Of the packets from `first` on those that this end sent on the record's flows.
std::uint64_t count_sent(const captures::EndEvidence& end, std::size_t first,
                         const captures::QueryRecord& record) {
  captures::FlowIndex flows(std::span(&record, 1));
  std::uint64_t count = 0;
  for (const captures::CapturedPacket& packet : std::span(end.packets).subspan(first)) {
    const auto parsed = captures::parse_ethernet_frame(packet.bytes);
    if (packet.direction == captures::Direction::kOutbound && parsed && flows.owner_of(*parsed))
      ++count;
  }
  return count;
}

void add_preparation(captures::QueryRecord& record, const captures::QueryRecord& before) {
  record.preparation = before.preparation;
  record.keylog = before.keylog + record.keylog;
  const std::vector<captures::Flow> own = std::exchange(record.flows, before.flows);
  std::ranges::copy_if(own, std::back_inserter(record.flows), [&](const captures::Flow& flow) {
    return !std::ranges::contains(before.flows, flow);
  });
}

}  // namespace

BlockLab::BlockLab(const BlockContext& context, LabParts parts)
    : context_(context),
      started_(clock_.now()),
      network_(network_spec(context.plan)),
      clients_({.programs = context.programs,
                .scratch = context.scratch,
                .results = context.results,
                .network_namespace = network_.client_namespace().descriptor(),
                .live_keys = parts.gate},
               loop_) {
  client_.name = "client";
  server_.name = "server";
  if (parts.captures) {
    client_capture_.emplace(open_capture(network_.client_namespace()));
    server_capture_.emplace(open_capture(network_.server_namespace()));
    client_.snap_length = client_capture_->snap_length();
    server_.snap_length = server_capture_->snap_length();
  }
  servers_.emplace(context_, network_.server_namespace(),
                   parts.gate ? EndpointProcess::Keys::kLive : EndpointProcess::Keys::kSettled,
                   clock_);
  calibrate();
  for (const PlannedQuery& query : context_.block.queries)
    clients_.need(arm_of(query).client.program);
  if (parts.gate) raise_gate();
  first_query_after_ = elapsed();
}

const PlannedArm& BlockLab::arm_of(const PlannedQuery& query) const {
  return context_.plan.arms[context_.plan.cells[query.cell].arm];
}

void BlockLab::calibrate() {
  for (std::size_t number = 0; number < context_.plan.arms.size(); ++number) {
    if (!servers_->has(number)) continue;
    const PlannedArm& arm = context_.plan.arms[number];
    network_.impair(without_chance(arm.path), {.to_server = 1, .to_client = 2});
    network_.verify_impairment();
    const auto echoes = netns::ping(network_.client_namespace(),
                                    {.target = address_of(arm.server_address),
                                     .count = kCalibrationEchoes,
                                     .timeout = kEchoWithin + arm.rtt},
                                    clock_);
    json measured = json::array();
    for (const auto& echo : echoes) measured.push_back(echo ? json(echo->count()) : json(nullptr));
    calibrations_.push_back({{"arm", arm.name},
                             {"server_address", arm.server_address},
                             {"configured_rtt_ns", arm.rtt.count()},
                             {"measured_rtt_ns", std::move(measured)}});
    network_.impair(arm.path, {.to_server = 1, .to_client = 2});
    network_.verify_impairment();
  }
  collect_packets();
}

void BlockLab::raise_gate() {
  keeper_.emplace(network_, [this] { return take_keys(); });
  loop_.watch(keeper_->gate().descriptor(), EPOLLIN,
              [this](std::uint32_t) { keeper_->gate().attend(loop_.woken_at()); });
}

std::string BlockLab::take_keys() {
  if (asked_ == nullptr) return {};
  std::string keys = asked_->take_keylog();
  server_keylog_ += keys;
  return keys + asking_->take_keylog();
}

bool BlockLab::wait_until(const std::function<bool()>& done, base::Instant deadline) {
  while (!done()) {
    if (loop_.woken_at() >= deadline) return false;
    loop_.run_once(deadline);
  }
  return true;
}

void BlockLab::wait_for_phase(std::chrono::milliseconds grid) {
  const base::Nanoseconds on_wheel = clock_.now().time_since_epoch() + kWheelBeforeBoot;
  // At least two steps ahead, so that there is a first one.
  const auto periods = (on_wheel + 2 * kLastStep) / grid + 1;
  const base::Instant start(base::Nanoseconds(grid) * periods - kWheelBeforeBoot);
  const auto never = [] { return false; };
  wait_until(never, start - kLastStep);
  wait_until(never, start);
  while (clock_.now() < start + kAfterSlack) {
  }
}

captures::QueryRecord BlockLab::request(const PlannedQuery& query, Step step) {
  const PlannedArm& arm = arm_of(query);
  asking_->ask(request_line(context_.plan, context_.block, query, asked_->ca_file().string(), step),
               arm);
  const base::Instant deadline = clock_.now() + asking_->patience(arm.client.timeout);
  const bool ended = wait_until([this] { return asking_->has_record(); }, deadline);
  captures::QueryRecord record = ended ? asking_->take_record() : asking_->give_up();
  if (record.id != query.id)
    throw base::LabError(
        std::format("ask {}: {} answered for {}", query.id, arm.client.program, record.id));
  return record;
}

// Over the same path, but without chance: what a query finds is the same every time.
captures::QueryRecord BlockLab::prepare(const PlannedQuery& query) {
  const PlannedArm& arm = arm_of(query);
  network_.impair(without_chance(arm.path), path_seeds(query));
  if (context_.virtual_time) wait_for_phase(kTimerGrid);
  if (keeper_) keeper_->begin(nullptr, GateKeeper::Connections::kAnew);
  const std::size_t client_packets = client_.packets.size();
  const std::size_t server_packets = server_.packets.size();
  captures::QueryRecord record = request(query, Step::kPrepare);
  const bool answered = record.outcome == captures::Outcome::kAnswered;
  // One that goes on has been silent already.
  const bool open = captures::is_open(arm.client.connection) && answered;
  wait_for_silence(query, open       ? base::Nanoseconds(0)
                          : answered ? kFarewell + arm.rtt
                                     : silence_after(arm));
  collect_packets();
  record.preparation =
      captures::Preparation{.client_packets = count_sent(client_, client_packets, record),
                            .server_packets = count_sent(server_, server_packets, record)};
  if (keeper_) keeper_->end(record.start, loop_.woken_at());
  return record;
}

// What became of a query whose preparation this is the record of: nothing.
captures::QueryRecord BlockLab::unprepared(captures::QueryRecord record) {
  trouble_ = "prepare: " + record.error.value_or("no answer to the query before it");
  record.outcome = captures::Outcome::kFailed;
  record.error = trouble_;
  record.time.reset();
  record.phases = {};
  record.rcode.reset();
  record.fallback.reset();
  record.group.reset();
  record.retries = 0;
  record.early_data = {};
  record.tls.reset();
  record.http_status.reset();
  record.answer.reset();
  return record;
}

// Of a query that no server was there for.
captures::QueryRecord BlockLab::unasked(const PlannedQuery& query) {
  const auto request = clients::parse_query_request(
      request_line(context_.plan, context_.block, query, std::nullopt, Step::kMeasure));
  LABRUN_ASSERT(request.has_value());
  captures::QueryRecord record;
  clients::identify(record, request->spec, request->identity);
  record.start = clock_.now();
  record.error = trouble_;
  return record;
}

captures::QueryRecord BlockLab::measure(const PlannedQuery& query, FateSource* fates) {
  const PlannedArm& arm = arm_of(query);
  const Connection connection =
      connection_of(arm.client.connection, context_.plan.cells[query.cell].transport);
  std::optional<captures::QueryRecord> before;
  if (connection != Connection::kCold) {
    before = prepare(query);
    if (before->outcome != captures::Outcome::kAnswered) return unprepared(std::move(*before));
  }
  network_.impair(arm.path, path_seeds(query));
  const bool open = captures::is_open(connection);
  if (context_.virtual_time) wait_for_phase(open ? kWarmGrid : kTimerGrid);
  if (keeper_)
    keeper_->begin(fates, open ? GateKeeper::Connections::kGoOn : GateKeeper::Connections::kAnew);
  captures::QueryRecord record = request(query, Step::kMeasure);
  if (before) add_preparation(record, *before);
  // What has passed the gate is still on its way.
  wait_for_silence(query, silence_after(arm));
  if (keeper_) gate_records_ = keeper_->end(record.start, loop_.woken_at());
  return record;
}

captures::QueryRecord BlockLab::ask(const PlannedQuery& query, FateSource* fates) {
  const std::size_t arm = context_.plan.cells[query.cell].arm;
  asked_ = &servers_->of(arm);
  asking_ = &clients_.of(arm_of(query).client.program);
  gate_records_.clear();
  servers_->announce(arm, std::format("ask {} of", query.id));
  trouble_ = servers_->revive(arm).value_or("");
  if (!trouble_.empty()) return unasked(query);
  captures::QueryRecord record = measure(query, fates);
  if (const auto end = servers_->end_during(arm, query.id)) {
    trouble_ = sentence_of(*end);
    // An answer that came before the end is one all the same.
    if (record.outcome != captures::Outcome::kAnswered)
      record.error = record.error ? trouble_ + "; the client: " + *record.error : trouble_;
  }
  take_keys();
  return record;
}

base::Nanoseconds BlockLab::silence_after(const PlannedArm& arm) const {
  return (context_.virtual_time ? base::Nanoseconds(kVirtualSilence) : arm.client.drain) + arm.rtt;
}

void BlockLab::collect_packets() {
  if (!client_capture_) return;
  client_capture_->drain(client_.packets);
  server_capture_->drain(server_.packets);
  for (; counted_ < client_.packets.size(); ++counted_)
    client_bytes_ += client_.packets[counted_].bytes.size();
  if (client_bytes_ > kMaxBlockBytes)
    throw base::LabError(
        std::format("keep the packets of block {}: more than {} MB before its end; use more blocks "
                    "(--blocks)",
                    context_.block.index, kMaxBlockBytes / 1'000'000));
}

void BlockLab::wait_for_silence(const PlannedQuery& query, base::Nanoseconds silence) {
  const base::Instant give_up = clock_.now() + kSilenceWithin;
  base::Nanoseconds left = silence;
  while (left > base::Nanoseconds(0)) {
    const base::Instant now = clock_.now();
    if (now > give_up)
      throw base::LabError(std::format(
          "wait for {} of silence after {}: packets kept coming for {}; the server is {}{}{}",
          silence, query.id, kSilenceWithin, arm_of(query).server,
          arm_of(query).name.empty() ? "" : " of ", arm_of(query).name));
    wait_until([] { return false; }, now + left);
    collect_packets();
    // What stands at the gate comes before what the captures show next.
    const base::Nanoseconds since_wall(base::wall_clock_ns());
    base::Nanoseconds quiet = base::Nanoseconds::max();
    for (const captures::EndEvidence* end : {&client_, &server_})
      if (!end->packets.empty())
        quiet = std::min(quiet, since_wall - base::Nanoseconds(end->packets.back().timestamp_ns));
    if (keeper_) quiet = std::min(quiet, clock_.now() - keeper_->last_activity());
    // A packet that is held back has yet to come.
    if (const auto held = keeper_ ? keeper_->gate().next_release() : std::nullopt)
      quiet = std::min(quiet, clock_.now() - *held);
    left = silence - quiet;
  }
}

void BlockLab::close() {
  clients_.finish();
  server_keylog_ += servers_->finish();
  network_.verify_impairment();
  if (!client_capture_) return;
  client_.counters = client_capture_->counters();
  server_.counters = server_capture_->counters();
}

json BlockLab::describe() {
  const auto counters = [](const captures::CaptureCounters& counted) {
    return json{{"received", counted.received},
                {"dropped", counted.dropped},
                {"truncated", counted.truncated}};
  };
  json ends = json::array();
  for (const ServerEnd& end : servers_->ends()) ends.push_back(to_json(end));
  json gate;
  if (keeper_) {
    const netns::GateCounters& counted = keeper_->gate().counters();
    gate = {{"judged", counted.judged},
            {"dropped", counted.dropped},
            {"held", counted.held},
            {"duplicated", counted.duplicated}};
  }
  return {{"calibration", calibrations_},
          {"captures",
           {{"client", counters(client_.counters)}, {"server", counters(server_.counters)}}},
          {"clients", clients_.versions()},
          {"endpoints", servers_->describe()},
          {"server_ends", std::move(ends)},
          {"gate", std::move(gate)},
          {"first_query_after_ns", first_query_after_.count()},
          {"elapsed_ns", elapsed().count()},
          {"network", netns::to_json(network_.facts())}};
}

}  // namespace harness
