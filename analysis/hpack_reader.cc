#include "analysis/hpack_reader.hh"

#include "base/errors.hh"

#include <algorithm>

namespace analysis {
namespace {

// Nobody has more SETTINGS under way; beyond it the oldest count as acknowledged.
constexpr std::size_t kMaxUnsettled = 64;
// A larger table is not followed, whatever a peer allows; browsers allow 64 KiB.
constexpr std::uint32_t kMaxTableSize = 1U << 20U;

}  // namespace

HpackReader::HpackReader() {
  nghttp2_hd_inflater* inflater = nullptr;
  LABRUN_ASSERT(nghttp2_hd_inflate_new(&inflater) == 0);
  inflater_.reset(inflater);
}

void HpackReader::allow(std::optional<TableSizes> sizes) {
  allowed_.push_back(sizes);
  if (allowed_.size() > kMaxUnsettled) acknowledge();
  settle();
}

void HpackReader::acknowledge() {
  acknowledged_ = std::min(acknowledged_ + 1, kMaxUnsettled);
  settle();
}

// The smallest size before the last one: the encoder must have emptied its table that far (RFC 7541
// section 4.2).
void HpackReader::settle() {
  for (; acknowledged_ > 0 && !allowed_.empty(); --acknowledged_, allowed_.pop_front()) {
    if (!allowed_.front()) continue;
    for (const std::uint32_t size : {allowed_.front()->smallest, allowed_.front()->last}) {
      nghttp2_hd_inflate_change_table_size(inflater_.get(), std::min(size, kMaxTableSize));
    }
  }
}

std::expected<FieldList, std::string> HpackReader::read(transport::ByteSpan block) {
  FieldList fields;
  for (;;) {
    nghttp2_nv pair{};
    int flags = NGHTTP2_HD_INFLATE_NONE;
    const nghttp2_ssize taken = nghttp2_hd_inflate_hd3(inflater_.get(), &pair, &flags, block.data(),
                                                       block.size(), /*in_final=*/1);
    if (taken < 0) return std::unexpected(nghttp2_strerror(static_cast<int>(taken)));
    block = block.subspan(static_cast<std::size_t>(taken));
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
      fields.add(as_text(pair.name, pair.namelen), as_text(pair.value, pair.valuelen));
    } else if ((flags & NGHTTP2_HD_INFLATE_FINAL) == 0 && block.empty()) {
      return std::unexpected("header block ends early");
    }
    if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
  }
  nghttp2_hd_inflate_end_headers(inflater_.get());
  return fields;
}

}  // namespace analysis
