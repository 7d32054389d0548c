#include "harness/exact_text.hh"

#include <algorithm>
#include <array>
#include <cmath>
#include <format>
#include <ranges>

namespace harness {
namespace {

using analysis::ExactDistribution;
using analysis::LossRates;
using base::Nanoseconds;

constexpr std::array<double, 5> kQuantiles{0.5, 0.9, 0.95, 0.99, 0.999};
// Rates of which a person sees figures; the file has more.
constexpr std::array<double, 7> kShownRates{0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2};
// Bounds that differ by less are one figure: atoms of one pattern differ by microseconds.
constexpr Nanoseconds kSameFigure = std::chrono::microseconds(500);

std::string percent_digits(double share) {
  // Less is what adding up thousands of numbers leaves.
  if (share < 1e-12) return "0";
  // As many digits as make two significant ones; 0.00995 and more are written 0.010.
  const double magnitude = std::floor(std::log10(share * 100 / 0.995));
  return std::format("{:.{}f}", share * 100, std::clamp(1 - static_cast<int>(magnitude), 1, 9));
}

std::string percent(double share) {
  return percent_digits(share) + '%';
}

std::string quantile_text(const ExactDistribution& exact, double q) {
  const analysis::QuantileBounds bounds = exact.quantile(q);
  if (!bounds.low) return "never";
  const std::string low = in_milliseconds(*bounds.low);
  if (!bounds.high) return "≥ " + low;
  if (*bounds.high - *bounds.low < kSameFigure) return in_milliseconds(*bounds.high);
  return std::format("{}-{}", low, in_milliseconds(*bounds.high));
}

std::string never_text(const ExactDistribution& exact) {
  const auto never = exact.never();
  const std::string lower = percent_digits(never.lower);
  const std::string upper = percent_digits(never.upper);
  if (lower == upper || never.upper - never.lower <= never.lower / 100) return upper + '%';
  return lower == "0" ? std::format("≤ {}%", upper) : std::format("{}-{}%", lower, upper);
}

// std::string::size() counts bytes; the signs above take three of them and one column.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, width_of(text)), ' ') + text;
}

std::string rates_text(const LossRates& rates) {
  if (rates.client == rates.server) return percent(rates.client);
  return std::format("{} / {}", percent(rates.client), percent(rates.server));
}

void add_row(const ExactDistribution& exact, Colors colors, Ink ink, std::string& text) {
  std::string line = right(rates_text(exact.rates()), 12);
  for (const double q : kQuantiles) line += "  " + right(quantile_text(exact, q), 13);
  line += "  " + right(never_text(exact), 15) + "  " + right(percent(exact.unvisited()), 11);
  text += paint(line, ink, colors) + '\n';
}

void add_cell(const ExactCell& cell, Colors colors, std::string& text) {
  text += paint(cell.planned.name, Ink::kBold, colors);
  text += cell.lossless.time
              ? std::format(": {} ms without loss", in_milliseconds(*cell.lossless.time))
              : std::string(": not answered even without loss");
  text += std::format("; {} packets can matter to it; {} loss patterns{}\n", cell.packets_in_past(),
                      cell.leaves.size(),
                      cell.faults.empty() ? "" : std::format(", {} FAULTS", cell.faults.size()));
  std::string heading = right("loss", 12);
  for (const char* title : {"p50", "p90", "p95", "p99", "p99.9"})
    heading += "  " + right(title, 13);
  heading += "  " + right("never", 15) + "  " + right("unknown", 11);
  text += paint(heading, Ink::kFaint, colors) + '\n';
  bool shown = false;
  const bool alike = cell.rates.client == cell.rates.server;
  for (const double rate : kShownRates) {
    const bool own = alike && std::abs(rate - cell.rates.client) < 1e-12;
    shown = shown || own;
    add_row(cell.distribution({.client = rate, .server = rate}), colors,
            own ? Ink::kBold : Ink::kPlain, text);
  }
  if (!shown && (cell.rates.client > 0 || cell.rates.server > 0))
    add_row(cell.distribution(cell.rates), colors, Ink::kBold, text);
  text += '\n';
}

std::string bin_text(const analysis::FitBin& bin) {
  if (!bin.visited) return "at no time that was walked";
  if (!bin.low) return "never";
  const std::string low = in_milliseconds(*bin.low);
  if (!bin.high) return low + " and later";
  const std::string high = in_milliseconds(*bin.high);
  return low == high ? low : std::format("{}-{}", low, high);
}

}  // namespace

std::string render_exact(std::span<const ExactCell> cells, Colors colors) {
  std::string text =
      "Answer times in ms by the loss of each direction. A figure is what it is wherever the "
      "patterns\nwith more losses lead; \"≥\" and \"a-b\" are bounds, \"unknown\" is their "
      "share.\n\n";
  for (const ExactCell& cell : cells) add_cell(cell, colors, text);
  return text;
}

std::string render_faults(std::span<const ExactCell> cells) {
  // One shows what goes on; the file has all.
  constexpr std::size_t kShownFaults = 2;
  std::string text;
  for (const ExactCell& cell : cells) {
    if (cell.faults.size() > kShownFaults)
      text += std::format("{}: {} of {} determinism faults follow, all are in exact.json\n",
                          cell.planned.name, kShownFaults, cell.faults.size());
    for (const nlohmann::json& fault : cell.faults | std::views::take(kShownFaults)) {
      text += std::format("determinism fault in {}, {} dropped, {} attempts: {}\n",
                          cell.planned.name, fault.at("pattern").get<std::string>(),
                          fault.at("attempts").get<std::size_t>(),
                          fault.at("difference").get<std::string>());
      for (const char* which : {"parent", "child"})
        for (const nlohmann::json& packet : fault.at(which))
          text += std::format("  {:<6} {:<4} {:9.3f} ms {}{}\n", which,
                              packet.at("packet").get<std::string>(),
                              static_cast<double>(packet.at("at_ns").get<std::int64_t>()) / 1e6,
                              packet.at("meaning").get<std::string>(),
                              packet.at("dropped").get<bool>() ? " (dropped)" : "");
    }
  }
  return text;
}

std::string render_fit(std::span<const FittedCell> cells, Colors colors) {
  std::string text;
  for (const FittedCell& cell : cells) {
    const analysis::GoodnessOfFit& fit = cell.fit;
    text += paint(cell.name, Ink::kBold, colors);
    text += std::format(
        ": {} samples {} the exact distribution: chi-square {:.1f} with {} degrees of freedom, "
        "p = {:.3f}; {} at no time that was walked, p = {:.3f}\n",
        cell.samples, fit.agrees() ? "agree with" : "DISAGREE with", fit.chi_square, fit.degrees,
        fit.p_value, fit.unvisited_observed, fit.unvisited_p_value);
    for (const analysis::FitBin& bin : fit.bins)
      text += std::format("  {:>28}  expected {:9.1f}  found {:6}\n", bin_text(bin), bin.expected,
                          bin.observed);
  }
  return text;
}

}  // namespace harness
