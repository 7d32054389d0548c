#include "endpoints/dns_stream_session.hh"

#include <optional>
#include <utility>

namespace endpoints {

void DnsStreamSession::receive(transport::ByteSpan bytes) {
  if (finished_) return;
  deframer_.receive(bytes);
  while (const auto query = deframer_.next()) {
    const std::optional<Answer> answer = responder_.answer(*query, carrier_);
    if (!answer) {
      finished_ = true;
      return;
    }
    transport::append(output_, transport::frame_message(answer->message));
  }
}

transport::Bytes DnsStreamSession::take_output() {
  return std::exchange(output_, {});
}

}  // namespace endpoints
