#pragma once

// Do53 over UDP (RFC 1035, section 4.2.1): one datagram there, one back. A lost one is not
// repeated, so that what the path does to a datagram shows as it is. An answer with TC set sends
// the query to the same port over TCP (RFC 7766).

#include "clients/dns_query.hh"
#include "clients/exchange.hh"

#include <memory>
#include <optional>

namespace clients {

class DatagramExchange final : public Exchange {
 public:
  explicit DatagramExchange(const ExchangeContext& context);
  ~DatagramExchange() override;

  void start() override;
  void ask_again() override;
  void close() override;

 private:
  void on_ready();
  void receive(transport::ByteSpan datagram);
  void continue_over_tcp();
  void drop_socket();

  ExchangeContext context_;
  DnsQuery query_;
  std::optional<ClientSocket> socket_;
  std::unique_ptr<Exchange> over_tcp_;
};

}  // namespace clients
