#pragma once

// A scripted server of any encrypted transport.

#include "clients/query_spec.hh"
#include "tests/clients/conversations.hh"
#include "tests/clients/scripted_server.hh"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace clients {

// A server of any encrypted transport, with the scripts that it needs.
class EncryptedServer {
 public:
  EncryptedServer(Transport transport, transport::TlsSettings tls, DoqScript doq = {},
                  HttpScript http = dns_response,
                  transport::RetryPolicy retry = transport::RetryPolicy::kNever)
      : context_(std::move(tls)) {
    if (transport == Transport::kDot) {
      tcp_.emplace([this] { return make_dot_conversation(context_, framed_answer); });
    } else if (transport == Transport::kDoh2) {
      tcp_.emplace([this, http] { return make_doh2_conversation(context_, http); });
    } else {
      if (!doq)
        doq = [](transport::ByteSpan query) { return DoqReply{.bytes = framed_answer(query)}; };
      quic_.emplace(context_, transport::QuicListenerSettings{.connection = {}, .retry = retry},
                    [transport, doq, http] {
                      return transport == Transport::kDoq ? make_doq_session(doq)
                                                          : make_doh3_session(http);
                    });
    }
  }
  const SocketAddress& address() const { return tcp_ ? tcp_->address() : quic_->address(); }

 private:
  transport::TlsContext context_;
  std::optional<TcpServer> tcp_;
  std::optional<QuicServer> quic_;
};

inline std::string name_of(const testing::TestParamInfo<Transport>& info) {
  return std::string(to_string(info.param));
}

}  // namespace clients
