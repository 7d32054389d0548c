#include "endpoints/quic_problem.hh"

namespace endpoints {

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
      if (close.code == 0) return std::nullopt;
      break;
    case Cause::kHandshakeTimeout:
    case Cause::kVersionNegotiation:
    case Cause::kStatelessReset:
      break;
  }
  return close.describe();
}

}  // namespace endpoints
