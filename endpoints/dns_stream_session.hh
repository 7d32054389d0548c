#pragma once

// DNS over TCP (RFC 7766) and over TLS (RFC 7858): messages behind their length, answered in the
// order in which they come. All answers to what one read brought leave together.

#include "endpoints/responder.hh"
#include "endpoints/stream_session.hh"
#include "transport/dns_framing.hh"

namespace endpoints {

class DnsStreamSession final : public StreamSession {
 public:
  // `responder` must outlive the session.
  DnsStreamSession(const Responder& responder, Carrier carrier)
      : responder_(responder), carrier_(carrier) {}

  void receive(transport::ByteSpan bytes) override;
  transport::Bytes take_output() override;
  // A message that is no query ends the stream: its sender does not speak DNS.
  bool finished() const override { return finished_; }

 private:
  const Responder& responder_;
  Carrier carrier_;
  transport::MessageDeframer deframer_;
  transport::Bytes output_;
  bool finished_ = false;
};

}  // namespace endpoints
