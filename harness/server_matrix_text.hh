#pragma once

// The table of servers, for people, for documents and for programs.

#include "harness/server_matrix.hh"
#include "harness/table_text.hh"

#include <span>
#include <string>

namespace harness {

std::string render_servers(std::span<const ServerRow> rows, Colors colors);
std::string servers_markdown(std::span<const ServerRow> rows);
std::string servers_json(std::span<const ServerRow> rows);

}  // namespace harness
