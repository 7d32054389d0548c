#include "analysis/expectations.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "base/temporary_folder.hh"
#include "harness/archive.hh"
#include "harness/bundle.hh"
#include "harness/bundle_files.hh"
#include "harness/bundled_query.hh"
#include "harness/plan_json.hh"
#include "harness/run_figures.hh"
#include "harness/run_outcomes.hh"
#include "harness/scenario_error.hh"
#include "harness/table_text.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <format>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Holds a bundle to what it says, part by part, and says what came of each.
class Verifier {
 public:
  explicit Verifier(const fs::path& file) : files_(read_archive(file)) {
    if (!files_.contains(kSumsFile))
      throw BadInput(
          std::format("labrun: {} is no bundle of labrun: it has no {}", file.string(), kSumsFile));
  }

  bool run() {
    // Where a sum is wrong nothing else says anything.
    if (!check_sums()) return false;
    check_queries();
    check_figures();
    return good_;
  }

 private:
  void say(bool good, std::string_view what, const std::string& text) {
    good_ = good_ && good;
    std::cout << labelled(what, std::format("{}: {}", good ? "holds" : "DIFFERS", text));
  }

  const std::string& file(const std::string& name) const {
    const auto found = files_.find(name);
    if (found == files_.end()) throw BadInput(std::format("labrun: the bundle has no {}", name));
    return found->second;
  }

  // Whether a file of this folder has this text.
  bool holds(std::string_view folder, std::string_view text) const {
    return std::ranges::any_of(files_, [&](const auto& entry) {
      return entry.first.starts_with(folder) && entry.second == text;
    });
  }

  bool check_sums() {
    const std::string& stated = file(kSumsFile);
    const std::string actual = sums_of(files_);
    if (stated == actual) {
      say(true, "sums", std::format("{} files", files_.size() - 1));
      return true;
    }
    std::string names;
    for (const auto& [name, text] : files_) {
      if (name == kSumsFile) continue;
      if (!stated.contains(sums_of({{name, text}}))) names += (names.empty() ? "" : ", ") + name;
    }
    say(false, "sums", names.empty() ? "a file is missing" : names);
    return false;
  }

  // The packets, analysed again, say what the bundle says.
  void check_queries() {
    const base::TemporaryFolder folder;
    for (const auto& [name, text] : files_) {
      fs::create_directories((folder.path() / name).parent_path());
      base::write_file_atomically(folder.path() / name, text);
    }
    const std::vector<BundledQuery> queries = read_bundled(StoredRun(folder.path()));
    if (queries.empty()) throw BadInput("labrun: the bundle has no query");
    std::map<std::string, captures::QueryRecord> outcomes;
    for (captures::QueryRecord& record : parse_outcomes(file(kOutcomesFile))) {
      const std::string id = record.id;
      outcomes.emplace(id, std::move(record));
    }
    std::vector<std::string> different;
    for (std::size_t index = 0; index < queries.size(); ++index) {
      const BundledQuery& query = queries[index];
      if (!file("queries.jsonl").contains(captures::to_json_line(query.record) + "\n"))
        different.push_back(query.record.id + ": its record");
      const auto outcome = outcomes.find(query.record.id);
      if (outcome == outcomes.end() || outcome->second.cell != query.record.cell ||
          outcome->second.outcome != query.record.outcome ||
          outcome->second.time != query.record.time)
        different.push_back(query.record.id + ": its outcome in the whole run");
      if (!file(kFatesFile).contains(query.fates))
        different.push_back(query.record.id + ": the fates of its packets");
      for (const std::string& qlog : {query.client_qlog, query.server_qlog})
        if (!qlog.empty() && !holds("qlog/", qlog))
          different.push_back(query.record.id + ": its qlog");
      if (!holds("queries/", query.ladder)) different.push_back(query.record.id + ": its packets");
    }
    say(different.empty(), "queries",
        different.empty() ? std::format("{} analysed again, explained alike", queries.size())
                          : different.front());
  }

  // The outcomes, counted again, give the figures, and these the verdicts.
  void check_figures() {
    const Plan plan = plan_from_json(file(kWholePlanFile));
    const auto outcomes = parse_outcomes(file(kOutcomesFile));
    analysis::SummaryBuilder builder = summary_builder(plan);
    for (const captures::QueryRecord& record : outcomes) builder.add(record);
    const analysis::Summary summary = builder.build();
    const std::string difference =
        first_difference(json(analysis::to_json(summary)), json::parse(file(kWholeSummaryFile)));
    say(difference.empty(), "figures",
        difference.empty() ? std::format("{} outcomes counted again", outcomes.size())
                           : difference);
    const auto verdicts = analysis::judge(expectations_of(plan), summary);
    for (const auto& verdict : verdicts)
      if (verdict.judgement == analysis::Judgement::kBroken) say(false, "claims", verdict.text);
    if (!verdicts.empty() && analysis::all_hold(verdicts))
      say(true, "claims", std::format("{} of the scenario", verdicts.size()));
  }

  static std::string first_difference(const json& now, const json& then) {
    constexpr std::array<const char*, 9> kKeys{
        "n", "answered", "no_answer", "failed", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "max_ns"};
    const json& cells = now.at("cells");
    for (const auto& entry : cells.items()) {
      const json stated = then.at("cells").value(entry.key(), json::object());
      for (const char* key : kKeys)
        if (stated.value(key, json("none")) != entry.value().at(key))
          return std::format("{} of {}", key, entry.key());
    }
    return {};
  }

  ArchiveFiles files_;
  bool good_ = true;
};

}  // namespace

int verify_bundle(const CommandLine& command) {
  try {
    return Verifier(command.target).run() ? base::kExitSuccess : base::kExitExpectationFailed;
  } catch (const json::exception& error) {
    throw BadInput(std::format("labrun: {} is no bundle of labrun: {}", command.target.string(),
                               error.what()));
  }
}

}  // namespace harness
