#include "harness/bundle.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "base/temporary_folder.hh"
#include "base/text.hh"
#include "endpoints/real_server.hh"
#include "harness/archive.hh"
#include "harness/bundle_files.hh"
#include "harness/bundle_text.hh"
#include "harness/bundled_query.hh"
#include "harness/plan_json.hh"
#include "harness/private_words.hh"
#include "harness/query_choice.hh"
#include "harness/reproduction.hh"
#include "harness/run_figures.hh"
#include "harness/run_outcomes.hh"
#include "harness/scenario_error.hh"
#include "harness/sha256.hh"
#include "harness/small_run.hh"
#include "harness/stored_run.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <format>
#include <iostream>
#include <utility>
#include <vector>

namespace harness {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> chosen_queries(const CommandLine& command, const StoredRun& run) {
  constexpr std::size_t kMostQueries = 100;
  const QueryChoice choice(run);
  std::vector<std::string> ids;
  if (command.queries.empty()) ids.push_back(choice.one("worst"));
  for (const std::string& words : command.queries)
    for (std::string& id : choice.several(words))
      if (!std::ranges::contains(ids, id)) ids.push_back(std::move(id));
  if (ids.size() > kMostQueries)
    throw BadInput(std::format("labrun: a bundle holds at most {} queries; {} are chosen",
                               kMostQueries, ids.size()));
  return ids;
}

// Roots of somebody's own that servers come from, and where things lie.
PrivateWords private_words(const CommandLine& command, const Image& image, const StoredRun& run) {
  std::vector<fs::path> paths{fs::absolute(run.path()).lexically_normal(), image.root, image.folder,
                              fs::current_path()};
  for (const PlannedArm& arm : run.plan().arms)
    if (const std::size_t at = arm.server.find("@/"); at != std::string::npos)
      paths.emplace_back(arm.server.substr(at + 1));
  paths.push_back(fs::absolute(command.target).lexically_normal());
  return PrivateWords::of_this_machine(paths);
}

// What the whole run came to.
struct WholeRun {
  analysis::Summary summary;
  std::map<std::string, CellOutcomes> outcomes;
  std::string lines;  // outcomes, a line each
};

WholeRun count(const StoredRun& run) {
  WholeRun whole;
  analysis::SummaryBuilder builder = summary_builder(run.plan());
  std::vector<captures::QueryRecord> records;
  RecordReader reader(run);
  for (auto block = reader.next_block(); !block.empty(); block = reader.next_block()) {
    // As the run's own table: an invalid block is shown, never averaged in.
    if (!run.is_valid_block(block.front().block)) continue;
    for (captures::QueryRecord& record : block) {
      builder.add(record);
      whole.lines += outcome_line(record);
      records.push_back(std::move(record));
    }
  }
  whole.summary = builder.build();
  whole.outcomes = count_outcomes(records);
  return whole;
}

class Bundler {
 public:
  Bundler(const CommandLine& command, const Image& image)
      : command_(command),
        image_(image),
        run_(command.target),
        hidden_(private_words(command, image, run_)),
        file_(command.out.value_or(run_.plan().scenario + ".tar.zst")) {}

  int pack() {
    if (fs::exists(file_))
      throw BadInput(std::format("labrun: --out {}: it exists already", file_.string()));
    if (!run_.complete())
      throw BadInput(
          std::format("labrun: the run in {} is incomplete; what it leaves open is "
                      "nothing to hand on",
                      run_.path().string()));
    const std::vector<std::string> ids = chosen_queries(command_, run_);
    const base::TemporaryFolder folder;
    write_small_run(run_, ids, hidden_, folder.path());
    const StoredRun small(folder.path());
    queries_ = read_bundled(small);
    // Whoever reads a run expects the queries of a block together.
    const std::string records = record_lines(queries_);
    // The one that was named first leads.
    std::ranges::stable_sort(queries_, {}, [&](const BundledQuery& query) {
      return query.record.id != hidden_.removed_from(ids.front());
    });
    add_folder(folder.path());
    put("queries.jsonl", records);
    add_queries();
    const WholeRun whole = count(run_);
    add_whole_run(whole);
    add_texts(whole, reproduce(command_, image_, run_, ids.front()));
    finish();
    return base::kExitSuccess;
  }

 private:
  void put(const std::string& name, const std::string& text) {
    files_[name] = hidden_.removed_from(text);
  }

  void add_folder(const fs::path& folder) {
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file())
        files_[entry.path().lexically_relative(folder).generic_string()] =
            base::read_file(entry.path());
  }

  // What the packets here say, beside the records.
  void add_queries() {
    std::string fates;
    for (std::size_t index = 0; index < queries_.size(); ++index) {
      const BundledQuery& query = queries_[index];
      put(query_file(index), query.ladder);
      if (!query.client_qlog.empty()) put(qlog_file(index, "client"), query.client_qlog);
      if (!query.server_qlog.empty()) put(qlog_file(index, "server"), query.server_qlog);
      fates += query.fates;
    }
    put(kFatesFile, fates);
  }

  void add_whole_run(const WholeRun& whole) {
    put(kWholePlanFile, plan_to_json(plan_without_queries(run_.plan())));
    put(kWholeSummaryFile, analysis::to_json(whole.summary).dump(1) + "\n");
    put("run/findings.json", base::read_file(run_.path() / "findings.json"));
    put(kOutcomesFile, whole.lines);
  }

  const PlannedArm& leading_arm() const { return run_.plan().arms.at(leading_cell().arm); }
  const PlannedCell& leading_cell() const {
    return *std::ranges::find(run_.plan().cells, queries_.front().record.cell, &PlannedCell::name);
  }

  // What the leading query's server was told. Of a front, what it was told itself.
  std::string configuration() const {
    const std::string folder = std::format("servers/{}/", leading_cell().arm);
    std::string text;
    for (const auto& [name, contents] : files_) {
      if (!name.starts_with(folder)) continue;
      const std::string_view file = std::string_view(name).substr(folder.size());
      const bool own = file != "version.txt" && file != "backend.conf" && file != "openssl.cnf";
      if (own) text += contents;
    }
    return text;
  }

  std::string server_log() const {
    const std::string_view program = endpoints::parse_server_name(leading_arm().server).program;
    const auto log = files_.find(std::format("logs/{}-{}-{}.log", queries_.front().record.block,
                                             program, leading_cell().arm));
    return log == files_.end() ? std::string() : log->second;
  }

  std::string version_text() const {
    const auto text = files_.find(std::format("servers/{}/version.txt", leading_cell().arm));
    return text == files_.end() ? std::string() : text->second;
  }

  void add_texts(const WholeRun& whole, const Reproduction& reproduction) {
    const std::string version = version_text();
    const std::string told = configuration();
    const std::string log = server_log();
    const BundleSubject subject{.plan = run_.plan(),
                                .summary = whole.summary,
                                .outcomes = whole.outcomes,
                                .queries = queries_,
                                .reproduction = reproduction,
                                .versions = run_.versions(),
                                .kernel = run_.facts().kernel,
                                .command = run_.facts().reproduce,
                                .server_version = version,
                                .configuration = told,
                                .log = log};
    put("README.md", readme_text(subject));
    if (command_.format != "generic")
      put(std::format("report-{}.md", command_.format), report_text(subject, command_.format));
    if (!reproduction.scenario.empty()) put(kReproductionFile, reproduction.scenario);
    put("reproduce.sh", reproduce_script(run_, !reproduction.scenario.empty()));
    why_none_ = reproduction.why_none;
  }

  void finish() {
    for (const auto& [name, text] : files_)
      if (const std::string_view word = hidden_.found_in(text); !word.empty())
        throw base::LabError(std::format("write {}: {} would hold {}, which is private",
                                         file_.string(), name, word));
    files_[kSumsFile] = sums_of(files_);
    write_archive(file_, run_.plan().scenario, files_);
    std::cout << std::format(
        "{}: {} quer{} in {} files, {:.0f} kB; {}\n", shown_path(file_), queries_.size(),
        queries_.size() == 1 ? "y" : "ies", files_.size(),
        static_cast<double>(fs::file_size(file_)) / 1000,
        why_none_.empty() ? "reproduce.sh does it again" : "not reproduced alone: " + why_none_);
  }

  const CommandLine& command_;
  const Image& image_;
  StoredRun run_;
  PrivateWords hidden_;
  fs::path file_;
  std::vector<BundledQuery> queries_;
  ArchiveFiles files_;
  std::string why_none_;
};

}  // namespace

int bundle(const CommandLine& command, const Image& image) {
  return Bundler(command, image).pack();
}

}  // namespace harness
