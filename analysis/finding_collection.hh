#pragma once

// The findings of a whole run, counted, with enough of them named to be looked up.

#include "analysis/finding.hh"
#include "captures/query_record.hh"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace analysis {

class FindingCollection {
 public:
  // More examples of a finding than these are counted only; each record names all that concern it.
  static constexpr std::size_t kMaxExamples = 100;
  static constexpr std::size_t kMaxUnexplained = 1000;

  struct Example {
    std::string query;
    std::uint64_t block = 0;
    std::vector<PacketReference> packets;
    std::string text;
  };
  struct Collected {
    std::uint64_t queries = 0;
    std::map<std::string, std::uint64_t> cells;  // queries of each
    std::vector<Example> examples;               // in the order of the plan
  };
  struct Unexplained {
    std::string query;
    std::string explanation;
  };

  // Queries come in the order of the plan.
  void add_query(const captures::QueryRecord& record, std::span<const Finding> findings,
                 bool explained);
  // What another block collected, which follows this one in the plan.
  void add(const FindingCollection& later);

  const Collected* find(std::string_view id) const;
  std::uint64_t queries() const { return queries_; }
  std::uint64_t explained() const { return explained_; }
  const std::vector<Unexplained>& unexplained() const { return unexplained_; }

 private:
  std::map<std::string, Collected, std::less<>> by_id_;
  std::uint64_t queries_ = 0;
  std::uint64_t explained_ = 0;
  std::vector<Unexplained> unexplained_;
};

// The contents of findings.json.
nlohmann::ordered_json to_json(const FindingCollection& collection);

}  // namespace analysis
