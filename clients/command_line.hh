#pragma once

// labquery's command line.

#include "clients/query_spec.hh"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <iosfwd>
#include <optional>
#include <string>

namespace clients {

struct CommandLine {
  bool batch = false;
  bool keylog_inline = false;            // batch only
  std::optional<int> keylog_descriptor;  // batch only: gets key log lines as they come
  bool json = false;
  std::size_t count = 1;
  std::string keylog_file;  // empty: none
  // Where the server is; its name is resolved once, before the first query.
  std::string host;
  std::uint16_t port = 0;
  // Complete but for `server`.
  QuerySpec spec;
};

// Most queries of one command.
inline constexpr std::size_t kMaxCount = 1'000'000;

// The command, or the exit code of a process that has said everything: help on `out`, mistakes on
// `error`.
std::expected<CommandLine, int> parse_command_line(int argc, const char* const* argv,
                                                   std::ostream& out, std::ostream& error);

}  // namespace clients
