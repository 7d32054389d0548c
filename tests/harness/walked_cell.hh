#pragma once

// A cell whose losses are walked without a lab: a lookup that is simple enough to be computed.

#include "harness/exact_cell.hh"
#include "harness/exact_json.hh"

#include <cstdint>
#include <string_view>
#include <vector>

namespace harness {

// The client asks at 0, 1 s and 1.5 s until it is answered, and gives up at 2 s; the server answers
// twice at most, 100 us after a question has come. 20 ms each way. Behind the answer the client
// sends a packet that means nothing.
analysis::Trial lookup(const analysis::LossPattern& pattern);

// "c1 s2"
analysis::LossPattern pattern_of(std::string_view names);

struct WalkedCell {
  ExactCell cell;
  std::vector<analysis::Trial> trials;  // of each pattern that was walked
};

// All patterns of at most `max_drops` losses; six are all that can matter. `loss` is the
// scenario's, each way.
WalkedCell walked_cell(std::uint32_t max_drops, double loss = 0.02);

// Of a walk of six queries in 1.5 s.
ExactFacts walk_facts();

// As a walk writes it down: the packet s1 came another way in the child.
nlohmann::json fault_of(std::string_view pattern);

}  // namespace harness
