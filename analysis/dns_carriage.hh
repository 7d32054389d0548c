#pragma once

// DNS messages in the decrypted byte streams of a connection, whatever carries them.
//
// The bytes come from a capture and may be anything: what cannot be understood becomes a text and
// is passed over, memory is bounded, and nothing here throws because of them. Directions are read
// independently of each other but for what one end's SETTINGS allow the other's header compression,
// so the two may be given in any order in which a capture can show them. How the bytes were cut
// into pieces changes nothing while all of them can be read.

#include "analysis/byte_range.hh"
#include "analysis/end.hh"
#include "transport/bytes.hh"
#include "transport/dns_message.hh"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace analysis {

enum class Carriage : std::uint8_t { kDot, kDoq, kDoh2, kDoh3 };

// A DNS message that is complete, or an HTTP answer that came in its place.
struct CarriedMessage {
  End from = End::kClient;
  // QUIC's stream ID, or HTTP/2's; 0 over DoT.
  std::uint64_t stream = 0;
  // Where it lies in the bytes that `from` sent: of the QUIC stream, or of all TLS application
  // data. Length prefix and HTTP frames of the message included, frames of other HTTP/2 streams in
  // between not. In order, apart from each other, never empty.
  std::vector<ByteRange> ranges;
  // It is complete only with the FIN of its QUIC stream (HTTP/3: RFC 9114 section 4.1), which may
  // travel in a later packet than the last of `ranges`.
  bool needs_fin = false;
  transport::Bytes wire;
  // Why `wire` is no DNS message where it is none. A response that is not of DNS's media type is
  // reported with an empty `wire` if its request was a DNS query.
  std::expected<transport::DnsMessage, std::string> message;
  std::optional<int> http_status;  // answers over HTTP
  std::string http_method;         // queries over HTTP: "GET", "POST"
  bool operator==(const CarriedMessage&) const = default;

  std::uint64_t first_byte() const { return ranges.front().first; }
  std::uint64_t end_byte() const { return ranges.back().end; }
};

// Streams of one direction with a message under way; beyond it the oldest are given up.
inline constexpr std::size_t kMaxOpenStreams = 1024;
// Messages that wait for take_messages(); beyond it they are lost.
inline constexpr std::size_t kMaxWaitingMessages = 65536;

class DnsCarriage {
 public:
  virtual ~DnsCarriage() = default;

  // The next bytes of one direction of a stream, in order from its first; `fin` with the last of
  // them. Over TLS there is one stream, whatever its number.
  virtual void take(End from, std::uint64_t stream, transport::ByteSpan bytes, bool fin) = 0;
  // RESET_STREAM, or a gap that will not be filled: no more bytes of this direction of the stream.
  virtual void reset(End from, std::uint64_t stream) = 0;
  // No more bytes of any stream: what still waits for others becomes a problem.
  virtual void finish() {}

  // Messages completed since the last call, in the order of their completion.
  std::vector<CarriedMessage> take_messages();
  // What could not be understood, in words, the first thing only; empty while all is well. What was
  // not touched by it is read on.
  const std::string& problem() const { return problem_; }

 protected:
  void deliver(CarriedMessage message);
  void complain(std::string problem);

 private:
  std::vector<CarriedMessage> messages_;
  std::string problem_;
};

std::unique_ptr<DnsCarriage> make_dns_carriage(Carriage carriage);

// Length of the EDNS padding option's data in bytes (RFC 7830); nullopt without the option.
std::optional<std::size_t> dns_padding(const transport::DnsMessage& message);

}  // namespace analysis
