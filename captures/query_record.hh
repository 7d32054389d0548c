#pragma once

// What is known about one query: one line of queries.jsonl, and the line by which labquery reports
// it to labrun. The client fills identity, phases, outcome and connection facts; the analysis adds
// what the captures show (`wire`, `lost`).

#include "base/clock.hh"
#include "base/rng.hh"
#include "captures/client_facts.hh"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace captures {

enum class Outcome {
  kAnswered,  // a checked answer arrived, whatever its RCODE
  kNoAnswer,  // the timeout passed first: a censored sample
  kFailed,    // refused, reset, alert, or an answer that does not belong to the question; `error`
              // says which
};

// Offsets from the query's start. Empty where the transport has no such phase or the query did not
// get there.
struct Phases {
  std::optional<base::Nanoseconds>
      connect;  // transport connection exists (TCP; for QUIC there is none)
  std::optional<base::Nanoseconds> handshake;   // TLS or QUIC handshake complete at the client
  std::optional<base::Nanoseconds> sent;        // the request was handed to the kernel
  std::optional<base::Nanoseconds> first_byte;  // first byte of the answer's application data
  std::optional<base::Nanoseconds> answer;      // complete and checked answer
  bool operator==(const Phases&) const = default;
};

// One 5-tuple that the query used; by these the analysis finds the query's packets.
struct Flow {
  std::string protocol;       // "udp" or "tcp"
  std::string local_address;  // textual, as inet_ntop writes it
  std::uint16_t local_port = 0;
  std::string remote_address;
  std::uint16_t remote_port = 0;
  bool operator==(const Flow&) const = default;
};

// IP packets one end sent, with IP headers counted.
struct SentCount {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  bool operator==(const SentCount&) const = default;
};

struct WireCounts {
  SentCount client;
  SentCount server;
  bool operator==(const WireCounts&) const = default;
};

// A packet that one end sent and the other never saw.
struct LostPacket {
  std::string from;           // "client" or "server"
  std::uint64_t ordinal = 0;  // 1 is the first packet that this end sent for this query
  std::string by;             // "netem" or "gate"
  bool operator==(const LostPacket&) const = default;
};

// A part of the query's time (docs/method.md names them all).
struct SumPart {
  std::string what;  // "quic_handshake", "quic_pto", "work"
  base::Nanoseconds time{0};
  std::string at;    // whose timer or work it was, "client" or "server"; empty for round trips
  std::string note;  // what a timer repaired, by how much a budget was short; may be empty
  bool operator==(const SumPart&) const = default;
};

struct EarlyData {
  bool attempted = false;
  bool accepted = false;
  bool operator==(const EarlyData&) const = default;
};

// Empty for transports without TLS and where the handshake did not get that far.
struct TlsFacts {
  std::string version;  // "TLSv1.3"
  std::string cipher;
  std::string alpn;
  bool operator==(const TlsFacts&) const = default;
};

struct AnswerFacts {
  std::uint64_t bytes = 0;           // size of the DNS message
  std::vector<std::string> records;  // answer section in presentation form
  bool operator==(const AnswerFacts&) const = default;
};

// Packets on the query's flows that came before the query: of the connection, or of the earlier
// one, that it found. They are the first ones that each end sent there.
struct Preparation {
  std::uint64_t client_packets = 0;
  std::uint64_t server_packets = 0;
  bool operator==(const Preparation&) const = default;
};

// The client's settings that decide a query's timing.
struct ClientSettings {
  std::string connection = "cold";               // as to_string(ConnectionKind) has it
  std::optional<base::Nanoseconds> initial_rtt;  // QUIC only
  std::optional<std::uint64_t> max_udp_payload;  // QUIC only, bytes
  std::optional<bool> pmtud;                     // QUIC only
  std::string padding;                           // "rfc8467" or "none"
  std::vector<std::string> groups;               // as offered, in order
  bool operator==(const ClientSettings&) const = default;
};

struct QueryRecord {
  std::string id;         // "doq:117", with arms "retry=always/doq:117"
  std::string cell;       // "doq", "retry=always/doq"
  std::string transport;  // do53 dot doh2 doh3 doq
  std::uint64_t block = 0;
  std::uint64_t index = 0;  // within the cell
  base::Seed seed = 0;      // in JSON a decimal string: many JSON readers keep 53 bits only
  base::Instant start;      // of CLOCK_MONOTONIC, in the kernel that ran the block
  Outcome outcome = Outcome::kFailed;
  std::optional<base::Nanoseconds> time;  // start to answer; exists if and only if answered
  // What another client than labquery says that it took; what it counts is its own affair.
  std::optional<base::Nanoseconds> own_time;
  std::optional<ClientFacts> client;  // none: labquery
  Phases phases;
  std::optional<std::string> error;     // in words, for outcome `failed`
  std::optional<std::string> rcode;     // "NOERROR", "NXDOMAIN", ...
  std::optional<std::string> fallback;  // "tcp" after a truncated UDP answer
  std::optional<std::string> group;     // key exchange
  std::uint64_t retries = 0;            // QUIC Retry packets taken
  EarlyData early_data;
  std::optional<TlsFacts> tls;
  std::optional<std::uint16_t> http_status;
  std::optional<AnswerFacts> answer;
  std::uint64_t ignored_datagrams = 0;  // off-path or wrong-ID datagrams
  std::vector<Flow> flows;
  std::optional<Preparation> preparation;  // of queries that are not cold
  ClientSettings settings;
  std::optional<WireCounts> wire;  // analysis only
  std::vector<LostPacket> lost;    // analysis only
  // Analysis only. With an answer the parts and `unexplained` add up to `time`; without one there
  // are none, and `explanation` says what stopped the query.
  std::vector<SumPart> sum;
  std::optional<base::Nanoseconds> unexplained;
  std::string explanation;            // in one line
  std::vector<std::string> findings;  // identifiers of those that concern the query
  std::string keylog;  // NSS lines; in labquery's report only, never in queries.jsonl
  bool operator==(const QueryRecord&) const = default;
};

// Longest line that parse_query_record() accepts.
inline constexpr std::size_t kMaxRecordLineBytes = 1U << 20U;

enum class Keylog { kLeaveOut, kInclude };

// One line of JSON without the line feed; keys always in the same order, equal records give equal
// bytes.
std::string to_json_line(const QueryRecord& record, Keylog keylog = Keylog::kLeaveOut);

// Reads such a line. Unknown keys are ignored (formats grow), a missing or mistyped known key is an
// error in words that names it: "phases_ns.connect: not an integer".
std::expected<QueryRecord, std::string> parse_query_record(std::string_view line);

std::string_view to_string(Outcome outcome);

}  // namespace captures
