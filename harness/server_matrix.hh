#pragma once

// What servers turned out to be able to do.

#include "captures/query_record.hh"
#include "endpoints/real_server.hh"
#include "harness/server_probe.hh"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

enum class Aspect : std::uint8_t { kAnswers, kRetry, kEarlyData, kPostQuantum, kTickets };
inline constexpr std::array kAspects{Aspect::kAnswers, Aspect::kRetry, Aspect::kEarlyData,
                                     Aspect::kPostQuantum, Aspect::kTickets};
std::string_view to_string(Aspect aspect);  // "answers", "retry", "early_data", ...

inline constexpr std::string_view kPostQuantumGroup = "X25519MLKEM768";

// One server, one aspect, one transport.
struct Ability {
  enum class Kind : std::uint8_t {
    kCannot,  // says the catalogue: it was not asked
    kDoes,
    kFails,  // although the catalogue promises it; `reason` says how
  };
  Kind kind = Kind::kCannot;
  std::string reason{};
  // Of the queries that the probe asked, their median above the fewest round trips.
  std::optional<base::Nanoseconds> over_floor{};
  bool operator==(const Ability&) const = default;
};

struct ServerRow {
  std::string server;   // "nginx", "nginx@testing"
  std::string version;  // as it says itself; "unknown"
  // By aspect and transport, in the order of kAspects and kAllTransports.
  std::array<std::array<Ability, kAllTransports.size()>, kAspects.size()> abilities{};

  const Ability& at(Aspect aspect, Transport transport) const;
  Ability& at(Aspect aspect, Transport transport);
  bool keeps_promises() const;
};

// The queries of one probe over one transport.
struct ProbedCell {
  Probe probe = Probe::kCold;
  Transport transport = Transport::kDo53;
  base::Nanoseconds floor{0};
  std::vector<captures::QueryRecord> records{};
  std::size_t resumed = 0;  // handshakes among them that took the ticket, by the captures
  std::string failure{};    // of the lab or the server; then there are no records
};

ServerRow judge(std::string server, std::string version, std::span<const ProbedCell> cells);

}  // namespace harness
