#pragma once

// Field sections of one direction of an HTTP/3 connection (QPACK, RFC 9204), over nghttp3's
// decoder.

#include "analysis/field_list.hh"
#include "transport/bytes.hh"

#include <nghttp3/nghttp3.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>

namespace analysis {

// A section as far as it has been read. Of the reader that first reads it.
class FieldSection {
 public:
  // The stream's ID must be one of QUIC, below 2^62.
  FieldSection(std::uint64_t stream, transport::Bytes encoded);

 private:
  friend class QpackReader;
  struct Delete {
    void operator()(nghttp3_qpack_stream_context* context) const {
      nghttp3_qpack_stream_context_del(context);
    }
  };
  transport::Bytes encoded_;
  std::size_t at_ = 0;
  std::unique_ptr<nghttp3_qpack_stream_context, Delete> context_;
  FieldList fields_;
};

class QpackReader {
 public:
  // SETTINGS_QPACK_MAX_TABLE_CAPACITY of the other end; once. Until it is known, only sections that
  // use no dynamic table can be read, and the encoder stream's bytes wait.
  std::expected<void, std::string> allow(std::uint64_t capacity);
  // Bytes of the encoder stream. After an error nothing can be read any more.
  std::expected<void, std::string> take_instructions(transport::ByteSpan bytes);
  // Entries made so far: sections that were blocked are worth another try when it grows.
  std::uint64_t inserts() const;

  // nullopt: blocked, it refers to entries that are yet to come (RFC 9204 section 2.1.2).
  std::expected<std::optional<FieldList>, std::string> read(FieldSection& section);

 private:
  struct Delete {
    void operator()(nghttp3_qpack_decoder* decoder) const { nghttp3_qpack_decoder_del(decoder); }
  };
  using Decoder = std::unique_ptr<nghttp3_qpack_decoder, Delete>;
  static Decoder make_decoder(std::size_t capacity);
  void discard_acknowledgements();

  Decoder decoder_;  // once the capacity is known
  std::string failure_;
  transport::Bytes early_instructions_;
};

}  // namespace analysis
