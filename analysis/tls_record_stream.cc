#include "analysis/tls_record_stream.hh"

#include "analysis/byte_reader.hh"

#include <algorithm>
#include <format>
#include <utility>

namespace analysis {
namespace {

using transport::Bytes;
using transport::ByteSpan;

constexpr std::size_t kRecordHeaderBytes = 5;
constexpr std::size_t kMaxRecordBytes = (std::size_t{1} << 14U) + 256;
constexpr std::size_t kMaxRecords = 100'000;
constexpr std::uint8_t kChangeCipherSpec = 20;
constexpr std::uint8_t kAlert = 21;
constexpr std::uint8_t kHandshake = 22;
constexpr std::uint8_t kApplicationData = 23;

bool is_record_type(std::uint8_t type) {
  return type >= kChangeCipherSpec && type <= kApplicationData;
}

}  // namespace

Bytes TlsRecordStream::add(ByteSpan bytes) {
  Bytes application;
  if (!problem_.empty()) return application;
  transport::append(buffer_, bytes);
  std::size_t done = 0;
  while (buffer_.size() - done >= kRecordHeaderBytes) {
    const ByteSpan rest = ByteSpan(buffer_).subspan(done);
    const std::size_t length = std::size_t{rest[3]} << 8U | rest[4];
    if (!is_record_type(rest[0]) || rest[1] != 3 || length > kMaxRecordBytes) {
      problem_ =
          std::format("byte {} of the {}'s stream: not a TLS record", consumed_, to_string(from_));
      break;
    }
    if (rest.size() - kRecordHeaderBytes < length) break;
    const std::size_t size = kRecordHeaderBytes + length;
    incomplete_.reset();
    take_record(rest[0], rest.first(kRecordHeaderBytes), rest.subspan(kRecordHeaderBytes, length),
                application);
    consumed_ += size;
    done += size;
  }
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(done));
  if (problem_.empty()) announce_incomplete();
  return application;
}

// So that the first segment of a ClientHello is known as such before the second one comes.
void TlsRecordStream::announce_incomplete() {
  if (incomplete_ || buffer_.size() <= kRecordHeaderBytes || buffer_[0] != kHandshake ||
      level_ != Level::kNone)
    return;
  ByteReader header(buffer_);
  header.span(3);
  const std::uint64_t length = header.integer(2);
  constexpr std::uint8_t kClientHello = 1;
  if (header.integer(1) != kClientHello) return;
  incomplete_ = Record{.begin = consumed_,
                       .end = consumed_ + kRecordHeaderBytes + length,
                       .content = Content::kOther,
                       .kind = MessageKind::kClientHello};
}

void TlsRecordStream::take_record(std::uint8_t type, ByteSpan header, ByteSpan body,
                                  Bytes& application) {
  const Record record{.begin = consumed_, .end = consumed_ + header.size() + body.size()};
  const bool sealed = type == kApplicationData;
  if (!sealed) {
    take_content(record, type, body, false, application);
    return;
  }
  const auto opened = open(header, body);
  if (opened) {
    take_content(record, opened->type, opened->content, true, application);
  } else {
    ++undecrypted_;
    if (records_.size() < kMaxRecords) records_.push_back(record);
  }
}

void TlsRecordStream::take_content(Record record, std::uint8_t type, ByteSpan content, bool sealed,
                                   Bytes& application) {
  const auto span_inner = [&](Content kind, std::uint64_t& counter) {
    record.content = kind;
    record.inner_begin = counter;
    counter += content.size();
    record.inner_end = counter;
  };
  if (type == kHandshake && !sealed) {
    span_inner(Content::kPlainHandshake, plain_handshake_bytes_);
    plain_handshake_.add(content);
  } else if (type == kHandshake) {
    span_inner(Content::kSealedHandshake, sealed_handshake_bytes_);
    sealed_handshake_.add(content);
  } else if (type == kApplicationData) {
    span_inner(Content::kApplication, application_bytes_);
    record.kind = MessageKind::kHttp;
    transport::append(application, content);
  } else {
    record.kind = type == kAlert ? MessageKind::kAlert : MessageKind::kChangeCipherSpec;
  }
  if (records_.size() >= kMaxRecords) return;
  if (record.content == Content::kApplication) application_records_.push_back(records_.size());
  records_.push_back(record);
}

std::optional<TlsRecordStream::Opened> TlsRecordStream::open(ByteSpan header, ByteSpan body) {
  if (facts_->version != 0 && facts_->version != 0x0304) {
    if (sight_ends_.empty()) sight_ends_ = "records of TLS before 1.3 are not opened";
    return std::nullopt;
  }
  // Where keys stop fitting, the next ones began; nothing in the clear says so.
  do {
    if (!keys_) continue;
    auto content = keys_->open(sequence_, header, body);
    if (!content) continue;
    ++sequence_;
    // RFC 8446 section 5.4: zeros, and before them the real type.
    while (!content->empty() && content->back() == 0) content->pop_back();
    if (content->empty()) return Opened{};
    const std::uint8_t type = content->back();
    content->pop_back();
    return Opened{.type = type, .content = std::move(*content)};
  } while (next_keys());
  return std::nullopt;
}

// False where there are none, or their secret is not known.
bool TlsRecordStream::next_keys() {
  if (level_ == Level::kTraffic) {
    if (sight_ends_.empty()) sight_ends_ = "records that its keys do not open";
    return false;
  }
  const bool client = from_ == End::kClient;
  const bool early = client && facts_->offered_early_data && level_ < Level::kEarlyChaCha;
  std::optional<Aead> keys;
  Level level{};
  if (early) {
    level = level_ == Level::kNone ? Level::kEarlyAes : Level::kEarlyChaCha;
    keys = early_keys(level);
  } else if (level_ != Level::kHandshake) {
    level = Level::kHandshake;
    keys = keys_for(client ? SecretLabel::kClientHandshakeTraffic
                           : SecretLabel::kServerHandshakeTraffic);
  } else {
    level = Level::kTraffic;
    keys = keys_for(client ? SecretLabel::kClientTraffic0 : SecretLabel::kServerTraffic0);
  }
  if (!keys && !early) return false;
  level_ = level;
  keys_ = std::move(keys);
  sequence_ = 0;
  return true;
}

// The suite is the earlier session's, which nothing here tells: the secret's length says which hash
// it has, and what opens the record says the rest.
std::optional<Aead> TlsRecordStream::early_keys(Level level) const {
  constexpr std::size_t kSha384Bytes = 48;
  if (!facts_->client_random) return std::nullopt;
  const auto secret = secrets_->find(*facts_->client_random, SecretLabel::kClientEarlyTraffic);
  if (!secret) return std::nullopt;
  const bool sha384 = secret->size() == kSha384Bytes;
  if (level == Level::kEarlyAes)
    return record_protection(sha384 ? CipherSuite::kAes256Gcm : CipherSuite::kAes128Gcm, *secret);
  if (sha384) return std::nullopt;
  return record_protection(CipherSuite::kChaCha20Poly1305, *secret);
}

std::optional<Aead> TlsRecordStream::keys_for(SecretLabel label) {
  const auto unknown = [this](std::string_view why) {
    if (sight_ends_.empty()) sight_ends_ = why;
    return std::nullopt;
  };
  if (!facts_->client_random) return unknown("the ClientHello is not in the capture");
  const auto suite =
      facts_->cipher_suite ? known_cipher_suite(*facts_->cipher_suite) : std::nullopt;
  if (!suite) return unknown("the ServerHello is not in the capture, or its cipher is unknown");
  const auto secret = secrets_->find(*facts_->client_random, label);
  if (!secret)
    return unknown(secrets_->knows(*facts_->client_random)
                       ? "a key is not among those in the capture"
                       : "no keys of this connection in the capture");
  return record_protection(*suite, *secret);
}

void TlsRecordStream::label_application(MessageKind kind, std::uint64_t begin, std::uint64_t end) {
  const auto inner_end = [this](std::size_t index) { return records_[index].inner_end; };
  auto next = std::ranges::upper_bound(application_records_, begin, {}, inner_end);
  for (; next != application_records_.end() && records_[*next].inner_begin < end; ++next)
    records_[*next].kind = kind;
}

std::vector<MessagePart> TlsRecordStream::parts(std::uint64_t begin, std::uint64_t end) const {
  std::vector<MessagePart> found;
  const auto take = [&](const Record& record) {
    const std::uint64_t from = std::max(begin, record.begin);
    const std::uint64_t to = std::min(end, record.end);
    if (from >= to) return;
    if (record.content == Content::kApplication || record.content == Content::kOther) {
      found.push_back({.kind = record.kind,
                       .total = record.end - record.begin,
                       .offset = from - record.begin,
                       .length = to - from});
      return;
    }
    if (record.inner_begin == record.inner_end) return;
    // The record's own bytes in front and behind belong to its first and last message byte.
    const auto inner = [&](std::uint64_t position) {
      const std::uint64_t at = position - record.begin;
      const std::uint64_t content = at < kRecordHeaderBytes ? 0 : at - kRecordHeaderBytes;
      return std::min(record.inner_begin + content, record.inner_end - 1);
    };
    const HandshakeStream& stream =
        record.content == Content::kPlainHandshake ? plain_handshake_ : sealed_handshake_;
    std::ranges::copy(stream.map().parts(inner(from), inner(to - 1) + 1),
                      std::back_inserter(found));
  };
  for (auto record = std::ranges::upper_bound(records_, begin, {}, &Record::end);
       record != records_.end() && record->begin < end; ++record)
    take(*record);
  if (incomplete_) take(*incomplete_);
  return found;
}

}  // namespace analysis
