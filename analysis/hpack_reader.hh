#pragma once

// Header blocks of one direction of an HTTP/2 connection (HPACK, RFC 7541), over nghttp2's decoder.

#include "analysis/field_list.hh"
#include "transport/bytes.hh"

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <string>

namespace analysis {

// Values of SETTINGS_HEADER_TABLE_SIZE in one SETTINGS frame.
struct TableSizes {
  std::uint32_t smallest = 0;
  std::uint32_t last = 0;
};

class HpackReader {
 public:
  HpackReader();

  // The other end allowed these table sizes (without values: it sent a SETTINGS frame that has
  // none). They count from where this direction acknowledges the frame, wherever the capture shows
  // the frame itself (RFC 9113 section 6.5.3).
  void allow(std::optional<TableSizes> sizes);
  void acknowledge();

  // A whole block. After an error no further block can be read: the table is lost.
  std::expected<FieldList, std::string> read(transport::ByteSpan block);

 private:
  struct Delete {
    void operator()(nghttp2_hd_inflater* inflater) const { nghttp2_hd_inflate_del(inflater); }
  };
  void settle();

  std::unique_ptr<nghttp2_hd_inflater, Delete> inflater_;
  std::deque<std::optional<TableSizes>> allowed_;
  std::size_t acknowledged_ = 0;  // frames of `allowed_`, or such as are yet to come
};

}  // namespace analysis
