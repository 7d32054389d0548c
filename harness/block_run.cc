#include "harness/block_run.hh"

#include "base/clock.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "base/version.hh"
#include "captures/block_capture.hh"
#include "captures/packet_capture.hh"
#include "harness/endpoint_process.hh"
#include "harness/query_client.hh"
#include "netns/lab_network.hh"
#include "netns/ping.hh"

#include <nlohmann/json.hpp>

#include <format>
#include <memory>
#include <optional>
#include <poll.h>
#include <vector>

namespace harness {
namespace {

using nlohmann::json;

// How long the wire must be silent before the next query, so that no late repetition of one query
// takes part in another. In virtual time it costs nothing: ten seconds outlast every back-off that
// a closed connection leaves behind.
constexpr std::chrono::seconds kVirtualSilence{10};
// Silence that never comes means that somebody sends on a timer of their own.
constexpr std::chrono::minutes kSilenceWithin{10};
constexpr std::chrono::seconds kEchoWithin{5};
// A block's packets are kept in memory until its end, at both ends, in a kernel of 512 MB.
constexpr std::size_t kMaxBlockBytes = 100'000'000;
// Every message costs a system call in the lab kernel; a person sees no difference.
constexpr std::uint32_t kQueriesPerMessage = 5;

netns::IpAddress parse_address(const std::string& text) {
  const auto address = netns::IpAddress::parse(text);
  LABRUN_ASSERT(address.has_value());
  return *address;
}

netns::LabNetworkSpec network_spec(const Plan& plan) {
  netns::LabNetworkSpec spec{.mtu = plan.mtu, .client_addresses = {}, .server_addresses = {}};
  for (const std::string& address : plan.client_addresses)
    spec.client_addresses.push_back(parse_address(address));
  for (const PlannedArm& arm : plan.arms)
    spec.server_addresses.push_back(parse_address(arm.server_address));
  return spec;
}

// What the path adds to every packet, without what happens to some packets only.
netns::PathSpec undisturbed(const netns::PathSpec& path) {
  const auto one_way = [](const netns::OneWaySpec& spec) {
    netns::OneWaySpec calm;
    calm.delay = spec.delay;
    calm.rate = spec.rate;
    return calm;
  };
  return {.to_server = one_way(path.to_server), .to_client = one_way(path.to_client)};
}

void wait_for(base::Nanoseconds duration) {
  const timespec time{.tv_sec = duration.count() / 1'000'000'000,
                      .tv_nsec = duration.count() % 1'000'000'000};
  ::ppoll(nullptr, 0, &time, nullptr);
}

captures::PacketCapture open_capture(const netns::NetworkNamespace& space) {
  const netns::Entered inside(space);
  return captures::PacketCapture(std::string(netns::kEndDevice));
}

// One block while it runs.
class BlockRun {
 public:
  BlockRun(const BlockContext& context, const BlockMessages& messages)
      : context_(context),
        messages_(messages),
        started_(clock_.now()),
        network_(network_spec(context.plan)),
        client_capture_(open_capture(network_.client_namespace())),
        server_capture_(open_capture(network_.server_namespace())) {
    client_ = {.name = "client",
               .snap_length = client_capture_.snap_length(),
               .counters = {},
               .packets = {}};
    server_ = {.name = "server",
               .snap_length = server_capture_.snap_length(),
               .counters = {},
               .packets = {}};
  }

  void measure() {
    start_endpoints();
    calibrate();
    QueryClient client(context_.programs / "labquery", network_.client_namespace().descriptor(),
                       context_.results / "labquery.log");
    first_query_after_ = clock_.now() - started_;
    for (const PlannedQuery& query : context_.block.queries) {
      ask(client, query);
      const auto done = static_cast<std::uint32_t>(records_.size());
      if (done % kQueriesPerMessage == 0 || done == context_.block.queries.size())
        messages_.progress(done, clock_.now() - started_);
    }
    client.finish();
    for (const auto& endpoint : endpoints_) server_keylog_ += endpoint->finish(clock_);
    network_.verify_impairment();
  }

  void write_results() {
    client_.counters = client_capture_.counters();
    server_.counters = server_capture_.counters();
    const json facts = describe();
    captures::write_block_captures(
        context_.results, context_.block.index,
        {.application = std::format("labrun {}", base::kVersion),
         .comment = std::format("{}, block {}, seed {}", context_.plan.scenario,
                                context_.block.index, context_.block.seed),
         .client = client_,
         .server = server_,
         .records = records_,
         .server_keylog = server_keylog_});
    std::string lines;
    for (const captures::QueryRecord& record : records_)
      lines += captures::to_json_line(record) + "\n";
    base::write_file_atomically(context_.results / kRecordsFile, lines);
    base::write_file_atomically(context_.results / kFactsFile, facts.dump(1) + "\n");
  }

 private:
  const PlannedArm& arm_of(const PlannedQuery& query) const {
    return context_.plan.arms[context_.plan.cells[query.cell].arm];
  }

  void start_endpoints() {
    for (std::size_t arm = 0; arm < context_.plan.arms.size(); ++arm) {
      endpoints_.push_back(
          std::make_unique<EndpointProcess>(context_.plan.arms[arm], context_.programs / "labdns",
                                            network_.server_namespace().descriptor(),
                                            context_.scratch / std::format("ca-{}.pem", arm),
                                            context_.results / std::format("labdns-{}.log", arm)));
    }
    // All start at once and are waited for afterwards.
    for (const auto& endpoint : endpoints_) endpoint->wait_until_ready(clock_);
  }

  void calibrate() {
    for (const PlannedArm& arm : context_.plan.arms) {
      network_.impair(undisturbed(arm.path), {.to_server = 1, .to_client = 2});
      network_.verify_impairment();
      const auto echoes = netns::ping(network_.client_namespace(),
                                      {.target = parse_address(arm.server_address),
                                       .count = kCalibrationEchoes,
                                       .timeout = kEchoWithin},
                                      clock_);
      json measured = json::array();
      for (const auto& echo : echoes)
        measured.push_back(echo ? json(echo->count()) : json(nullptr));
      calibrations_.push_back({{"arm", arm.name},
                               {"server_address", arm.server_address},
                               {"configured_rtt_ns", arm.rtt.count()},
                               {"measured_rtt_ns", std::move(measured)}});
      network_.impair(arm.path, {.to_server = 1, .to_client = 2});
      network_.verify_impairment();
    }
    collect_packets();
  }

  void ask(QueryClient& client, const PlannedQuery& query) {
    const PlannedArm& arm = arm_of(query);
    EndpointProcess& endpoint = *endpoints_[context_.plan.cells[query.cell].arm];
    network_.impair(arm.path, path_seeds(query));
    const std::string request =
        request_line(context_.plan, context_.block, query, endpoint.ca_file().string());
    records_.push_back(client.ask(request, arm.client.timeout, clock_));
    if (records_.back().id != query.id)
      throw base::LabError(
          std::format("ask {}: labquery answered for {}", query.id, records_.back().id));
    wait_for_silence(context_.virtual_time ? kVirtualSilence : arm.client.drain);
    endpoint.check_alive();
    server_keylog_ += endpoint.take_keylog();
  }

  void collect_packets() {
    client_capture_.drain(client_.packets);
    server_capture_.drain(server_.packets);
    for (; counted_ < client_.packets.size(); ++counted_)
      client_bytes_ += client_.packets[counted_].bytes.size();
    if (client_bytes_ > kMaxBlockBytes)
      throw base::LabError(
          std::format("keep the packets of block {}: more than {} MB by query {} of {}; use more "
                      "blocks (--blocks)",
                      context_.block.index, kMaxBlockBytes / 1'000'000, records_.size(),
                      context_.block.queries.size()));
  }

  void wait_for_silence(base::Nanoseconds silence) {
    const base::Instant give_up = clock_.now() + kSilenceWithin;
    base::Nanoseconds left = silence;
    while (left > base::Nanoseconds(0)) {
      if (clock_.now() > give_up)
        throw base::LabError(std::format("wait for {} of silence: packets kept coming for {}",
                                         silence, kSilenceWithin));
      wait_for(left);
      collect_packets();
      std::int64_t last = 0;
      for (const captures::EndEvidence* end : {&client_, &server_})
        if (!end->packets.empty()) last = std::max(last, end->packets.back().timestamp_ns);
      left = silence - base::Nanoseconds(base::wall_clock_ns() - last);
    }
  }

  json describe() {
    const auto counters = [](const captures::CaptureCounters& counted) {
      return json{{"received", counted.received},
                  {"dropped", counted.dropped},
                  {"truncated", counted.truncated}};
    };
    json endpoints = json::array();
    for (std::size_t arm = 0; arm < endpoints_.size(); ++arm)
      endpoints.push_back({{"arm", context_.plan.arms[arm].name},
                           {"ready", json::parse(endpoints_[arm]->ready_facts(), nullptr, false)}});
    return {{"block", context_.block.index},
            {"seed", std::to_string(context_.block.seed)},
            {"queries", records_.size()},
            {"calibration", calibrations_},
            {"captures",
             {{"client", counters(client_.counters)}, {"server", counters(server_.counters)}}},
            {"endpoints", std::move(endpoints)},
            {"first_query_after_ns", first_query_after_.count()},
            {"elapsed_ns", (clock_.now() - started_).count()},
            {"network", netns::to_json(network_.facts())}};
  }

  const BlockContext& context_;
  const BlockMessages& messages_;
  base::SystemClock clock_;
  base::Instant started_;
  netns::LabNetwork network_;
  captures::PacketCapture client_capture_;
  captures::PacketCapture server_capture_;
  std::vector<std::unique_ptr<EndpointProcess>> endpoints_;
  json calibrations_ = json::array();
  base::Nanoseconds first_query_after_{};
  std::vector<captures::QueryRecord> records_;
  captures::EndEvidence client_;
  captures::EndEvidence server_;
  std::string server_keylog_;
  std::size_t counted_ = 0;  // packets of the client's end in `client_bytes_`
  std::size_t client_bytes_ = 0;
};

}  // namespace

std::string block_folder(std::uint32_t index) {
  return std::format("blocks/{}", block_name(index));
}

void run_block(const BlockContext& context, const BlockMessages& messages) {
  base::with_context(std::format("block {}", context.block.index), [&] {
    BlockRun run(context, messages);
    run.measure();
    run.write_results();
  });
}

}  // namespace harness
