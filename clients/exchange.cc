#include "clients/exchange.hh"

#include "base/errors.hh"
#include "clients/datagram_exchange.hh"
#include "clients/quic_exchange.hh"
#include "clients/stream_exchange.hh"

namespace clients {

std::unique_ptr<Exchange> make_exchange(const ExchangeContext& context) {
  LABRUN_ASSERT((context.tls != nullptr) == is_encrypted(context.spec.transport));
  if (context.spec.transport == Transport::kDo53)
    return std::make_unique<DatagramExchange>(context);
  if (runs_over_quic(context.spec.transport)) return std::make_unique<QuicExchange>(context);
  return std::make_unique<StreamExchange>(context);
}

}  // namespace clients
