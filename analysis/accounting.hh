#pragma once

// A query's time as a sum of named parts: round trips, timers that somebody waited for, work, and
// what remains unexplained.

#include "analysis/cause.hh"
#include "analysis/end.hh"
#include "analysis/exchange.hh"
#include "base/clock.hh"
#include "captures/query_record.hh"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

// What a round trip was spent on.
enum class TripKind : std::uint8_t {
  kTcpConnect,
  kTlsHandshake,
  kQuicHandshake,
  kHelloRetryRequest,
  kVersionNegotiation,
  kRetry,
  kAmplificationStall,  // the server had to wait until it knew the client's address
  kPathValidation,      // the same, after the client's address had changed
  kCongestionWindow,    // the sender had to wait for acknowledgements before it could go on
  kLossRecovery,        // to learn of a loss and repair it
  kQuery,
  kOther,
};
std::string_view to_string(TripKind kind);  // "quic_handshake"
std::string_view describe(TripKind kind);   // "QUIC handshake"
// Whether a part of a sum, by its name, is a round trip.
bool is_round_trip(std::string_view what);

// A walk backwards from the packet that completed the answer, from each packet to what caused it.
// Its steps lie end to end, so their times add up to the query's time.
struct ChainStep {
  enum class Kind : std::uint8_t {
    kFlight,  // of events[event], as long as the path takes at least
    kQueue,   // what the same flight took above that: rate, jitter
    kWait,    // at `at`, before events[event] was sent; `cause` says for what
  };
  Kind kind = Kind::kWait;
  End at = End::kClient;  // of kWait; who sent, of the others
  std::size_t event = 0;
  CauseKind cause = CauseKind::kUnexplained;  // of kWait
  base::Nanoseconds time{0};
};

struct Explanation {
  std::vector<ChainStep> chain;        // in the order of time
  std::vector<captures::SumPart> sum;  // the same, grouped and named
  base::Nanoseconds unexplained{0};    // of waits that no rule fits, over 1 ms
  std::string text;                    // one line for people
  // Whether nothing is missing; of queries without an answer: whether the loss that ended them is
  // known.
  bool complete = false;
};

// From the query's first packet to the arrival of the one that completed its answer, among those
// that arrived within `time` of the first; empty where there is none.
std::optional<base::Nanoseconds> observed_time(const Exchange& exchange, base::Nanoseconds time);

// `causes` are those of `exchange`. Of a query with an answer the parts add up to `record.time`; of
// others there is no sum, but the text says what stopped them.
Explanation explain(const Exchange& exchange, std::span<const Cause> causes,
                    const captures::QueryRecord& record);

}  // namespace analysis
