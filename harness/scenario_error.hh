#pragma once

// Mistakes of the person who called us, as opposed to a lab that broke: they end the program with
// kExitBadInput and a text that stands alone.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace harness {

// Bad arguments or a bad scenario. The text is complete: print it as it is.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where a value stands: in the file, or on the command line.
struct Location {
  std::string file;        // "loss.yaml", or "--set"
  std::size_t line = 0;    // from 1; 0 where there is none
  std::size_t column = 0;  // from 1
  auto operator<=>(const Location&) const = default;
};

std::string to_string(const Location& location);  // "loss.yaml:14:12", "--set"

// One mistake: "loss.yaml:14:12: path.each_way.loss: 150% is not a probability ...".
struct Mistake {
  Location where;
  std::string text;  // begins with the key, where there is one
  auto operator<=>(const Mistake&) const = default;
};

// All mistakes of a scenario, in the order of the file.
class ScenarioError : public BadInput {
 public:
  explicit ScenarioError(std::vector<Mistake> mistakes);
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

 private:
  std::vector<Mistake> mistakes_;
};

}  // namespace harness
