#pragma once

// The clients of one block, by program: labquery, and whatever else its arms ask with.

#include "base/event_loop.hh"
#include "harness/query_client.hh"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace harness {

// Where clients run and leave what they have to say.
struct ClientPlaces {
  std::filesystem::path programs;  // folder of labquery
  std::filesystem::path scratch;
  std::filesystem::path results;
  int network_namespace = -1;
  bool live_keys = false;  // for a gate
};

class LabClients {
 public:
  // `loop` outlives it.
  LabClients(ClientPlaces places, base::EventLoop& loop);

  // Starts it where it is not there. Throws LabError where that fails.
  void need(const std::string& program);
  QueryClient& of(const std::string& program) { return *clients_.at(program); }
  // Of those that are not labrun's own, from their own mouths.
  const std::map<std::string, std::string>& versions() const { return versions_; }
  // Ends them all.
  void finish();

 private:
  std::unique_ptr<QueryClient> make(const std::string& program);

  ClientPlaces places_;
  base::EventLoop& loop_;
  std::map<std::string, std::unique_ptr<QueryClient>> clients_;
  std::map<std::string, std::string> versions_;
};

}  // namespace harness
