#pragma once

// TLS secrets in the NSS key log format: one "LABEL <client random> <secret>" a line, hexadecimal
// (draft-ietf-tls-keylogfile). Both ends log the same secrets of a connection; a lost flight leaves
// one end with less.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace captures {

struct KeylogLine {
  std::string label;          // "CLIENT_HANDSHAKE_TRAFFIC_SECRET"
  std::string client_random;  // 64 hexadecimal digits, lower case
  std::string secret;         // lower case
  bool operator==(const KeylogLine&) const = default;
};

// nullopt for comments, empty and malformed lines.
std::optional<KeylogLine> parse_keylog_line(std::string_view line);

// The secrets of many connections, each line once, connections and lines in the order in which they
// first came.
class KeylogCollection {
 public:
  // Adds the lines of `text`. A connection that is known already gets only the lines that are new.
  void add(std::string_view text);

  // Client randoms in the order of their first line.
  const std::vector<std::string>& client_randoms() const { return order_; }
  // That connection's lines, each ended by a line feed; empty when the connection is unknown.
  std::string lines_of(const std::string& client_random) const;
  // Lines that were neither empty, comment nor well-formed.
  std::size_t malformed_lines() const { return malformed_lines_; }

 private:
  std::map<std::string, std::vector<KeylogLine>> lines_;
  std::vector<std::string> order_;
  std::size_t malformed_lines_ = 0;
};

}  // namespace captures
