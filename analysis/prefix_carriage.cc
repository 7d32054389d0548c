#include "analysis/prefix_carriage.hh"

#include <format>
#include <utility>

namespace analysis {
namespace {

// The two low bits of a stream ID tell who opened it and whether both may send (RFC 9000 section
// 2.1); 0: the client, both.
bool is_client_bidirectional(std::uint64_t stream) {
  return (stream & 3U) == 0;
}

}  // namespace

std::vector<CarriedMessage> PrefixedMessages::take(transport::ByteSpan bytes) {
  std::vector<CarriedMessage> messages;
  deframer_.receive(bytes);
  while (auto wire = deframer_.next()) {
    CarriedMessage message;
    const std::uint64_t end = at_ + 2 + wire->size();
    message.ranges = {{.first = std::exchange(at_, end), .end = end}};
    message.message = transport::parse_dns_message(*wire);
    message.wire = std::move(*wire);
    messages.push_back(std::move(message));
    ++count_;
  }
  return messages;
}

// Nothing marks where a message begins: of a stream that was not seen from its start, all lengths
// would be wrong. Hence the first message decides whether the direction is worth reading.
void DotCarriage::take(End from, std::uint64_t /*stream*/, transport::ByteSpan bytes, bool fin) {
  Direction& direction = directions_.at(std::to_underlying(from));
  if (direction.stopped) return;
  bool first = direction.messages.count() == 0;
  for (CarriedMessage& message : direction.messages.take(bytes)) {
    message.from = from;
    const bool understood = message.message.has_value();
    if (first && !understood) {
      complain(
          std::format("{}: the first message is not DNS ({}); the capture may begin within the "
                      "connection",
                      to_string(from), message.message.error()));
      direction.stopped = true;
    }
    first = false;
    deliver(std::move(message));
    if (direction.stopped) return;
  }
  if (!fin) return;
  direction.stopped = true;
  if (direction.messages.within_message()) {
    complain(std::format("{}: the stream ends within a message", to_string(from)));
  }
}

void DotCarriage::reset(End from, std::uint64_t /*stream*/) {
  directions_.at(std::to_underlying(from)) = {.messages = {}, .stopped = true};
}

void DoqCarriage::take(End from, std::uint64_t stream, transport::ByteSpan bytes, bool fin) {
  if (!is_client_bidirectional(stream)) {
    return complain(
        std::format("{}, stream {}: DNS over QUIC has the client's bidirectional "
                    "streams only",
                    to_string(from), stream));
  }
  auto& streams = streams_.at(std::to_underlying(from));
  PrefixedMessages& messages = streams[stream];
  for (CarriedMessage& message : messages.take(bytes)) {
    message.from = from;
    message.stream = stream;
    deliver(std::move(message));
  }
  if (from == End::kClient && messages.count() > 1) {
    complain(std::format("client, stream {}: more than one query", stream));
  }
  if (fin) {
    if (messages.within_message()) {
      complain(std::format("{}, stream {}: ends within a message", to_string(from), stream));
    }
    streams.erase(stream);
  } else if (streams.size() > kMaxOpenStreams) {
    complain(std::format("{}: more than {} streams at once", to_string(from), kMaxOpenStreams));
    streams.erase(streams.begin());
  }
}

void DoqCarriage::reset(End from, std::uint64_t stream) {
  streams_.at(std::to_underlying(from)).erase(stream);
}

}  // namespace analysis
