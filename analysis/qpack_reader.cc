#include "analysis/qpack_reader.hh"

#include "base/errors.hh"

#include <format>
#include <utility>

namespace analysis {
namespace {

// Of the encoder stream before the other end's SETTINGS, as a client with 0-RTT may send.
constexpr std::size_t kMaxEarlyInstructions = 65536;
// A larger table is not followed, whatever a peer allows; browsers allow 64 KiB.
constexpr std::uint64_t kMaxCapacity = 1U << 20U;

struct DropReference {
  void operator()(nghttp3_rcbuf* buffer) const { nghttp3_rcbuf_decref(buffer); }
};
using SharedText = std::unique_ptr<nghttp3_rcbuf, DropReference>;

std::string_view text_of(const SharedText& buffer) {
  const nghttp3_vec bytes = nghttp3_rcbuf_get_buf(buffer.get());
  return as_text(bytes.base, bytes.len);
}

std::unexpected<std::string> error_of(nghttp3_ssize code) {
  return std::unexpected<std::string>(nghttp3_strerror(static_cast<int>(code)));
}

}  // namespace

FieldSection::FieldSection(std::uint64_t stream, transport::Bytes encoded)
    : encoded_(std::move(encoded)) {
  nghttp3_qpack_stream_context* context = nullptr;
  LABRUN_ASSERT(nghttp3_qpack_stream_context_new(&context, static_cast<std::int64_t>(stream),
                                                 nghttp3_mem_default()) == 0);
  context_.reset(context);
}

QpackReader::Decoder QpackReader::make_decoder(std::size_t capacity) {
  nghttp3_qpack_decoder* decoder = nullptr;
  // How many sections may be blocked is for whoever keeps them.
  LABRUN_ASSERT(nghttp3_qpack_decoder_new(&decoder, capacity, 0, nghttp3_mem_default()) == 0);
  return Decoder(decoder);
}

std::expected<void, std::string> QpackReader::allow(std::uint64_t capacity) {
  if (decoder_ || !failure_.empty()) return {};
  if (capacity > kMaxCapacity) {
    failure_ = std::format("QPACK table of {} bytes is too large to follow", capacity);
    return std::unexpected(failure_);
  }
  decoder_ = make_decoder(static_cast<std::size_t>(capacity));
  return take_instructions(std::exchange(early_instructions_, {}));
}

std::expected<void, std::string> QpackReader::take_instructions(transport::ByteSpan bytes) {
  if (!failure_.empty()) return std::unexpected(failure_);
  if (!decoder_) {
    if (bytes.size() > kMaxEarlyInstructions - early_instructions_.size()) {
      failure_ = "QPACK table without the SETTINGS that allow it";
      return std::unexpected(failure_);
    }
    transport::append(early_instructions_, bytes);
    return {};
  }
  const nghttp3_ssize taken =
      nghttp3_qpack_decoder_read_encoder(decoder_.get(), bytes.data(), bytes.size());
  if (taken >= 0) return {};
  failure_ = nghttp3_strerror(static_cast<int>(taken));
  return std::unexpected(failure_);
}

std::uint64_t QpackReader::inserts() const {
  return decoder_ ? nghttp3_qpack_decoder_get_icnt(decoder_.get()) : 0;
}

std::expected<std::optional<FieldList>, std::string> QpackReader::read(FieldSection& section) {
  if (section.encoded_.empty()) return std::unexpected("header section is empty");
  // The prefix of a section that uses no dynamic table begins with a zero byte (RFC 9204 section
  // 4.5.1); such a section is read the same by any decoder.
  const bool refers = section.encoded_[0] != 0;
  if (!decoder_ && refers) {
    if (failure_.empty()) return std::nullopt;
    return std::unexpected(failure_);
  }
  const Decoder plain = decoder_ ? nullptr : make_decoder(0);
  nghttp3_qpack_decoder* const decoder = decoder_ ? decoder_.get() : plain.get();
  for (;;) {
    const transport::ByteSpan left = transport::ByteSpan(section.encoded_).subspan(section.at_);
    nghttp3_qpack_nv pair{};
    std::uint8_t flags = NGHTTP3_QPACK_DECODE_FLAG_NONE;
    const nghttp3_ssize taken = nghttp3_qpack_decoder_read_request(
        decoder, section.context_.get(), &pair, &flags, left.data(), left.size(), /*fin=*/1);
    if (taken < 0) return error_of(taken);
    section.at_ += static_cast<std::size_t>(taken);
    if ((flags & NGHTTP3_QPACK_DECODE_FLAG_BLOCKED) != 0) return std::nullopt;
    if ((flags & NGHTTP3_QPACK_DECODE_FLAG_EMIT) != 0) {
      const SharedText name(pair.name);
      const SharedText value(pair.value);
      section.fields_.add(text_of(name), text_of(value));
    } else if ((flags & NGHTTP3_QPACK_DECODE_FLAG_FINAL) != 0) {
      break;
    } else if (section.at_ == section.encoded_.size()) {
      return std::unexpected("header section ends early");
    }
  }
  if (refers) discard_acknowledgements();
  return std::move(section.fields_);
}

// The decoder collects what a peer would have to answer, and fails when that grows too long.
void QpackReader::discard_acknowledgements() {
  transport::Bytes answer(nghttp3_qpack_decoder_get_decoder_streamlen(decoder_.get()));
  nghttp3_buf buffer{.begin = answer.data(),
                     .end = answer.data() + answer.size(),
                     .pos = answer.data(),
                     .last = answer.data()};
  nghttp3_qpack_decoder_write_decoder(decoder_.get(), &buffer);
}

}  // namespace analysis
