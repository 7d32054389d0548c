#pragma once

// The server of one arm of a block while it runs.

#include "base/clock.hh"
#include "harness/server_end.hh"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace harness {

class Endpoint {
 public:
  // How finish() went.
  struct Finish {
    std::string keylog{};           // lines that it kept for connections still open
    std::vector<ServerEnd> ends{};  // of programs that did not end as they should
  };

  virtual ~Endpoint() = default;

  // Returns when every listener is bound. Throws LabError with the server's own words where it ends
  // or stays silent instead.
  virtual void wait_until_ready(const base::Clock& clock) = 0;
  // What is known of it when it is ready, one JSON object: certificate sizes, versions.
  virtual const std::string& ready_facts() const = 0;
  // The trust anchor of its certificate (PEM).
  virtual const std::filesystem::path& ca_file() const = 0;
  // Key log lines since the last call, where it writes any.
  virtual std::string take_keylog() { return {}; }
  // Logs of third-party programs that it consists of, file names in the block's results.
  virtual std::vector<std::string> logs() const { return {}; }
  // How it ended, where it has done so on its own since it was last started; nothing of it runs any
  // more then. Throws LabError where an end of it is a fault of the lab.
  virtual std::optional<ServerEnd> poll_end() = 0;
  // Starts what has ended on its own once more, and returns and throws as wait_until_ready() does.
  virtual void restart(const base::Clock& clock) = 0;
  // Ends it. Throws LabError where a bad end of it is a fault of the lab.
  virtual Finish finish(const base::Clock& clock) = 0;
};

}  // namespace harness
