#pragma once

// Servers by others, each with a configuration that needs no privilege but the standard ports.

#include <filesystem>
#include <string>
#include <vector>

namespace decoder {

// What a folder holds for them: cert.pem, key.pem and ca.pem, for kServerName, and the answer to
// kQuestion as answer.dns and in lab.test.zone.
inline constexpr const char* kServerName = "dns.lab.test";
inline constexpr const char* kQuestion = "a.lab.test";
void prepare_folder(const std::filesystem::path& folder);

// Each writes its configuration into the prepared folder and gives the command that serves in the
// foreground.
//
// DoH by HTTP/2 and HTTP/3 on 443 and, with a Retry for every client, on 444. Answers are a file's.
std::vector<std::string> nginx(const std::filesystem::path& folder);
// DoH by HTTP/2 and HTTP/3 on 443. Answers are a file's.
std::vector<std::string> caddy(const std::filesystem::path& folder);
// DoT and DoQ on 853.
std::vector<std::string> knot(const std::filesystem::path& folder);

}  // namespace decoder
