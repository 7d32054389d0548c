#include "harness/comparison_text.hh"

#include "analysis/finding.hh"
#include "analysis/paired_comparison.hh"
#include "analysis/percentile.hh"
#include "harness/difference_text.hh"

#include <algorithm>
#include <format>
#include <set>
#include <string_view>

namespace harness {
namespace {

using analysis::PercentileDifference;

// The bootstrap's draws are the same in every comparison, so that the same runs print the same.
constexpr base::Seed kDrawSeed = 1;

// What occurs in some table and is explained below all of them.
struct Marks {
  std::set<double> unsupported;  // percentiles that have too few pairs
  bool no_interval = false;
  bool any_interval = false;
  bool beyond_both = false;
};

std::string plain_text(double value, int decimals) {
  return std::format("{:.{}f}", value, decimals);
}

class CellTable {
 public:
  CellTable(const CellsToShow& cells, Colors colors, Marks& marks)
      : cells_(*cells.pairs),
        name_(cells.name),
        compared_(analysis::compare_pairs(cells_.pairs(), base::Rng(kDrawSeed))),
        colors_(colors),
        marks_(marks),
        table_({26, 11, 11, 11, 22, 12}, colors) {}

  std::string text();
  // The measures by which a side is slower: "p50, p90".
  const std::string& slower(Slower side) const {
    return side == Slower::kA ? a_slower_ : b_slower_;
  }

 private:
  std::string heading() const;
  void percentiles();
  void median_of_pairs();
  void unanswered();
  void blocks();
  void sent();
  void findings();
  void difference_row(const std::string& label, const std::string& a, const std::string& b,
                      const ShownDifference& shown);
  // Two sums over all pairs whose captures were counted, as means of a query.
  void mean_row(const std::string& label, std::uint64_t a, std::uint64_t b, int decimals);
  void count_row(const std::string& label, std::uint64_t a, std::uint64_t b,
                 const std::string& aside, const TableCell& verdict);

  const PairedCells& cells_;
  std::string name_;
  analysis::PairedComparison compared_;
  Colors colors_;
  Marks& marks_;
  TableWriter table_;
  std::string a_slower_;
  std::string b_slower_;
};

std::string CellTable::heading() const {
  std::string counts =
      std::format("{} pair{} in {} block{}", compared_.pairs, compared_.pairs == 1 ? "" : "s",
                  compared_.blocks, compared_.blocks == 1 ? "" : "s");
  const std::uint64_t of_a = cells_.a().unpaired;
  const std::uint64_t of_b = cells_.b().unpaired;
  if (of_a + of_b > 0) counts += std::format("; without a partner: A {}, B {}", of_a, of_b);
  const bool fits = name_.size() + 2 + counts.size() <= kTableWidth;
  if (name_.empty()) return counts + '\n';
  return paint(name_, Ink::kBold, colors_) + (fits ? "  " : "\n") + counts + '\n';
}

void CellTable::difference_row(const std::string& label, const std::string& a, const std::string& b,
                               const ShownDifference& shown) {
  TableCell verdict;
  const Slower side = slower_side(shown);
  if (side != Slower::kUnknown) marks_.any_interval = true;
  switch (side) {
    case Slower::kA:
    case Slower::kB: {
      verdict = {side == Slower::kA ? "A slower" : "B slower", Ink::kBold};
      std::string& measures = side == Slower::kA ? a_slower_ : b_slower_;
      measures += std::format("{}{}", measures.empty() ? "" : ", ", label);
      break;
    }
    case Slower::kNotDecided:
      verdict = {"holds 0", Ink::kFaint};
      break;
    case Slower::kUnknown:
      if (shown.value) {
        verdict = {"no interval", Ink::kFaint};
        marks_.no_interval = true;
      }
      break;
  }
  table_.row({{label},
              {a},
              {b},
              {difference_text(shown.value, cells_.timeout())},
              {interval_text(shown, cells_.timeout()), Ink::kFaint},
              verdict});
}

void CellTable::percentiles() {
  std::vector<std::optional<base::Nanoseconds>> of_a;
  std::vector<std::optional<base::Nanoseconds>> of_b;
  for (const analysis::QueryPair& pair : cells_.pairs()) {
    of_a.push_back(pair.a);
    of_b.push_back(pair.b);
  }
  const analysis::OrderStatistics a(of_a, cells_.timeout());
  const analysis::OrderStatistics b(of_b, cells_.timeout());
  for (const PercentileDifference& difference : compared_.percentiles) {
    const analysis::Percentile at_a = a.percentile(difference.p);
    const analysis::Percentile at_b = b.percentile(difference.p);
    if (compared_.pairs < analysis::samples_needed(difference.p))
      marks_.unsupported.insert(difference.p);
    if (at_a.censored && at_b.censored) marks_.beyond_both = true;
    difference_row(std::format("p{:g}", 100 * difference.p),
                   percentile_text(at_a, cells_.timeout()), percentile_text(at_b, cells_.timeout()),
                   {difference.value, difference.lower, difference.upper});
  }
}

void CellTable::median_of_pairs() {
  const analysis::MedianDifference& median = compared_.median;
  if (!median.value) marks_.beyond_both = true;
  difference_row("median of pairs", "", "", {median.value, median.lower, median.upper});
}

void CellTable::count_row(const std::string& label, std::uint64_t a, std::uint64_t b,
                          const std::string& aside, const TableCell& verdict) {
  const auto difference = static_cast<std::int64_t>(a) - static_cast<std::int64_t>(b);
  table_.row({{label},
              {std::to_string(a)},
              {std::to_string(b)},
              {difference == 0 ? "0" : std::format("{:+}", difference)},
              {aside, Ink::kFaint},
              verdict});
}

void CellTable::unanswered() {
  const analysis::PairCounts& counts = compared_.unanswered;
  const bool any = counts.neither < counts.total();
  count_row("no answer", counts.both + counts.only_a, counts.both + counts.only_b,
            any ? std::format("only A {}, only B {}", counts.only_a, counts.only_b) : "",
            {any ? probability_text(compared_.unanswered_p) : ""});
}

void CellTable::blocks() {
  table_.row({{std::format("slower blocks, of {}", compared_.blocks)},
              {std::to_string(compared_.blocks_a_slower)},
              {std::to_string(compared_.blocks_b_slower)}});
}

void CellTable::mean_row(const std::string& label, std::uint64_t a, std::uint64_t b, int decimals) {
  if (cells_.a().counted == 0 || cells_.b().counted == 0) return;
  const double of_a = static_cast<double>(a) / static_cast<double>(cells_.a().counted);
  const double of_b = static_cast<double>(b) / static_cast<double>(cells_.b().counted);
  std::string difference = std::format("{:+.{}f}", of_a - of_b, decimals);
  if (difference.find_first_of("123456789") == std::string::npos) difference.erase(0, 1);
  table_.row({{label}, {plain_text(of_a, decimals)}, {plain_text(of_b, decimals)}, {difference}});
}

void CellTable::sent() {
  const captures::WireCounts& a = cells_.a().sent;
  const captures::WireCounts& b = cells_.b().sent;
  mean_row("packets, client", a.client.packets, b.client.packets, 2);
  mean_row("packets, server", a.server.packets, b.server.packets, 2);
  mean_row("IP bytes, client", a.client.bytes, b.client.bytes, 1);
  mean_row("IP bytes, server", a.server.bytes, b.server.bytes, 1);
}

std::uint64_t count_of(const PairedSide& side, std::string_view finding) {
  const auto found = side.findings.find(finding);
  return found == side.findings.end() ? 0 : found->second;
}

void CellTable::findings() {
  // In the order of the rules; what a later version found stands at the end.
  std::vector<std::string_view> ids;
  for (const analysis::FindingRule& rule : analysis::finding_rules()) ids.push_back(rule.id);
  for (const PairedSide* side : {&cells_.a(), &cells_.b()})
    for (const auto& [id, count] : side->findings)
      if (!std::ranges::contains(ids, id)) ids.push_back(id);
  for (const std::string_view id : ids) {
    const std::uint64_t a = count_of(cells_.a(), id);
    const std::uint64_t b = count_of(cells_.b(), id);
    if (a == b) continue;
    std::string only;
    if (a == 0) only = "only B";
    if (b == 0) only = "only A";
    count_row(std::string(id), a, b, "", {only});
  }
  count_row("unexplained", cells_.a().unexplained, cells_.b().unexplained, "", {});
}

std::string CellTable::text() {
  if (compared_.pairs == 0) return heading();
  table_.heading({"ms", "A", "B", "A - B", "95 % interval"});
  percentiles();
  median_of_pairs();
  unanswered();
  blocks();
  sent();
  findings();
  return heading() + table_.text();
}

std::string legend(const Marks& marks) {
  std::string text = labelled(
      "A - B",
      "above zero where A is slower or has more. holds 0: zero lies within the interval, which "
      "shows no difference; bounds count as shown, to 0.1 ms");
  text += labelled(
      "intervals",
      std::format(
          "each for itself, 95 %. p50 to p99: bootstrap of whole blocks, {} draws, seed {}. "
          "median of pairs, which is of the pairs' differences: order statistics. Queries "
          "without an answer, failed ones among them, count as slower than the timeout",
          analysis::kBootstrapDraws, kDrawSeed));
  text +=
      labelled("p",
               "chance of so uneven a split into only A and only B, or a worse one, were A and B "
               "alike (McNemar's exact test)");
  text += labelled("packets", "and IP bytes: what each end sent per query, means");
  text +=
      labelled("findings",
               "queries with each, where A and B differ; unexplained: those of whose time a part "
               "fits no rule. These counts are not tested");
  std::string needs;
  for (const double p : marks.unsupported)
    needs += std::format("{}p{:g} needs {}", needs.empty() ? "" : ", ", 100 * p,
                         analysis::samples_needed(p));
  if (!needs.empty()) text += labelled("-", std::format("too few pairs: {}", needs));
  if (marks.beyond_both)
    text += labelled("-", "no difference can be given: both sides lie beyond the timeout");
  if (marks.no_interval)
    text +=
        labelled("no interval",
                 std::format("percentiles need {} blocks (--blocks), the median of pairs 6 pairs",
                             analysis::kBootstrapBlocks));
  return text;
}

// Which side is slower where, once more and short.
class Verdicts {
 public:
  void add(const std::string& cell, const CellTable& table) {
    for (const Slower side : {Slower::kA, Slower::kB}) {
      const std::string& measures = table.slower(side);
      if (measures.empty()) continue;
      std::string& line = side == Slower::kA ? a_slower_ : b_slower_;
      if (!line.empty()) line += "; ";
      line += cell.empty() ? measures : std::format("{} ({})", cell, measures);
    }
  }
  std::string text(const Marks& marks) const {
    if (!marks.any_interval) return labelled("slower", "not decided: there is no interval");
    std::string text;
    if (!a_slower_.empty()) text += labelled("A slower", a_slower_);
    if (!b_slower_.empty()) text += labelled("B slower", b_slower_);
    return text.empty() ? labelled("slower", "neither, by the intervals above") : text;
  }

 private:
  std::string a_slower_;
  std::string b_slower_;
};

}  // namespace

std::string render_comparison(const std::vector<Remark>& remarks,
                              const std::vector<CellsToShow>& cells, Colors colors) {
  std::string text;
  for (const Remark& remark : remarks) text += labelled(remark.label, remark.text);
  Marks marks;
  Verdicts verdicts;
  for (const CellsToShow& shown : cells) {
    CellTable table(shown, colors, marks);
    text += '\n' + table.text();
    verdicts.add(shown.name, table);
  }
  return text + '\n' + verdicts.text(marks) + legend(marks);
}

}  // namespace harness
