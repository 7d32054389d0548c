#pragma once

// What a QUIC server can say without keeping anything about a client: Retry with a token that
// proves the client's address (RFC 9000 section 8.1), refusal of a false token, Version Negotiation
// (section 6).

#include "base/clock.hh"
#include "transport/bytes.hh"
#include "transport/udp_path.hh"

#include <ngtcp2/ngtcp2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace transport {

// Owns the secret of one server's tokens; another server's tokens mean nothing to it.
class AddressValidation {
 public:
  AddressValidation();

  // A Retry packet for a client whose first packet had `header`; its token is bound to the address,
  // the port and both connection IDs.
  Bytes make_retry(const SocketAddress& client, const ngtcp2_pkt_hd& header, base::Instant now);

  struct Verdict {
    // Of the packet that the Retry answered: the address is proved.
    std::optional<ngtcp2_cid> original_dcid;
    // Ours, but of another client or too old. A token that is not ours counts as none (RFC 9000
    // section 8.1.3).
    bool invalid = false;
  };
  Verdict judge(const SocketAddress& client, const ngtcp2_pkt_hd& header, base::Instant now) const;

 private:
  std::array<std::uint8_t, 32> secret_{};
};

// CONNECTION_CLOSE with INVALID_TOKEN in an Initial packet.
Bytes make_token_refusal(const ngtcp2_pkt_hd& header);
Bytes make_version_negotiation(const ngtcp2_version_cid& ids);

}  // namespace transport
