#include "harness/ladder.hh"

#include <algorithm>
#include <format>
#include <map>
#include <set>

namespace harness {
namespace {

using analysis::Cause;
using analysis::End;
using analysis::PacketEvent;

std::string clock_text(std::int64_t ns) {
  return std::format("{:10.3f}", static_cast<double>(ns) / 1e6);
}

class Ladder {
 public:
  Ladder(const LadderQuery& query, analysis::Details details, Colors colors)
      : query_(query), details_(details), colors_(colors) {
    if (!query.exchange.events.empty()) start_ns_ = query.exchange.events.front().sent_ns;
    for (const analysis::ChainStep& step : query.explanation.chain)
      if (step.kind == analysis::ChainStep::Kind::kFlight) on_chain_.insert(step.event);
  }

  std::string render() {
    heading();
    for (std::size_t index = 0; index < query_.exchange.events.size(); ++index) {
      timer(index);
      packet(index);
    }
    sum();
    findings();
    return std::move(text_);
  }

 private:
  void heading() {
    const captures::QueryRecord& record = query_.record;
    text_ += paint(record.id, Ink::kBold, colors_);
    text_ += record.time ? std::format(": answered after {:.3f} ms",
                                       static_cast<double>(record.time->count()) / 1e6)
                         : std::format(": {}", to_string(record.outcome));
    text_ += std::format(
        "\npackets are numbered as in captures/{0}-client.pcapng and "
        "captures/{0}-server.pcapng\n\n",
        record.block);
    text_ += paint(std::format("{:>10}  {:<17} {:>10}  {:<11} {}", "sent ms", "", "arrived",
                               "client/srv", "packet"),
                   Ink::kFaint, colors_) +
             '\n';
  }

  // Before the packet that a timer sent, what was waited for.
  void timer(std::size_t index) {
    const Cause& cause = query_.causes[index];
    const bool shown = is_timer(cause.kind) || cause.kind == analysis::CauseKind::kGaveUp ||
                       (cause.kind == analysis::CauseKind::kUnexplained && cause.since) ||
                       (cause.kind == analysis::CauseKind::kProcessing &&
                        cause.wait >= std::chrono::milliseconds(1));
    if (!shown || !cause.since) return;
    const std::pair now(*cause.since, cause.by_arrival);
    if (last_timer_ == now) return;
    last_timer_ = now;
    const PacketEvent& event = query_.exchange.events[index];
    const std::string note = analysis::timer_note(query_.exchange, index, cause);
    text_ += paint(std::format("{:>10}  {}: {}, {}{}{}", "", to_string(event.from),
                               describe(cause.kind), analysis::milliseconds_text(cause.wait),
                               cause.backoff > 0 ? std::format(", doubled {}x", cause.backoff) : "",
                               note.empty() ? "" : std::format(" ({})", note)),
                   Ink::kBold, colors_) +
             '\n';
  }

  void packet(std::size_t index) {
    const PacketEvent& event = query_.exchange.events[index];
    const bool client = event.from == End::kClient;
    std::string_view arrow = client ? "client --> server" : "client <-- server";
    std::string arrived = "lost";
    if (event.lost()) {
      arrow = client ? "client --x       " : "       x-- server";
    } else {
      arrived = clock_text(*event.arrived_ns - start_ns_);
      if (event.corrupted) arrived = "corrupted";
    }
    const std::size_t at_client = client ? event.number : event.arrival_number;
    const std::size_t at_server = client ? event.arrival_number : event.number;
    const auto number = [](std::size_t value) {
      return value == 0 ? std::string("-") : std::to_string(value);
    };
    std::string line =
        std::format("{}  {} {:>10}  {:<11} {}", clock_text(event.sent_ns - start_ns_), arrow,
                    arrived, std::format("{}/{}", number(at_client), number(at_server)),
                    analysis::describe_packet(event.packet, details_));
    if (event.extra_copies > 0) line += std::format(" (arrived {} times)", 1 + event.extra_copies);
    if (!event.packet.problem.empty()) line += std::format(" ({})", event.packet.problem);
    Ink ink = on_chain_.contains(index) ? Ink::kPlain : Ink::kFaint;
    if (!event.useful()) ink = Ink::kBad;
    text_ += paint(line, ink, colors_) + '\n';
  }

  void sum() {
    text_ += '\n';
    if (!query_.record.time) {
      text_ += query_.explanation.text + '\n';
      return;
    }
    const auto line = [this](base::Nanoseconds time, const std::string& words) {
      text_ += std::format("{:10.3f} ms  {}\n", static_cast<double>(time.count()) / 1e6, words);
    };
    for (const captures::SumPart& part : query_.explanation.sum) {
      std::string words(analysis::part_words(part.what));
      if (!part.at.empty()) words = std::format("{}: {}", part.at, words);
      if (!part.note.empty()) words += std::format(" ({})", part.note);
      line(part.time, words);
    }
    if (query_.explanation.unexplained > base::Nanoseconds(0))
      line(query_.explanation.unexplained, "unexplained");
    line(*query_.record.time, "in all");
  }

  void findings() {
    if (query_.findings.empty()) return;
    text_ += '\n';
    for (const analysis::Finding& finding : query_.findings) {
      const analysis::FindingRule& rule = analysis::finding_rule(finding.id);
      text_ += labelled(to_string(rule.severity), std::format("{}: {}", finding.id, finding.text));
      text_ += labelled("", std::format("{} ({})", rule.rule, rule.source));
    }
  }

  const LadderQuery& query_;
  analysis::Details details_;
  Colors colors_;
  std::int64_t start_ns_ = 0;
  std::set<std::size_t> on_chain_;
  std::optional<std::pair<std::size_t, bool>> last_timer_;
  std::string text_;
};

}  // namespace

std::string render_ladder(const LadderQuery& query, analysis::Details details, Colors colors) {
  return Ladder(query, details, colors).render();
}

}  // namespace harness
