#pragma once

// Clients of Debian that ask in place of labquery, so that a result stands on two stacks. This
// knows their words, there and back; starting them is somebody else's.

#include "base/child_process.hh"
#include "captures/query_record.hh"
#include "clients/query_spec.hh"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clients {

// Where a client works.
struct ClientSite {
  std::filesystem::path folder;  // its own, writable, empty
  std::string local_address;     // to ask from, with QuerySpec::local_port
};

// Files in the client's folder. What it read and wrote under these names is known to both sides.
inline constexpr std::string_view kKeysFile = "keys";      // NSS key log
inline constexpr std::string_view kAnswerFile = "answer";  // the DNS message, where it writes one

struct ClientFile {
  std::string name;
  std::string text;
};

struct ClientCommand {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::vector<ClientFile> files{};
};

// What a client left behind when it had ended.
struct ClientTraces {
  base::ExitStatus status;
  std::string output;     // on standard output
  std::string complaint;  // on standard error, without key log lines
  std::string answer;     // in kAnswerFile
};

struct ClientProgram {
  std::string_view name;    // in scenarios
  std::string_view behind;  // "3.4 with GnuTLS": what its abilities are those of
  std::vector<std::string> version_command;
  std::vector<Transport> transports;
  // Whether it can be told its key exchange groups; if not, it has `own_groups`.
  bool chooses_groups = false;
  std::vector<std::string_view> own_groups{};
  std::size_t key_shares = 1;      // groups, of the first ones, whose shares its ClientHello has
  bool whole_seconds = false;      // what its timeout is counted in
  bool keys_in_complaint = false;  // it writes the key log to standard error, not to kKeysFile
  ClientCommand (*command)(const QuerySpec& spec, const ClientSite& site);
  // Writes outcome, answer and error as the client has them into a record that has none of them.
  void (*read)(const ClientTraces& traces, const QuerySpec& spec, captures::QueryRecord& record);
};

std::span<const ClientProgram> client_programs();
// Null for what is none of them, as labquery.
const ClientProgram* find_client_program(std::string_view name);

// The key log lines among others; a program's own marks before each are left out.
std::string keylog_lines(std::string_view text);
// The same text without them.
std::string without_keylog_lines(std::string_view text);

}  // namespace clients
