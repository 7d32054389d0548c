#pragma once

// Turns one value of a scenario into a typed one. A value that is not allowed becomes a mistake,
// and the target keeps what it had, so that reading goes on and finds the others.

#include "base/clock.hh"
#include "base/units.hh"
#include "harness/raw_scenario.hh"
#include "harness/scenario_error.hh"

#include <cstddef>
#include <cstdint>
#include <format>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace harness {

class ValueReader {
 public:
  // `allowed` says in words what the key takes; it ends every message.
  ValueReader(std::string_view key, std::string_view allowed, std::vector<Mistake>& mistakes)
      : key_(key), allowed_(allowed), mistakes_(mistakes) {}

  // "<key>: found 150%; allowed: <allowed>". `why` narrows what was found: "150% (above 100%)".
  void reject(const RawNode& found, std::string_view why = {});
  // "<key>: <what>", where saying what is allowed would not help.
  void complain(const Location& where, std::string_view what);
  // How many mistakes there are by now, of this reader and all others.
  std::size_t mistakes() const { return mistakes_.size(); }
  // For a part of the value: "<key>.<name>".
  ValueReader field(std::string_view name, std::string_view allowed) const;

  // Empty after a rejection. A text is never empty.
  std::optional<std::string_view> text(const RawNode& node);
  void number(const RawNode& node, std::uint64_t low, std::uint64_t high, std::uint64_t& into);
  void number(const RawNode& node, std::uint32_t low, std::uint32_t high, std::uint32_t& into);
  void duration(const RawNode& node, base::Nanoseconds low, base::Nanoseconds high,
                base::Nanoseconds& into);
  void bytes(const RawNode& node, std::uint64_t low, std::uint64_t high, base::ByteCount& into);
  void probability(const RawNode& node, base::Probability& into);
  void boolean(const RawNode& node, bool& into);

  // One word out of `names`.
  template <typename Value>
  void choice(const RawNode& node, std::span<const std::pair<std::string_view, Value>> names,
              Value& into);

  // Each item of a list, or the value itself where a list of one is written without brackets. Not
  // empty.
  void each(const RawNode& node, const std::function<void(const RawNode&)>& read);
  // Each value of a mapping whose keys are all in `keys`; unknown ones are mistakes.
  void fields(const RawNode& node, std::span<const std::string_view> keys,
              const std::function<void(std::string_view key, const RawNode&)>& read);

 private:
  template <typename Value>
  void ranged(const RawNode& node, std::optional<Value> value, Value low, Value high, Value& into);

  std::string key_;
  std::string_view allowed_;
  std::vector<Mistake>& mistakes_;
};

template <typename Value>
void ValueReader::choice(const RawNode& node,
                         std::span<const std::pair<std::string_view, Value>> names, Value& into) {
  const auto word = text(node);
  if (!word) return;
  for (const auto& [name, value] : names) {
    if (name != *word) continue;
    into = value;
    return;
  }
  reject(node);
}

}  // namespace harness
