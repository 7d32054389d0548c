#include "harness/bundle_files.hh"

#include "harness/block_analysis.hh"
#include "harness/sha256.hh"

#include <format>

namespace harness {

std::string query_file(std::size_t index) {
  return std::format("queries/{}.txt", index + 1);
}

std::string qlog_file(std::size_t index, std::string_view end) {
  return std::format("qlog/{}-{}.sqlog", index + 1, end);
}

std::string record_lines(const std::vector<BundledQuery>& queries) {
  std::vector<captures::QueryRecord> records;
  records.reserve(queries.size());
  for (const BundledQuery& query : queries) records.push_back(query.record);
  return to_lines(records);
}

std::string sums_of(const ArchiveFiles& files) {
  std::string sums;
  for (const auto& [name, text] : files)
    if (name != kSumsFile) sums += std::format("{}  {}\n", sha256(text), name);
  return sums;
}

std::string reproduce_script(const StoredRun& run, bool one_query) {
  const auto labrun = run.versions().find("labrun");
  const std::string what =
      one_query ? "the first query of this bundle again, alone" : "the whole run again";
  const std::string scenario = one_query ? kReproductionFile : "scenario.yaml";
  const std::string seed = one_query ? "" : std::format(" --seed {}", run.plan().seed);
  return std::format(
      "#!/bin/sh\n"
      "# Asks {}. Needs a folder with labrun's sources, which it builds; this was made with\n"
      "# labrun {}.\n"
      "set -eu\n"
      "here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
      "checkout=${{1:?usage: ./reproduce.sh CHECKOUT, a folder with the sources of labrun}}\n"
      "make -C \"$checkout\" build\n"
      "if \"$checkout/build/labrun\" \"$here/{}\"{}; then\n"
      "  echo \"reproduced: every claim of {} holds\"\n"
      "else\n"
      "  echo \"not reproduced: see above\" >&2\n"
      "  exit 1\n"
      "fi\n",
      what, labrun == run.versions().end() ? "unknown" : labrun->second, scenario, seed, scenario);
}

}  // namespace harness
