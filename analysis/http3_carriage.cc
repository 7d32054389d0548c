#include "analysis/http3_carriage.hh"

#include "analysis/quic_varint.hh"

#include <format>
#include <utility>
#include <vector>

namespace analysis {
namespace {

// RFC 9000 section 16: larger numbers cannot be written.
constexpr std::uint64_t kMaxStreamId = (std::uint64_t{1} << 62U) - 1;
// Of a direction; three are in use, others only show that unknown ones are ignored.
constexpr std::size_t kMaxOneWayStreams = 64;
// Behind a blocked header section of a stream.
constexpr std::size_t kMaxWaiting = 2 * kMaxKeptPayload;

// Types of frames (RFC 9114 section 7.2) and of streams (section 6.2; RFC 9204 section 4.2).
constexpr std::uint64_t kData = 0x0;
constexpr std::uint64_t kHeaders = 0x1;
constexpr std::uint64_t kSettings = 0x4;
constexpr std::uint64_t kControlStream = 0x0;
constexpr std::uint64_t kQpackEncoderStream = 0x2;
// RFC 9204 section 5.
constexpr std::uint64_t kSettingsQpackMaxTableCapacity = 0x1;

// nullopt where an entry is cut short.
std::optional<std::uint64_t> table_capacity(transport::ByteSpan settings) {
  std::uint64_t capacity = 0;
  while (!settings.empty()) {
    const auto identifier = take_varint(settings);
    const auto value = take_varint(settings);
    if (!identifier || !value) return std::nullopt;
    if (*identifier == kSettingsQpackMaxTableCapacity) capacity = *value;
  }
  return capacity;
}

}  // namespace

// The two low bits of a stream ID tell who opened it and whether both may send (RFC 9000 section
// 2.1). The server opens no stream that both may send on (RFC 9114 section 6.1); extensions that
// let it are none of DNS.
void Http3Carriage::take(End from, std::uint64_t stream, transport::ByteSpan bytes, bool fin) {
  if (stream > kMaxStreamId) return;
  const bool client_opened = (stream & 1U) == 0;
  const bool both_send = (stream & 2U) == 0;
  if (both_send) {
    if (client_opened) take_exchange(from, stream, bytes, fin);
  } else if (client_opened == (from == End::kClient)) {
    take_one_way(from, stream, bytes);
  }
}

void Http3Carriage::reset(End from, std::uint64_t stream) {
  direction(from).exchanges.erase(stream);
  direction(from).blocked.erase(stream);
  drop_message(from, stream);
}

void Http3Carriage::finish() {
  for (const End from : {End::kClient, End::kServer}) {
    if (direction(from).blocked.empty()) continue;
    complain(
        std::format("{}, stream {}: header compression refers to what was not seen; the "
                    "capture may begin within the connection",
                    to_string(from), *direction(from).blocked.begin()));
  }
}

void Http3Carriage::take_exchange(End from, std::uint64_t id, transport::ByteSpan bytes, bool fin) {
  auto& exchanges = direction(from).exchanges;
  Exchange& exchange = exchanges[id];
  if (fin) exchange.ended = true;
  if (!exchange.given_up) transport::append(exchange.waiting, bytes);
  advance(from, id);
  if (exchanges.size() <= kMaxOpenStreams) return;
  complain(std::format("{}: more than {} streams at once", to_string(from), kMaxOpenStreams));
  reset(from, exchanges.begin()->first);
}

// Reads on as far as the stream's bytes and the entries of the table allow.
void Http3Carriage::advance(End from, std::uint64_t id) {
  auto& exchanges = direction(from).exchanges;
  Exchange& exchange = exchanges.at(id);
  transport::ByteSpan left = exchange.waiting;
  bool readable = !exchange.blocked || read_section(from, id, exchange);
  while (readable && !exchange.given_up) {
    const auto frame = exchange.frames.next(left);
    if (!frame) break;
    read_frame(from, id, exchange, *frame);
    readable = !exchange.blocked;
  }
  if (exchange.given_up) {
    exchange.waiting = {};
  } else {
    exchange.waiting.erase(exchange.waiting.begin(),
                           exchange.waiting.end() - static_cast<std::ptrdiff_t>(left.size()));
  }
  if (exchange.waiting.size() > kMaxWaiting) {
    abandon(from, id, exchange, "too much waits for header compression");
  }
  if (!exchange.ended || exchange.blocked) return;
  if (!exchange.given_up && exchange.frames.within_frame()) {
    abandon(from, id, exchange, "ends within a frame");
  }
  end_message(from, id);
  exchanges.erase(id);
}

void Http3Carriage::abandon(End from, std::uint64_t id, Exchange& exchange,
                            std::string_view reason) {
  complain(std::format("{}, stream {}: {}", to_string(from), id, reason));
  drop_message(from, id);
  direction(from).blocked.erase(id);
  exchange.blocked.reset();
  exchange.waiting = {};
  exchange.given_up = true;
}

void Http3Carriage::read_frame(End from, std::uint64_t id, Exchange& exchange, const Frame& frame) {
  if (frame.head.type == kHeaders) {
    if (frame.skipped) return abandon(from, id, exchange, "header section is too long");
    transport::Bytes section(frame.payload.begin(), frame.payload.end());
    exchange.blocked.emplace(FieldSection(id, std::move(section)), frame.range);
    direction(from).blocked.insert(id);
    read_section(from, id, exchange);
  } else if (frame.head.type == kData) {
    if (!exchange.has_fields) {
      return abandon(from, id, exchange,
                     "body without a header; the capture may begin within the stream");
    }
    if (frame.skipped) {
      skip_body(from, id, frame.range);
    } else {
      add_body(from, id, frame.payload, frame.range);
    }
  }
  // Pushed requests, and frames of extensions, which are to be ignored (RFC 9114 section 9).
}

bool Http3Carriage::read_section(End from, std::uint64_t id, Exchange& exchange) {
  const auto fields = direction(from).fields.read(exchange.blocked->section);
  if (!fields) {
    abandon(from, id, exchange, fields.error());
    return true;
  }
  if (!*fields) return false;
  exchange.has_fields = true;
  add_fields(from, id, **fields, exchange.blocked->range);
  exchange.blocked.reset();
  direction(from).blocked.erase(id);
  return true;
}

void Http3Carriage::retry_blocked(End from) {
  const auto& blocked = direction(from).blocked;
  for (const std::uint64_t id : std::vector(blocked.begin(), blocked.end())) advance(from, id);
}

void Http3Carriage::take_one_way(End from, std::uint64_t id, transport::ByteSpan bytes) {
  auto& streams = direction(from).one_way;
  if (!streams.contains(id) && streams.size() == kMaxOneWayStreams) {
    return complain(std::format("{}: more than {} streams in one direction", to_string(from),
                                kMaxOneWayStreams));
  }
  OneWay& stream = streams[id];
  while (!stream.type && !bytes.empty()) {
    stream.type_bytes.push_back(bytes[0]);
    bytes = bytes.subspan(1);
    transport::ByteSpan type = stream.type_bytes;
    stream.type = take_varint(type);
    if (!stream.type) continue;
    stream.frames = FrameReader(parse_http3_head, stream.type_bytes.size());
  }
  if (stream.given_up || bytes.empty()) return;
  if (stream.type == kControlStream) take_control(from, stream, bytes);
  if (stream.type == kQpackEncoderStream) take_instructions(from, stream, bytes);
}

void Http3Carriage::take_control(End from, OneWay& stream, transport::ByteSpan bytes) {
  while (const auto frame = stream.frames.next(bytes)) {
    if (std::exchange(stream.started, true)) continue;
    std::optional<std::uint64_t> capacity;
    if (frame->head.type == kSettings && !frame->skipped) capacity = table_capacity(frame->payload);
    if (!capacity) {
      stream.given_up = true;
      return complain(
          std::format("{}: the control stream does not begin with SETTINGS (RFC 9114 section "
                      "6.2.1); the capture may begin within the connection",
                      to_string(from)));
    }
    const auto outcome = direction(other(from)).fields.allow(*capacity);
    if (!outcome) complain(std::format("{}: {}", to_string(other(from)), outcome.error()));
    retry_blocked(other(from));
  }
}

// Byte by byte, so that a section is read before later entries push out those that it refers to,
// however the bytes were cut into pieces.
void Http3Carriage::take_instructions(End from, OneWay& stream, transport::ByteSpan bytes) {
  QpackReader& fields = direction(from).fields;
  for (; !bytes.empty(); bytes = bytes.subspan(1)) {
    const std::uint64_t before = fields.inserts();
    const auto outcome = fields.take_instructions(bytes.first(1));
    if (!outcome) {
      stream.given_up = true;
      return complain(std::format("{}: {}", to_string(from), outcome.error()));
    }
    if (fields.inserts() != before) retry_blocked(from);
  }
}

}  // namespace analysis
