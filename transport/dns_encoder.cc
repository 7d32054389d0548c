// The way from DnsMessage to wire form.

#include "base/errors.hh"
#include "transport/dns_message.hh"

#include <algorithm>
#include <format>
#include <map>
#include <string>
#include <utility>

namespace transport {
namespace {

// A compression pointer has 14 bits (RFC 1035 section 4.1.4).
constexpr std::size_t kMaxPointerTarget = 0x3fff;
constexpr std::size_t kOptionHeader = 4;

class Encoder {
 public:
  void u8(std::uint8_t value) { wire_.push_back(value); }
  void u16(std::uint16_t value) {
    u8(static_cast<std::uint8_t>(value >> 8U));
    u8(static_cast<std::uint8_t>(value));
  }
  void u32(std::uint32_t value) {
    u16(static_cast<std::uint16_t>(value >> 16U));
    u16(static_cast<std::uint16_t>(value));
  }
  void bytes(ByteSpan bytes) { append(wire_, bytes); }
  void length_and_bytes(ByteSpan data);
  void name(std::string_view text);
  void record(const DnsRecord& record);
  void edns(const Edns& edns, unsigned high_rcode_bits, std::size_t padding_block);

  std::size_t size() const { return wire_.size(); }
  Bytes take() { return std::move(wire_); }

 private:
  Bytes wire_;
  // Where each name, or tail of one, was written; by its wire form.
  std::map<std::string, std::uint16_t> written_;
};

void Encoder::length_and_bytes(ByteSpan data) {
  if (data.size() > 0xffff) throw base::LabError("DNS record data or option over 65535 bytes");
  u16(static_cast<std::uint16_t>(data.size()));
  bytes(data);
}

// Writes the labels that no earlier name ended with, then a pointer to where the rest is.
void Encoder::name(std::string_view text) {
  const Bytes whole = encode_name(text);
  std::size_t at = 0;
  while (whole[at] != 0) {
    const std::string tail(whole.begin() + static_cast<std::ptrdiff_t>(at), whole.end());
    if (const auto found = written_.find(tail); found != written_.end()) {
      return u16(static_cast<std::uint16_t>(0xc000U | found->second));
    }
    if (size() <= kMaxPointerTarget) written_.emplace(tail, static_cast<std::uint16_t>(size()));
    const std::size_t length = 1U + whole[at];
    bytes(ByteSpan(whole).subspan(at, length));
    at += length;
  }
  u8(0);
}

void Encoder::record(const DnsRecord& record) {
  name(record.name);
  u16(std::to_underlying(record.type));
  u16(record.record_class);
  u32(record.ttl);
  length_and_bytes(record.rdata);
}

// RFC 6891 section 6.1.2: class is the UDP size, TTL is extended RCODE, version and flags. Padding
// counts the whole message (RFC 8467 section 4), so it must come last.
void Encoder::edns(const Edns& edns, unsigned high_rcode_bits, std::size_t padding_block) {
  name(".");
  u16(std::to_underlying(RecordType::kOpt));
  u16(edns.udp_size);
  u32(high_rcode_bits << 24U | std::uint32_t{edns.version} << 16U |
      (edns.dnssec_ok ? 1U << 15U : 0U));
  Encoder options;
  for (const EdnsOption& option : edns.options) {
    if (padding_block > 0 && option.code == kOptionPadding) continue;
    options.u16(option.code);
    options.length_and_bytes(option.data);
  }
  if (padding_block > 0) {
    const std::size_t unpadded = size() + 2 + options.size() + kOptionHeader;
    const std::size_t wanted = (unpadded + padding_block - 1) / padding_block * padding_block;
    // At the upper end of what DNS can carry the block stays incomplete.
    const std::size_t total = std::max(unpadded, std::min(wanted, kMaxDnsMessage));
    options.u16(kOptionPadding);
    options.length_and_bytes(Bytes(total - unpadded));
  }
  length_and_bytes(options.take());
}

std::uint16_t header_flags(const DnsMessage& message) {
  const auto bit = [](bool set, unsigned index) { return (set ? 1U : 0U) << index; };
  return static_cast<std::uint16_t>(
      bit(message.response, 15) | (message.opcode & 0xfU) << 11U | bit(message.authoritative, 10) |
      bit(message.truncated, 9) | bit(message.recursion_desired, 8) |
      bit(message.recursion_available, 7) | bit(message.authentic_data, 5) |
      bit(message.checking_disabled, 4) | (std::to_underlying(message.rcode) & 0xfU));
}

}  // namespace

Bytes encode_dns_message(const DnsMessage& message, std::size_t padding_block) {
  const unsigned high_rcode_bits = std::to_underlying(message.rcode) >> 4U;
  if (high_rcode_bits > 0 && !message.edns) {
    throw base::LabError(std::format("RCODE {} needs EDNS", std::to_underlying(message.rcode)));
  }
  Encoder encoder;
  encoder.u16(message.id);
  encoder.u16(header_flags(message));
  const auto count = [&encoder](std::size_t size) {
    if (size > 0xffff) throw base::LabError("more than 65535 records in a DNS message");
    encoder.u16(static_cast<std::uint16_t>(size));
  };
  count(message.questions.size());
  count(message.answers.size());
  count(message.authorities.size());
  count(message.additionals.size() + (message.edns ? 1 : 0));
  for (const DnsQuestion& question : message.questions) {
    encoder.name(question.name);
    encoder.u16(std::to_underlying(question.type));
    encoder.u16(question.record_class);
  }
  for (const auto* section : {&message.answers, &message.authorities, &message.additionals}) {
    for (const DnsRecord& record : *section) encoder.record(record);
  }
  if (message.edns) encoder.edns(*message.edns, high_rcode_bits, padding_block);
  if (encoder.size() > kMaxDnsMessage) {
    throw base::LabError(std::format("DNS message of {} bytes", encoder.size()));
  }
  return encoder.take();
}

}  // namespace transport
