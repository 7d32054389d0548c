#include "harness/raw_scenario.hh"

#include "base/units.hh"
#include "harness/scenario.hh"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <format>
#include <optional>
#include <spanstream>
#include <utility>

namespace harness {
namespace {

[[noreturn]] void refuse(Location where, std::string text) {
  throw ScenarioError({Mistake{std::move(where), std::move(text)}});
}

// Builds the tree from the parser's events, so that limits hold before memory is spent.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view file, std::vector<Mistake>& mistakes)
      : file_(file), mistakes_(mistakes) {}

  RawNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(make(mark)); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(at(mark), "an alias (*name) is not allowed in a scenario: write the value out");
  }
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    refuse(at(mark), std::format("an anchor (&{}) is not allowed in a scenario", name));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    check_tag(mark, tag);
    RawNode node = make(mark);
    node.kind = RawNode::Kind::kText;
    node.text = value;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(mark, RawNode::Kind::kList);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(mark, RawNode::Kind::kMapping);
  }
  void OnMapEnd() override { close(); }

 private:
  // A list or mapping whose end has not come yet; in a mapping, the key whose value comes next.
  struct Open {
    RawNode node;
    std::optional<std::pair<std::string, Location>> key;
  };

  Location at(const YAML::Mark& mark) const {
    // The parser counts from zero, and has no place for a value that is absent at the end.
    return {file_, static_cast<std::size_t>(std::max(mark.line, 0)) + 1,
            static_cast<std::size_t>(std::max(mark.column, 0)) + 1};
  }

  RawNode make(const YAML::Mark& mark) {
    if (++nodes_ > kMaxRawNodes)
      refuse(at(mark), std::format("more than {} values: this is no scenario", kMaxRawNodes));
    RawNode node;
    node.where = at(mark);
    return node;
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    // "?" and "!" are what untagged plain and quoted texts carry.
    if (!tag.empty() && tag != "?" && tag != "!")
      refuse(at(mark), std::format("a tag ({}) is not allowed in a scenario", tag));
  }

  void open(const YAML::Mark& mark, RawNode::Kind kind) {
    if (open_.size() >= kMaxRawDepth)
      refuse(at(mark), std::format("nested more than {} deep", kMaxRawDepth));
    RawNode node = make(mark);
    node.kind = kind;
    open_.push_back({std::move(node), std::nullopt});
  }

  void close() {
    RawNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(RawNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == RawNode::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      if (node.kind != RawNode::Kind::kText) refuse(node.where, "a key must be a plain word");
      parent.key.emplace(std::move(node.text), std::move(node.where));
    } else {
      add_entry(parent, std::move(node));
    }
  }

  void add_entry(Open& parent, RawNode value) {
    auto [key, where] = std::move(*parent.key);
    parent.key.reset();
    std::vector<RawEntry>& entries = parent.node.entries;
    const auto first = std::ranges::find(entries, key, &RawEntry::key);
    if (first != entries.end()) {
      mistakes_.push_back(
          {where, std::format("{}: this key is already set at {}", key, to_string(first->where))});
      return;
    }
    entries.push_back({std::move(key), std::move(where), std::move(value)});
  }

  std::string file_;
  std::vector<Mistake>& mistakes_;
  RawNode root_;
  std::vector<Open> open_;
  std::size_t nodes_ = 0;
};

// Binary files are told from text by the control characters that no editor writes.
void check_is_text(std::string_view text, std::string_view file) {
  if (text.size() > kMaxScenarioBytes) {
    refuse({std::string(file)},
           std::format("{} bytes; a scenario has at most {}", text.size(), kMaxScenarioBytes));
  }
  std::size_t line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') {
      ++line;
      line_start = i + 1;
    } else if ((byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7f) {
      refuse({std::string(file), line, i - line_start + 1},
             std::format("byte 0x{:02x}: this is not a text file", byte));
    }
  }
}

}  // namespace

RawNode parse_yaml(std::string_view text, std::string_view file, std::vector<Mistake>& mistakes) {
  check_is_text(text, file);
  try {
    std::ispanstream stream{std::span<const char>(text)};
    YAML::Parser parser(stream);
    TreeBuilder tree(file, mistakes);
    if (!parser.HandleNextDocument(tree)) refuse({std::string(file)}, "the file is empty");
    TreeBuilder surplus(file, mistakes);
    if (parser.HandleNextDocument(surplus))
      refuse({std::string(file)}, "holds more than one YAML document (a second \"---\")");
    return tree.take();
  } catch (const YAML::DeepRecursion&) {
    refuse({std::string(file)}, std::format("nested more than {} deep", kMaxRawDepth));
  } catch (const YAML::Exception& error) {
    refuse({std::string(file), static_cast<std::size_t>(std::max(error.mark.line, 0)) + 1,
            static_cast<std::size_t>(std::max(error.mark.column, 0)) + 1},
           std::format("not YAML: {}", error.msg));
  }
}

std::string quote(const RawNode& node) {
  constexpr std::size_t kLongest = 60;
  std::string text;
  switch (node.kind) {
    case RawNode::Kind::kNull:
      return "nothing";
    case RawNode::Kind::kText:
      text = node.text.empty() ? "an empty text" : node.text;
      break;
    case RawNode::Kind::kList:
      for (const RawNode& item : node.items) text += (text.empty() ? "" : ", ") + quote(item);
      text = '[' + text + ']';
      break;
    case RawNode::Kind::kMapping:
      for (const RawEntry& entry : node.entries)
        text += (text.empty() ? "" : ", ") + entry.key + ": " + quote(entry.value);
      text = '{' + text + '}';
      break;
  }
  return text.size() <= kLongest ? text : text.substr(0, kLongest - 3) + "...";
}

}  // namespace harness
