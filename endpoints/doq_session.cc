#include "endpoints/doq_session.hh"

#include "endpoints/quic_problem.hh"
#include "transport/dns_framing.hh"

#include <optional>
#include <utility>

namespace endpoints {
namespace {

constexpr std::size_t kPrefixBytes = 2;
constexpr std::size_t kDnsHeaderBytes = 12;

// RFC 9000 section 2.1: the two lowest bits say who opened a stream, and whether it goes both ways.
bool is_client_bidi(transport::StreamId stream) {
  return (stream & 3) == 0;
}

std::size_t read_u16(transport::ByteSpan bytes) {
  return static_cast<std::size_t>(bytes[0]) << 8U | bytes[1];
}

}  // namespace

void DoqSession::on_stream_data(transport::StreamId stream, transport::ByteSpan bytes, bool fin) {
  if (closing_) return;
  if (!is_client_bidi(stream)) return fail("only bidirectional streams carry queries");
  transport::Bytes& query = queries_[stream];
  transport::append(query, bytes);
  const std::size_t expected =
      query.size() < kPrefixBytes ? kPrefixBytes : kPrefixBytes + read_u16(query);
  if (query.size() > expected) return fail("more than one query on a stream");
  // The FIN belongs to the query (section 4.2); until it comes something could follow.
  if (!fin) return;
  if (query.size() < expected || query.size() == kPrefixBytes)
    return fail("a stream ended in its query");
  const transport::Bytes complete = std::exchange(query, {});
  answer(stream, transport::ByteSpan(complete).subspan(kPrefixBytes));
}

void DoqSession::on_stream_reset(transport::StreamId stream, std::uint64_t /*code*/) {
  queries_.erase(stream);
  if (!closing_ && is_client_bidi(stream))
    connection_->reset_stream(stream, std::to_underlying(DoqError::kRequestCancelled));
}

void DoqSession::on_closed(const transport::QuicClose& close) {
  closing_ = true;
  if (const auto problem = quic_problem(close, std::to_underlying(DoqError::kNoError)))
    log_(*problem);
}

void DoqSession::answer(transport::StreamId stream, transport::ByteSpan query) {
  if (query.size() < kDnsHeaderBytes) return fail("a query shorter than a DNS header");
  if (read_u16(query) != 0) return fail("a message ID other than 0");
  const auto parsed = transport::parse_dns_message(query);
  if (parsed && parsed->edns && parsed->edns->has_option(transport::kOptionTcpKeepalive))
    return fail("edns-tcp-keepalive over QUIC");
  const std::optional<Answer> answer = responder_.answer(query, Carrier::kEncrypted);
  if (!answer) return fail("a message that is no query");
  connection_->write(stream, transport::frame_message(answer->message), true);
}

void DoqSession::fail(std::string_view reason) {
  closing_ = true;
  queries_.clear();
  connection_->close(std::to_underlying(DoqError::kProtocolError), reason);
}

}  // namespace endpoints
