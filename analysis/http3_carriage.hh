#pragma once

// DNS over HTTP/3 (RFC 9114): each request on a QUIC stream of its own, header compression and
// SETTINGS on streams in one direction. An error on a request stream ends the reading of that
// stream in its direction; after an error in header compression no later header is understood.

#include "analysis/doh_carriage.hh"
#include "analysis/frame_reader.hh"
#include "analysis/qpack_reader.hh"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace analysis {

class Http3Carriage final : public DohCarriage {
 public:
  Http3Carriage() : DohCarriage(/*ends_with_stream=*/true) {}
  void take(End from, std::uint64_t stream, transport::ByteSpan bytes, bool fin) override;
  void reset(End from, std::uint64_t stream) override;
  void finish() override;

 private:
  // One direction of a request's stream.
  struct Exchange {
    // A header section that waits for entries of the table, and what came behind it.
    struct Blocked {
      FieldSection section;
      ByteRange range;
    };
    FrameReader frames{parse_http3_head, 0};
    std::optional<Blocked> blocked;
    transport::Bytes waiting;
    bool has_fields = false;
    bool given_up = false;  // nothing more is read
    bool ended = false;     // FIN is here
  };
  // A stream in one direction (RFC 9114 section 6.2).
  struct OneWay {
    transport::Bytes type_bytes;  // while incomplete
    std::optional<std::uint64_t> type;
    FrameReader frames{parse_http3_head, 0};
    bool started = false;  // the control stream's first frame was read
    bool given_up = false;
  };
  struct Direction {
    QpackReader fields;
    std::map<std::uint64_t, Exchange> exchanges;
    std::set<std::uint64_t> blocked;  // exchanges with a blocked section
    std::map<std::uint64_t, OneWay> one_way;
  };
  Direction& direction(End from) { return directions_.at(std::to_underlying(from)); }
  void take_exchange(End from, std::uint64_t id, transport::ByteSpan bytes, bool fin);
  void advance(End from, std::uint64_t id);
  void read_frame(End from, std::uint64_t id, Exchange& exchange, const Frame& frame);
  // Whether the section was read, or given up; false while it is blocked.
  bool read_section(End from, std::uint64_t id, Exchange& exchange);
  void abandon(End from, std::uint64_t id, Exchange& exchange, std::string_view reason);
  void retry_blocked(End from);
  void take_one_way(End from, std::uint64_t id, transport::ByteSpan bytes);
  void take_control(End from, OneWay& stream, transport::ByteSpan bytes);
  void take_instructions(End from, OneWay& stream, transport::ByteSpan bytes);

  std::array<Direction, 2> directions_;
};

}  // namespace analysis
