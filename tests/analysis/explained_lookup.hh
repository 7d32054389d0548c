#pragma once

// Lookups over our own QUIC stack in a clock of their own, decoded and explained: each datagram can
// be dropped or held back, and what the explanation must say is known.

#include "analysis/accounting.hh"
#include "analysis/cause.hh"
#include "analysis/exchange.hh"
#include "analysis/finding.hh"
#include "captures/query_record.hh"
#include "tests/transport/quic_lookup.hh"
#include "transport/quic_listener.hh"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace test {

class ExplainedLookup {
 public:
  ExplainedLookup(std::size_t chain_bytes, std::string_view group,
                  transport::RetryPolicy retry = transport::RetryPolicy::kNever);

  // Of one end's datagrams, the first being 0.
  void drop(analysis::End from, std::size_t ordinal);
  void hold(analysis::End from, std::size_t ordinal, base::Nanoseconds extra);
  // Runs and decodes; the answer must come within ten seconds.
  void run();

  transport::Lookup lookup;
  // After run().
  analysis::Exchange exchange;
  std::vector<analysis::Cause> causes;
  analysis::Explanation explanation;
  std::vector<analysis::Finding> findings;
  captures::QueryRecord record;

  // "tcp_connect+query", in the order of time; work is left out.
  std::string sum_words() const;
  // Time of all parts of that name.
  base::Nanoseconds time_of(std::string_view what) const;
  bool has_finding(std::string_view id) const;

 private:
  void decode();

  std::string keylog_;
  std::map<std::pair<bool, std::size_t>, std::optional<base::Nanoseconds>> fates_;
  transport::RetryPolicy retry_;
};

}  // namespace test
