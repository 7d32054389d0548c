#pragma once

// How a server of a run came to an end that nobody had asked for, or not to the one that was asked
// for. That is an outcome of the experiment: it is kept, and shown under the table.

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace harness {

struct ServerEnd {
  std::string arm;      // its name; may be empty
  std::string program;  // "unbound", "backend"
  std::string query{};  // that was under way; empty where none was
  std::string how;      // "ended during the query (signal 11 (Segmentation fault))"
  std::string log;      // its log's file name in the block's results
  std::string said{};   // the log's end
};

// "unbound of retry=always".
std::string program_of(const ServerEnd& end);
// "unbound of x ended during the query (signal 11 ...); it said: ...", in one line.
std::string sentence_of(const ServerEnd& end);

// Without its block, which the run knows.
nlohmann::json to_json(const ServerEnd& end);

// Of the manifest's list: a line for each program and way of ending, separated by line feeds.
std::string server_ends_text(const nlohmann::json& ends);

}  // namespace harness
