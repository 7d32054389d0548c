#pragma once

// The server of one arm of a block while it runs.

#include "base/clock.hh"

#include <filesystem>
#include <string>

namespace harness {

class Endpoint {
 public:
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
  // Throws LabError when it has ended.
  virtual void check_alive() = 0;
  // Ends it, and returns the key log lines that it kept for connections still open. Throws LabError
  // where it does not end well.
  virtual std::string finish(const base::Clock& clock) = 0;
};

}  // namespace harness
