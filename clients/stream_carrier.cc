#include "clients/stream_carrier.hh"

#include "clients/doh_response.hh"
#include "transport/dns_framing.hh"
#include "transport/http2_session.hh"

#include <format>
#include <utility>

namespace clients {
namespace {

// Do53/TCP (RFC 7766) and DoT (RFC 7858, section 3.3): prefix and message in one write.
class FramedCarrier final : public StreamCarrier {
 public:
  FramedCarrier(const QuerySpec& spec, QueryProgress& progress)
      : query_(make_dns_query(spec)),
        progress_(progress),
        output_(transport::frame_message(query_.wire)) {
    // Over a byte stream nothing is too long, also where the query began as a datagram.
    if (query_.transport == Transport::kDo53) query_.transport = Transport::kDo53Tcp;
  }

  void receive(transport::ByteSpan bytes) override {
    progress_.mark(&captures::Phases::first_byte);
    deframer_.receive(bytes);
    if (const auto message = deframer_.next()) settle(progress_, check_answer(query_, *message));
  }

  transport::Bytes take_output() override { return std::exchange(output_, {}); }
  void ask_again() override { output_ = transport::frame_message(query_.wire); }

 private:
  DnsQuery query_;
  QueryProgress& progress_;
  transport::Bytes output_;
  transport::MessageDeframer deframer_;
};

class Http2Carrier final : public StreamCarrier {
 public:
  Http2Carrier(const QuerySpec& spec, QueryProgress& progress)
      : query_(make_dns_query(spec)),
        progress_(progress),
        request_(make_doh_request(spec, query_)),
        response_(query_, progress),
        session_(response_) {
    session_.submit(request_);
  }

  void receive(transport::ByteSpan bytes) override {
    session_.receive(bytes);
    if (session_.failure()) progress_.fail(std::format("HTTP/2: {}", *session_.failure()));
  }

  transport::Bytes take_output() override { return session_.take_output(); }
  void ask_again() override { session_.submit(request_); }
  void close() override { session_.close(); }

 private:
  DnsQuery query_;
  QueryProgress& progress_;
  transport::HttpRequest request_;
  DohResponse response_;
  transport::Http2Session session_;
};

}  // namespace

std::unique_ptr<StreamCarrier> make_stream_carrier(const QuerySpec& spec, QueryProgress& progress) {
  if (spec.transport == Transport::kDoh2) return std::make_unique<Http2Carrier>(spec, progress);
  return std::make_unique<FramedCarrier>(spec, progress);
}

}  // namespace clients
