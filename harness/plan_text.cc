#include "harness/plan_text.hh"

#include "base/units.hh"

#include <algorithm>
#include <format>
#include <iterator>

namespace harness {
namespace {

constexpr std::size_t kWidth = 100;

// Appends words, wrapping before the right margin; continuation lines are indented.
class Paragraph {
 public:
  Paragraph(std::string& text, std::string_view label) : text_(text) {
    text_ += std::format("  {:<12}", label);
    column_ = kIndent;
  }
  ~Paragraph() { text_ += '\n'; }
  Paragraph(const Paragraph&) = delete;
  Paragraph& operator=(const Paragraph&) = delete;

  void word(std::string_view word) {
    if (column_ > kIndent && column_ + 1 + word.size() > kWidth) {
      text_ += '\n' + std::string(kIndent, ' ');
      column_ = kIndent;
    }
    if (column_ > kIndent) text_ += ' ', ++column_;
    text_ += word;
    column_ += word.size();
  }

 private:
  static constexpr std::size_t kIndent = 14;
  std::string& text_;
  std::size_t column_ = 0;
};

std::string groups_of(const ClientSettings& client) {
  std::string text;
  for (const std::string& group : client.key_exchange) text += (text.empty() ? "" : ":") + group;
  return text;
}

// The gate is the exception, so an arm without it says nothing.
void describe_gate(const GateSettings& gate, std::string& text) {
  if (!gate.on) return;
  if (gate.rules.empty()) Paragraph(text, "gate").word("passes everything");
  for (const GateRule& rule : gate.rules)
    Paragraph(text, &rule == &gate.rules.front() ? "gate" : "").word(rule.text);
}

void describe_client(const ClientSettings& client, std::string& text) {
  std::vector<std::string> settings{
      std::format("{} {},", client.question.name, client.question.type),
      std::format("{} connection,", captures::to_string(client.connection)),
      std::format("timeout {},", base::to_string(client.timeout)),
      std::format("groups {},", groups_of(client))};
  // Others cannot be told.
  if (client.program == kLabClient)
    settings.insert(settings.end(),
                    {std::format("initial RTT {},", base::to_string(client.initial_rtt)),
                     std::format("UDP payload {},", client.max_udp_payload.bytes),
                     std::format("PMTUD {},", client.pmtud ? "on" : "off")});
  settings.insert(settings.end(), {std::format("padding {},", to_string(client.padding)),
                                   std::format("method {},", to_string(client.method)),
                                   std::format("drain {}", base::to_string(client.drain))});
  Paragraph paragraph(text, client.program);
  for (const std::string& setting : settings) paragraph.word(setting);
}

void describe_arm(const PlannedArm& arm, std::string& text) {
  const ClientSettings& client = arm.client;
  text += arm.name.empty() ? "path\n" : std::format("arm {}\n", arm.name);
  Paragraph(text, "addresses")
      .word(std::format("{} asks {}, RTT {}", arm.client_address, arm.server_address,
                        base::to_string(arm.rtt)));
  Paragraph(text, "to server").word(netns::to_string(arm.path.to_server));
  Paragraph(text, "to client").word(netns::to_string(arm.path.to_client));
  describe_gate(arm.gate, text);
  {
    Paragraph server(text, arm.server);
    // An option and its value stay together.
    for (std::size_t i = 0; i + 1 < arm.server_arguments.size(); i += 2) {
      const std::string& value = arm.server_arguments[i + 1];
      const std::string_view mark = value.contains(' ') ? "\"" : "";
      server.word(std::format("{} {}{}{}", arm.server_arguments[i], mark, value, mark));
    }
  }
  describe_client(client, text);
}

std::size_t widest_cell(const Plan& plan) {
  std::size_t width = 4;
  for (const PlannedCell& cell : plan.cells) width = std::max(width, cell.name.size());
  return width;
}

void describe_cells(const Plan& plan, std::string& text) {
  const std::size_t width = widest_cell(plan);
  text += std::format("\n{:<{}}  {:>8}  {:>9}\n", "cell", width, "floor", "time");
  for (const PlannedCell& cell : plan.cells) {
    text += std::format("{:<{}}  {:>4} RTT  {:>9}\n", cell.name, width, cell.floor_round_trips,
                        base::to_string(cell.floor));
  }
}

void describe_blocks(const Plan& plan, std::string& text) {
  text += std::format("\n{:>5}  {:>20}  {:>7}  {}\n", "block", "seed", "queries", "order");
  for (const PlannedBlock& block : plan.blocks) {
    std::string line =
        std::format("{:>5}  {:>20}  {:>7} ", block.index, block.seed, block.queries.size());
    std::size_t shown = 0;
    for (const PlannedQuery& query : block.queries) {
      if (line.size() + query.id.size() + 5 > kWidth) break;
      line += ' ' + query.id;
      ++shown;
    }
    if (shown < block.queries.size()) line += " ...";
    text += line + '\n';
  }
}

}  // namespace

std::string describe(const Plan& plan) {
  std::string text = std::format("{}: {}\n", plan.scenario, plan.summary);
  std::size_t queries = 0;
  for (const PlannedBlock& block : plan.blocks) queries += block.queries.size();
  text += std::format("seed {}, {} queries in {} block{}, MTU {}\n\n", plan.seed, queries,
                      plan.blocks.size(), plan.blocks.size() == 1 ? "" : "s", plan.mtu);
  for (const PlannedArm& arm : plan.arms) describe_arm(arm, text);
  describe_cells(plan, text);
  describe_blocks(plan, text);
  return text;
}

}  // namespace harness
