#include "clients/quic_carrier.hh"

#include "clients/doh_response.hh"
#include "clients/doq_carrier.hh"
#include "transport/http3_session.hh"

#include <optional>

namespace clients {
namespace {

class Http3Carrier final : public QuicCarrier {
 public:
  Http3Carrier(const QuerySpec& spec, transport::QuicConnection& connection,
               QueryProgress& progress)
      : query_(make_dns_query(spec)),
        request_(make_doh_request(spec, query_)),
        response_(query_, progress),
        connection_(connection) {
    begin();
    if (connection_.early_data_offered()) session_->on_handshake_completed();
  }

  bool request_queued() const override {
    return connection_.handshake_completed() || connection_.early_data_offered();
  }
  void ask_again() override { session_->submit(request_); }
  void close() override { session_->close(); }

  void on_early_data_rejected() override { begin(); }
  void on_handshake_completed() override { session_->on_handshake_completed(); }
  void on_stream_data(transport::StreamId stream, transport::ByteSpan bytes, bool fin) override {
    session_->on_stream_data(stream, bytes, fin);
  }
  void on_stream_reset(transport::StreamId stream, std::uint64_t code) override {
    session_->on_stream_reset(stream, code);
  }
  void on_stop_sending(transport::StreamId stream, std::uint64_t code) override {
    session_->on_stop_sending(stream, code);
  }
  void on_stream_closed(transport::StreamId stream) override { session_->on_stream_closed(stream); }
  void on_streams_available() override { session_->on_streams_available(); }

 private:
  void begin() {
    session_.emplace(connection_, response_);
    session_->submit(request_);
  }

  DnsQuery query_;
  transport::HttpRequest request_;
  DohResponse response_;
  transport::QuicConnection& connection_;
  std::optional<transport::Http3Session> session_;
};

}  // namespace

std::unique_ptr<QuicCarrier> make_quic_carrier(const QuerySpec& spec,
                                               transport::QuicConnection& connection,
                                               QueryProgress& progress) {
  if (spec.transport == Transport::kDoh3)
    return std::make_unique<Http3Carrier>(spec, connection, progress);
  return std::make_unique<DoqCarrier>(spec, connection, progress);
}

}  // namespace clients
