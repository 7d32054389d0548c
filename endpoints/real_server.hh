#pragma once

// Servers of Debian, configured to serve what a ServerSpec says. This knows their words; starting
// them is somebody else's.

#include "endpoints/server_spec.hh"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace endpoints {

// A file in the server's own folder.
struct ServerFile {
  std::string name;
  std::string text;
};

// One program of a server; a front has a second one behind it.
struct ServerProgram {
  std::string name;  // "unbound"; of its log
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::vector<ServerFile> files;
  // A TCP port on the first address that takes connections when the program is ready; none: it says
  // so itself (sd_notify(3), READY=1).
  std::optional<std::uint16_t> probe_port{};
  bool ends_by_signal = false;  // SIGTERM kills it, which is its normal end
  bool backend = false;         // stands behind the front; the lab root's, whatever the front's
};

// The server of real_servers() that stands behind each front.
inline constexpr std::string_view kBackend = "unbound";

// Where a server works.
struct ServerSite {
  std::filesystem::path folder;        // its own, writable
  std::filesystem::path certificates;  // PEM, leaf first
  std::filesystem::path private_key;   // PEM
  std::filesystem::path combined;      // both in one file
  // A copy of the library endpoints/keylog_preload.cc; empty: no keys are written.
  std::filesystem::path key_logger{};
  std::filesystem::path key_log{};  // gets NSS key log lines of all of the server's programs
  // Of the loopback interface, for what stands behind a front: its own, as several servers share
  // the interface.
  std::string backend_address = "127.0.0.1";
};

// Where a server's programs come from: the lab root, or another one.
inline constexpr std::string_view kStable = "stable";
inline constexpr std::string_view kTesting = "testing";

// "nginx", "nginx@testing", "nginx@/home/me/root" as a scenario names it.
struct ServerName {
  std::string_view program;
  std::string_view release = kStable;  // kStable, kTesting or the absolute path of a root directory

  bool has_own_root() const { return release.starts_with('/'); }
};
ServerName parse_server_name(std::string_view text);

struct RealServer {
  std::string_view name;    // in scenarios, without a release
  std::string_view behind;  // "1.26 with OpenSSL": what its abilities are those of
  std::vector<std::string> version_command;
  std::vector<Protocol> protocols;
  // Whether it can be told its key exchange groups; if not, it has `own_groups`.
  bool chooses_groups = false;
  std::vector<std::string_view> own_groups{};
  bool retry = false;  // can be told to validate addresses
  // Over which it takes early data, where tickets allow it.
  std::vector<Protocol> early_data{};
  bool any_record = true;  // else addresses only
  std::vector<ServerProgram> (*programs)(const ServerSpec& spec, const ServerSite& site);
};

// Of kStable or kTesting.
std::span<const RealServer> real_servers(std::string_view release = kStable);
// By its name with or without a release; null for what is none of them. One from a root of
// somebody's own is taken for as able as the newest.
const RealServer* find_real_server(std::string_view name);

}  // namespace endpoints
