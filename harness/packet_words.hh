#pragma once

// Packets of a query in words, by end and number.

#include "analysis/trial.hh"

#include <string>

namespace harness {

std::string in_words(analysis::PacketName name);  // "client 3"

// "client 1 3, server 2"; "nothing" for none.
std::string numbers_in_words(const analysis::LossPattern& pattern);
// "the 1st and 3rd packet of the client and the 2nd of the server, together"; of one packet "the
// 2nd packet of the client, alone". Not empty.
std::string set_in_words(const analysis::LossPattern& pattern);

}  // namespace harness
