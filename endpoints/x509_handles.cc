#include "endpoints/x509_handles.hh"

#include "base/errors.hh"

#include <openssl/err.h>

#include <format>

namespace endpoints {

void check_openssl(bool succeeded, std::string_view attempted) {
  if (succeeded) return;
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  throw base::LabError(std::format("{}: {}", attempted, reason ? reason : "no reason given"));
}

}  // namespace endpoints
