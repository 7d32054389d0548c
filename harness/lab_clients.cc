#include "harness/lab_clients.hh"

#include "base/errors.hh"
#include "clients/client_program.hh"
#include "harness/labquery_client.hh"
#include "harness/program_client.hh"

#include <format>
#include <utility>

namespace harness {

LabClients::LabClients(ClientPlaces places, base::EventLoop& loop)
    : places_(std::move(places)), loop_(loop) {}

void LabClients::need(const std::string& program) {
  if (!clients_.contains(program)) clients_.emplace(program, make(program));
}

std::unique_ptr<QueryClient> LabClients::make(const std::string& program) {
  const std::filesystem::path log = places_.results / (program + ".log");
  if (program == kLabClient)
    return std::make_unique<LabqueryClient>(
        places_.programs / program, places_.network_namespace, log,
        places_.live_keys ? LabqueryClient::Keys::kLive : LabqueryClient::Keys::kInRecords, loop_);
  const clients::ClientProgram* known = clients::find_client_program(program);
  if (known == nullptr)
    throw base::LabError(std::format("start {}: no such client is known", program));
  auto client = std::make_unique<ProgramClient>(
      *known, places_.network_namespace, places_.scratch / ("client-" + program), log, loop_);
  versions_[program] = client->version();
  return client;
}

void LabClients::finish() {
  for (const auto& [program, client] : clients_) client->finish();
}

}  // namespace harness
