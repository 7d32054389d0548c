#include "analysis/finding_collection.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <format>
#include <set>

namespace analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormatVersion = 1;

template <typename Value>
void append_up_to(std::vector<Value>& to, const std::vector<Value>& more, std::size_t most) {
  for (const Value& value : more) {
    if (to.size() == most) return;
    to.push_back(value);
  }
}

Json to_json(const FindingCollection::Example& example) {
  Json packets = Json::array();
  for (const PacketReference& packet : example.packets)
    packets.push_back(
        {{"capture", std::format("captures/{}-{}.pcapng", example.block, to_string(packet.end))},
         {"number", packet.number}});
  return {{"query", example.query}, {"packets", std::move(packets)}, {"text", example.text}};
}

Json to_json(const FindingRule& rule, const FindingCollection::Collected& collected) {
  Json examples = Json::array();
  for (const FindingCollection::Example& example : collected.examples)
    examples.push_back(to_json(example));
  return {{"id", rule.id},
          {"severity", to_string(rule.severity)},
          {"rule", rule.rule},
          {"source", rule.source},
          {"queries", collected.queries},
          {"cells", collected.cells},
          {"examples", std::move(examples)}};
}

}  // namespace

void FindingCollection::add_query(const captures::QueryRecord& record,
                                  std::span<const Finding> findings, bool explained) {
  ++queries_;
  if (explained) {
    ++explained_;
  } else if (unexplained_.size() < kMaxUnexplained) {
    unexplained_.push_back({.query = record.id, .explanation = record.explanation});
  }
  std::set<std::string_view> counted;
  for (const Finding& finding : findings) {
    Collected& collected = by_id_[std::string(finding.id)];
    if (counted.insert(finding.id).second) {
      ++collected.queries;
      ++collected.cells[record.cell];
    }
    if (collected.examples.size() < kMaxExamples)
      collected.examples.push_back({.query = record.id,
                                    .block = record.block,
                                    .packets = finding.packets,
                                    .text = finding.text});
  }
}

void FindingCollection::add(const FindingCollection& later) {
  queries_ += later.queries_;
  explained_ += later.explained_;
  append_up_to(unexplained_, later.unexplained_, kMaxUnexplained);
  for (const auto& [id, other] : later.by_id_) {
    Collected& collected = by_id_[id];
    collected.queries += other.queries;
    for (const auto& [cell, count] : other.cells) collected.cells[cell] += count;
    append_up_to(collected.examples, other.examples, kMaxExamples);
  }
}

const FindingCollection::Collected* FindingCollection::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second;
}

nlohmann::ordered_json to_json(const FindingCollection& collection) {
  Json findings = Json::array();
  for (const FindingRule& rule : finding_rules())
    if (const auto* collected = collection.find(rule.id))
      findings.push_back(to_json(rule, *collected));
  Json unexplained = Json::array();
  for (const auto& query : collection.unexplained())
    unexplained.push_back({{"query", query.query}, {"explanation", query.explanation}});
  return {{"format", kFormatVersion},
          {"findings", std::move(findings)},
          {"explained",
           {{"queries", collection.queries()},
            {"explained", collection.explained()},
            {"unexplained", std::move(unexplained)}}}};
}

}  // namespace analysis
