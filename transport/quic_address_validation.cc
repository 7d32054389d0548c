#include "transport/quic_address_validation.hh"

#include "base/errors.hh"
#include "transport/quic_core.hh"

#include <ngtcp2/ngtcp2_crypto.h>

#include <chrono>

namespace transport {
namespace {

// How long a client may take to come back with its token. A client that lost the Retry asks again
// after a second.
constexpr base::Nanoseconds kTokenLifetime = std::chrono::seconds(10);
// More than any of these packets needs, a token with the largest address included.
constexpr std::size_t kMaxStatelessDatagram = 512;

// What `compose` wrote into a buffer of that size.
template <typename Compose>
Bytes composed(Compose&& compose) {
  Bytes datagram(kMaxStatelessDatagram);
  const ngtcp2_ssize length = compose(datagram.data(), datagram.size());
  datagram.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return datagram;
}

}  // namespace

AddressValidation::AddressValidation() {
  fill_random(secret_);
}

Bytes AddressValidation::make_retry(const SocketAddress& client, const ngtcp2_pkt_hd& header,
                                    base::Instant now) {
  const ngtcp2_cid scid = random_connection_id();
  std::array<std::uint8_t, NGTCP2_CRYPTO_MAX_RETRY_TOKENLEN2> token{};
  const ngtcp2_ssize token_length = ngtcp2_crypto_generate_retry_token2(
      token.data(), secret_.data(), secret_.size(), header.version, client.get(), client.length,
      &scid, &header.dcid, native_time(now));
  LABRUN_ASSERT(token_length > 0);
  return composed([&](std::uint8_t* to, std::size_t room) {
    return ngtcp2_crypto_write_retry(to, room, header.version, &header.scid, &scid, &header.dcid,
                                     token.data(), static_cast<std::size_t>(token_length));
  });
}

AddressValidation::Verdict AddressValidation::judge(const SocketAddress& client,
                                                    const ngtcp2_pkt_hd& header,
                                                    base::Instant now) const {
  Verdict verdict;
  // The first byte tells what kind of token it is; we give out no others.
  if (header.tokenlen == 0 || header.token[0] != NGTCP2_CRYPTO_TOKEN_MAGIC_RETRY2) return verdict;
  ngtcp2_cid original_dcid{};
  const int outcome = ngtcp2_crypto_verify_retry_token2(
      &original_dcid, header.token, header.tokenlen, secret_.data(), secret_.size(), header.version,
      client.get(), client.length, &header.dcid,
      static_cast<ngtcp2_duration>(kTokenLifetime.count()), native_time(now));
  if (outcome == 0) verdict.original_dcid = original_dcid;
  verdict.invalid = outcome == NGTCP2_CRYPTO_ERR_VERIFY_TOKEN;
  return verdict;
}

Bytes make_token_refusal(const ngtcp2_pkt_hd& header) {
  return composed([&](std::uint8_t* to, std::size_t room) {
    return ngtcp2_crypto_write_connection_close(to, room, header.version, &header.scid,
                                                &header.dcid, NGTCP2_INVALID_TOKEN, nullptr, 0);
  });
}

Bytes make_version_negotiation(const ngtcp2_version_cid& ids) {
  const std::uint32_t version = NGTCP2_PROTO_VER_V1;
  std::uint8_t random = 0;
  fill_random({&random, 1});
  return composed([&](std::uint8_t* to, std::size_t room) {
    return ngtcp2_pkt_write_version_negotiation(to, room, random, ids.scid, ids.scidlen, ids.dcid,
                                                ids.dcidlen, &version, 1);
  });
}

}  // namespace transport
