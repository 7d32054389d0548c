#pragma once

// DNS messages behind two bytes of length each: over TLS (RFC 7858 section 3.3) many on one stream,
// over QUIC (RFC 9250 section 4.2) one query and its answers on a stream of their own.

#include "analysis/dns_carriage.hh"
#include "transport/dns_framing.hh"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace analysis {

// One direction of a stream.
class PrefixedMessages {
 public:
  // Messages completed by these bytes, without what their connection tells of them.
  std::vector<CarriedMessage> take(transport::ByteSpan bytes);
  // Messages so far.
  std::size_t count() const { return count_; }
  bool within_message() const { return deframer_.pending() > 0; }

 private:
  transport::MessageDeframer deframer_;
  std::uint64_t at_ = 0;  // where in the stream the next message begins
  std::size_t count_ = 0;
};

class DotCarriage final : public DnsCarriage {
 public:
  void take(End from, std::uint64_t stream, transport::ByteSpan bytes, bool fin) override;
  void reset(End from, std::uint64_t stream) override;

 private:
  struct Direction {
    PrefixedMessages messages;
    bool stopped = false;
  };
  std::array<Direction, 2> directions_;
};

class DoqCarriage final : public DnsCarriage {
 public:
  void take(End from, std::uint64_t stream, transport::ByteSpan bytes, bool fin) override;
  void reset(End from, std::uint64_t stream) override;

 private:
  // Streams that have not ended, one map for each end.
  std::array<std::map<std::uint64_t, PrefixedMessages>, 2> streams_;
};

}  // namespace analysis
