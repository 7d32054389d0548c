#include "endpoints/quic_problem.hh"

namespace endpoints {
namespace {

constexpr std::uint64_t kApplicationError = 0xc;  // RFC 9000 section 20.1

}  // namespace

std::optional<std::string> quic_problem(const transport::QuicClose& close,
                                        std::uint64_t no_error_code) {
  using Cause = transport::QuicClose::Cause;
  switch (close.cause) {
    case Cause::kIdleTimeout:
    case Cause::kDropped:
      return std::nullopt;
    case Cause::kApplication:
      if (close.code == no_error_code) return std::nullopt;
      break;
    case Cause::kTransport:
      // A client that leaves before it knows the handshake confirmed has to hide its code (RFC 9000
      // section 10.2.3).
      if (close.code == 0 || (close.by_peer && close.code == kApplicationError))
        return std::nullopt;
      break;
    case Cause::kHandshakeTimeout:
    case Cause::kVersionNegotiation:
    case Cause::kStatelessReset:
      break;
  }
  return close.describe();
}

}  // namespace endpoints
