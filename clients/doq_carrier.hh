#pragma once

// DNS over dedicated QUIC connections (RFC 9250), as strict as section 4.3.3 asks a client to be:
// one answer, ID 0, nothing behind it, then the stream's end.

#include "clients/dns_query.hh"
#include "clients/quic_carrier.hh"
#include "transport/dns_framing.hh"

#include <cstdint>
#include <optional>
#include <string>

namespace clients {

// RFC 9250, section 8.4.
inline constexpr std::uint64_t kDoqNoError = 0x0;
inline constexpr std::uint64_t kDoqProtocolError = 0x2;

class DoqCarrier final : public QuicCarrier {
 public:
  // `connection` and `progress` outlive the carrier.
  DoqCarrier(const QuerySpec& spec, transport::QuicConnection& connection, QueryProgress& progress);

  bool request_queued() const override { return stream_.has_value(); }
  void ask_again() override;
  // A whole answer whose stream never ended is a breach of section 4.2, not a lost answer.
  void expire() override;
  void close() override;

  void on_early_data_rejected() override { stream_.reset(); }
  void on_handshake_completed() override { send_query(); }
  void on_streams_available() override { send_query(); }
  void on_stream_data(transport::StreamId stream, transport::ByteSpan bytes, bool fin) override;
  void on_stream_reset(transport::StreamId stream, std::uint64_t code) override;
  void on_stop_sending(transport::StreamId stream, std::uint64_t code) override;

 private:
  void send_query();
  void judge_answer();
  void report_breach(std::string what);

  DnsQuery query_;
  transport::QuicConnection& connection_;
  QueryProgress& progress_;
  transport::MessageDeframer deframer_;
  std::optional<transport::StreamId> stream_;
  std::optional<transport::Bytes> answer_;
  std::uint64_t close_code_ = kDoqNoError;
};

}  // namespace clients
