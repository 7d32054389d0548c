#pragma once

// What labrun asks of `labquery --batch`: one JSON object per line, every key optional unless said.
// It says which query of the run this is, and everything that decides how it is made.

#include "base/rng.hh"
#include "clients/query_spec.hh"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace clients {

// Which query of a run this is; echoed in its record.
struct QueryIdentity {
  std::string id;
  std::string cell;
  std::uint64_t block = 0;
  std::uint64_t index = 0;
  base::Seed seed = 0;  // a number, or a decimal string where a JSON number could lose digits
};

struct QueryRequest {
  QueryIdentity identity;
  QuerySpec spec;
  bool prepare = false;  // QueryRunner::prepare(), else run()
};

inline constexpr std::size_t kMaxRequestLineBytes = 1U << 16U;

// Keys: id cell block index seed transport(required) server(required, numeric) port local_port
// server_name path question{name,type}(required) timeout_ns groups initial_rtt_ns max_udp_payload
// pmtud padding method ca_file connection settle_ns prepare. An unknown key is an error: a setting
// that is not obeyed would falsify what is measured. A null or missing `ca_file` means no
// certificate check.
std::expected<QueryRequest, std::string> parse_query_request(std::string_view line);

}  // namespace clients
