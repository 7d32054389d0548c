#include "analysis/tls_handshake.hh"

#include "analysis/byte_reader.hh"
#include "base/file_descriptor.hh"

#include <algorithm>
#include <array>
#include <format>
#include <functional>
#include <utility>

namespace analysis {
namespace {

using transport::ByteSpan;

constexpr std::size_t kHeaderBytes = 4;
constexpr std::uint8_t kTypeServerHello = 2;

// RFC 8446 section 4.1.3: the ServerHello with this random is a HelloRetryRequest.
constexpr ClientRandom kRetryRandom{
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c};

constexpr std::uint64_t kExtensionServerName = 0;
constexpr std::uint64_t kExtensionGroups = 10;
constexpr std::uint64_t kExtensionAlpn = 16;
constexpr std::uint64_t kExtensionPreSharedKey = 41;
constexpr std::uint64_t kExtensionEarlyData = 42;
constexpr std::uint64_t kExtensionVersions = 43;
constexpr std::uint64_t kExtensionKeyShare = 51;
constexpr std::uint64_t kExtensionQuicParameters = 57;
constexpr std::uint64_t kParameterAckDelayExponent = 0x0a;
constexpr std::uint64_t kParameterMaxAckDelay = 0x0b;

using Extension = std::function<void(std::uint64_t type, ByteReader value)>;

void for_each_extension(ByteReader& reader, const Extension& take) {
  ByteReader extensions(reader.vector(2));
  while (extensions.left() > 0) {
    const std::uint64_t type = extensions.integer(2);
    const ByteSpan value = extensions.vector(2);
    if (extensions.failed()) return;
    take(type, ByteReader(value));
  }
}

std::vector<std::string> protocol_names(ByteReader value) {
  std::vector<std::string> names;
  ByteReader list(value.vector(2));
  while (list.left() > 0) {
    const ByteSpan name = list.vector(1);
    if (!list.failed()) names.emplace_back(base::as_text(name));
  }
  return names;
}

std::string server_name(ByteReader value) {
  ByteReader list(value.vector(2));
  list.integer(1);
  return std::string(base::as_text(list.vector(2)));
}

// A transport parameter that is a number.
std::optional<std::uint64_t> number_of(std::uint64_t wanted, ByteReader parameters) {
  while (parameters.left() > 0) {
    const std::uint64_t id = parameters.varint();
    ByteReader parameter(parameters.span(parameters.varint()));
    if (id != wanted) continue;
    const std::uint64_t number = parameter.varint();
    if (!parameter.failed()) return number;
  }
  return std::nullopt;
}

void read_parameters(ByteReader parameters, std::optional<std::uint64_t>& max_ack_delay_ms,
                     std::uint64_t& ack_delay_exponent) {
  max_ack_delay_ms = number_of(kParameterMaxAckDelay, parameters);
  const auto exponent = number_of(kParameterAckDelayExponent, parameters);
  if (exponent && *exponent <= HandshakeFacts::kMaxAckDelayExponent) ack_delay_exponent = *exponent;
}

void read_client_hello(ByteSpan body, HandshakeFacts& facts) {
  ByteReader reader(body);
  reader.integer(2);
  const ByteSpan random = reader.span(ClientRandom{}.size());
  if (reader.failed()) return;
  ClientRandom client_random{};
  std::ranges::copy(random, client_random.begin());
  facts.client_random = client_random;
  if (facts.client_hello_bytes == 0) facts.client_hello_bytes = body.size() + kHeaderBytes;
  reader.vector(1);
  reader.vector(2);
  reader.vector(1);
  facts.offered_groups.clear();
  facts.key_shares.clear();
  for_each_extension(reader, [&](std::uint64_t type, ByteReader value) {
    if (type == kExtensionServerName) facts.server_name = server_name(value);
    if (type == kExtensionAlpn) facts.offered_alpn = protocol_names(value);
    if (type == kExtensionEarlyData) facts.offered_early_data = true;
    if (type == kExtensionPreSharedKey) facts.offered_session_ticket = true;
    if (type == kExtensionQuicParameters)
      read_parameters(value, facts.client_max_ack_delay_ms, facts.client_ack_delay_exponent);
    if (type == kExtensionGroups) {
      ByteReader list(value.vector(2));
      while (list.left() > 1)
        facts.offered_groups.push_back(static_cast<std::uint16_t>(list.integer(2)));
    }
    if (type == kExtensionKeyShare) {
      ByteReader list(value.vector(2));
      while (list.left() > 0) {
        const auto group = static_cast<std::uint16_t>(list.integer(2));
        list.vector(2);
        if (!list.failed()) facts.key_shares.push_back(group);
      }
    }
  });
}

bool is_retry_request(ByteSpan body) {
  ByteReader reader(body);
  reader.integer(2);
  return std::ranges::equal(reader.span(kRetryRandom.size()), kRetryRandom);
}

void read_server_hello(ByteSpan body, HandshakeFacts& facts) {
  if (is_retry_request(body)) {
    facts.hello_retry_request = true;
    return;
  }
  ByteReader reader(body);
  facts.version = static_cast<std::uint16_t>(reader.integer(2));
  reader.span(ClientRandom{}.size());
  reader.vector(1);
  const auto suite = static_cast<std::uint16_t>(reader.integer(2));
  reader.integer(1);
  if (reader.failed()) return;
  facts.cipher_suite = suite;
  facts.server_hello_bytes = body.size() + kHeaderBytes;
  for_each_extension(reader, [&](std::uint64_t type, ByteReader value) {
    if (type == kExtensionVersions) facts.version = static_cast<std::uint16_t>(value.integer(2));
    if (type == kExtensionKeyShare) facts.group = static_cast<std::uint16_t>(value.integer(2));
    if (type == kExtensionPreSharedKey) facts.accepted_session_ticket = true;
  });
}

void read_encrypted_extensions(ByteSpan body, HandshakeFacts& facts) {
  ByteReader reader(body);
  for_each_extension(reader, [&](std::uint64_t type, ByteReader value) {
    if (type == kExtensionEarlyData) facts.accepted_early_data = true;
    if (type == kExtensionQuicParameters)
      read_parameters(value, facts.server_max_ack_delay_ms, facts.server_ack_delay_exponent);
    if (type != kExtensionAlpn) return;
    const auto names = protocol_names(value);
    if (!names.empty()) facts.alpn = names.front();
  });
}

MessageKind kind_of(std::uint8_t type, ByteSpan body) {
  switch (type) {
    case 1:
      return MessageKind::kClientHello;
    case kTypeServerHello:
      return is_retry_request(body) ? MessageKind::kHelloRetryRequest : MessageKind::kServerHello;
    case 4:
      return MessageKind::kNewSessionTicket;
    case 5:
      return MessageKind::kEndOfEarlyData;
    case 8:
      return MessageKind::kEncryptedExtensions;
    case 11:
    case 25:  // compressed, RFC 8879
      return MessageKind::kCertificate;
    case 13:
      return MessageKind::kCertificateRequest;
    case 15:
      return MessageKind::kCertificateVerify;
    case 20:
      return MessageKind::kFinished;
    case 24:
      return MessageKind::kKeyUpdate;
    default:
      return MessageKind::kOtherHandshake;
  }
}

}  // namespace

std::string group_name(std::uint16_t group) {
  switch (group) {
    case 0x0017:
      return "secp256r1";
    case 0x0018:
      return "secp384r1";
    case 0x0019:
      return "secp521r1";
    case 0x001d:
      return "X25519";
    case 0x001e:
      return "X448";
    case 0x11eb:
      return "SecP256r1MLKEM768";
    case 0x11ec:
      return "X25519MLKEM768";
    case 0x11ed:
      return "SecP384r1MLKEM1024";
    case 0x6399:
      return "X25519Kyber768Draft00";
    default:
      return std::format("group {:#06x}", group);
  }
}

void HandshakeStream::add(ByteSpan bytes) {
  if (!problem_.empty()) return;
  transport::append(buffer_, bytes);
  std::size_t done = 0;
  while (problem_.empty() && buffer_.size() - done >= kHeaderBytes) {
    ByteReader header(ByteSpan(buffer_).subspan(done));
    const auto type = static_cast<std::uint8_t>(header.integer(1));
    const std::size_t length = header.integer(3);
    if (length > kMaxMessageBytes) {
      problem_ = std::format("a handshake message of {} bytes", length);
      break;
    }
    const std::size_t total = kHeaderBytes + length;
    const ByteSpan body = header.span(std::min(length, header.left()));
    // A ServerHello tells by its random whether it is one.
    const bool known = type != kTypeServerHello || body.size() == length || body.size() >= 34;
    if (!announced_ && known) {
      const std::uint64_t begin = consumed_ + done;
      map_.add({.kind = kind_of(type, body), .begin = begin, .end = begin + total});
      announced_ = true;
    }
    if (body.size() < length) break;
    read_message(type, body);
    done += total;
    announced_ = false;
  }
  consumed_ += done;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(done));
}

void HandshakeStream::read_message(std::uint8_t type, ByteSpan body) {
  switch (kind_of(type, body)) {
    case MessageKind::kClientHello:
      if (from_ == End::kClient) read_client_hello(body, *facts_);
      break;
    case MessageKind::kServerHello:
    case MessageKind::kHelloRetryRequest:
      if (from_ == End::kServer) read_server_hello(body, *facts_);
      break;
    case MessageKind::kEncryptedExtensions:
      read_encrypted_extensions(body, *facts_);
      break;
    case MessageKind::kCertificate:
      facts_->certificate_bytes = body.size() + kHeaderBytes;
      break;
    case MessageKind::kFinished:
      (from_ == End::kClient ? facts_->finished_by_client : facts_->finished_by_server) = true;
      break;
    default:
      break;
  }
}

}  // namespace analysis
