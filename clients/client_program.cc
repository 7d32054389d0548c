#include "clients/client_program.hh"

#include "clients/client_words.hh"

#include <algorithm>

namespace clients {

std::span<const ClientProgram> client_programs() {
  using enum Transport;
  static const std::vector<ClientProgram> kPrograms{
      {.name = "kdig",
       .behind = "3.4 with GnuTLS",
       .version_command = {"/usr/bin/kdig", "--version"},
       .transports = {kDo53, kDot, kDoh2, kDoq},
       .own_groups = {"X25519", "P-256", "P-384", "P-521"},
       .key_shares = 2,
       .whole_seconds = true,
       .command = kdig_command,
       .read = read_kdig},
      {.name = "curl",
       .behind = "8.21 with OpenSSL",
       .version_command = {"/usr/bin/curl", "--version"},
       .transports = {kDoh2, kDoh3},
       .chooses_groups = true,
       .command = curl_command,
       .read = read_curl},
      {.name = "dig",
       .behind = "9.20 with OpenSSL",
       .version_command = {"/usr/bin/dig", "-v"},
       .transports = {kDo53, kDot, kDoh2},
       .chooses_groups = true,
       .whole_seconds = true,
       .keys_in_complaint = true,
       .command = dig_command,
       .read = read_dig},
  };
  return kPrograms;
}

const ClientProgram* find_client_program(std::string_view name) {
  const auto programs = client_programs();
  const auto found = std::ranges::find(programs, name, &ClientProgram::name);
  return found == programs.end() ? nullptr : &*found;
}

}  // namespace clients
