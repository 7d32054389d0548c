#pragma once

// The lab of one block while it stands: network, servers, client, captures and gate. It is asked
// query by query; who asks decides what for.

#include "base/clock.hh"
#include "base/event_loop.hh"
#include "captures/block_capture.hh"
#include "captures/packet_capture.hh"
#include "captures/query_record.hh"
#include "harness/block_messages.hh"
#include "harness/block_servers.hh"
#include "harness/gate_keeper.hh"
#include "harness/lab_clients.hh"
#include "harness/plan.hh"
#include "netns/lab_network.hh"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace harness {

struct BlockContext {
  const Plan& plan;
  const PlannedBlock& block;
  std::filesystem::path programs;  // folder of labdns and labquery
  // Folder of the roots of server_releases(), by their numbers; empty where there can be none.
  std::filesystem::path releases{};
  std::filesystem::path scratch;  // for files that only this block needs
  std::filesystem::path results;  // exists; gets what the block found
  bool virtual_time = true;
  // Told of work that may go on for ever; may be empty.
  std::function<void(const BlockWork&)> doing{};
};

// Echo requests per arm before its first query.
inline constexpr int kCalibrationEchoes = 5;

// What stands in the lab beside network, servers and client.
struct LabParts {
  bool captures = true;
  bool gate = false;
};

class BlockLab {
 public:
  // Builds the network and calibrates it, and starts servers and client. `context` must outlive the
  // lab. Throws LabError where that fails.
  BlockLab(const BlockContext& context, LabParts parts);
  BlockLab(const BlockLab&) = delete;
  BlockLab& operator=(const BlockLab&) = delete;

  // Asks one query, with what it is to find, and waits until the wire is silent. With a gate,
  // `fates` judges its packets; in virtual time every query begins in the same phase of the
  // kernel's timers. A server that ended is started again before. Throws LabError where the lab
  // broke.
  captures::QueryRecord ask(const PlannedQuery& query, FateSource* fates);
  // Why the query that was asked last was not measured, or not to its end, with a running server;
  // empty where it was.
  const std::string& trouble() const { return trouble_; }
  // The packets of the query that was asked last, where there is a gate.
  std::vector<GateRecord> take_gate_records() { return std::move(gate_records_); }
  // Ends client and servers.
  void close();

  base::Nanoseconds elapsed() const { return clock_.now() - started_; }
  // Of one end, with captures; counters are set by close().
  const captures::EndEvidence& client_evidence() const { return client_; }
  const captures::EndEvidence& server_evidence() const { return server_; }
  const std::string& server_keylog() const { return server_keylog_; }
  // What was set up and found: calibration, servers, captures, network.
  nlohmann::json describe();

 private:
  const PlannedArm& arm_of(const PlannedQuery& query) const;
  void calibrate();
  void raise_gate();
  void wait_for_phase(std::chrono::milliseconds grid);
  captures::QueryRecord measure(const PlannedQuery& query, FateSource* fates);
  captures::QueryRecord prepare(const PlannedQuery& query);
  captures::QueryRecord unprepared(captures::QueryRecord record);
  captures::QueryRecord unasked(const PlannedQuery& query);
  captures::QueryRecord request(const PlannedQuery& query, Step step);
  void collect_packets();
  base::Nanoseconds silence_after(const PlannedArm& arm) const;
  void wait_for_silence(const PlannedQuery& query, base::Nanoseconds silence);
  std::string take_keys();
  // False where `deadline` passed before `done` held. Serves the gate meanwhile.
  bool wait_until(const std::function<bool()>& done, base::Instant deadline);

  const BlockContext& context_;
  base::SystemClock clock_;
  base::Instant started_;
  base::EventLoop loop_{clock_};
  netns::LabNetwork network_;
  LabClients clients_;
  std::optional<captures::PacketCapture> client_capture_;
  std::optional<captures::PacketCapture> server_capture_;
  std::optional<BlockServers> servers_;
  std::optional<GateKeeper> keeper_;
  Endpoint* asked_ = nullptr;      // the server of the query under way
  QueryClient* asking_ = nullptr;  // and its client
  nlohmann::json calibrations_ = nlohmann::json::array();
  base::Nanoseconds first_query_after_{};
  std::vector<GateRecord> gate_records_;
  std::string trouble_;
  captures::EndEvidence client_;
  captures::EndEvidence server_;
  std::string server_keylog_;
  std::size_t counted_ = 0;  // packets of the client's end in `client_bytes_`
  std::size_t client_bytes_ = 0;
};

}  // namespace harness
