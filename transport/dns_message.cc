#include "transport/dns_message.hh"

#include "transport/wire_reader.hh"

#include <algorithm>
#include <format>
#include <utility>

namespace transport {
namespace {

constexpr std::size_t kHeaderLength = 12;

constexpr bool bit(std::uint16_t flags, unsigned index) {
  return (flags >> index & 1U) != 0;
}

struct Counts {
  std::uint16_t questions = 0;
  std::uint16_t answers = 0;
  std::uint16_t authorities = 0;
  std::uint16_t additionals = 0;
};

// RFC 1035 section 4.1.1; AD and CD: RFC 4035 sections 3.1.6 and 3.2.2. Bit 6 is reserved and
// ignored.
Counts read_header(WireReader& reader, DnsMessage& message) {
  message.id = reader.read_u16();
  const std::uint16_t flags = reader.read_u16();
  message.response = bit(flags, 15);
  message.opcode = flags >> 11U & 0xfU;
  message.authoritative = bit(flags, 10);
  message.truncated = bit(flags, 9);
  message.recursion_desired = bit(flags, 8);
  message.recursion_available = bit(flags, 7);
  message.authentic_data = bit(flags, 5);
  message.checking_disabled = bit(flags, 4);
  message.rcode = static_cast<Rcode>(flags & 0xfU);
  Counts counts;
  counts.questions = reader.read_u16();
  counts.answers = reader.read_u16();
  counts.authorities = reader.read_u16();
  counts.additionals = reader.read_u16();
  return counts;
}

DnsQuestion read_question(WireReader& reader) {
  DnsQuestion question;
  question.name = reader.read_name().text;
  question.type = static_cast<RecordType>(reader.read_u16());
  question.record_class = reader.read_u16();
  return question;
}

// Types whose names a sender may compress (RFC 3597 section 4) are stored uncompressed, so that the
// bytes mean something on their own.
Bytes read_rdata(WireReader& reader, RecordType type, std::size_t length) {
  const std::size_t end = reader.at() + length;
  Bytes rdata;
  switch (type) {
    case RecordType::kNs:
    case RecordType::kCname:
    case RecordType::kPtr:
      rdata = reader.read_name().wire;
      break;
    case RecordType::kMx:
      append(rdata, reader.read_bytes(2));
      append(rdata, reader.read_name().wire);
      break;
    case RecordType::kSoa:
      append(rdata, reader.read_name().wire);
      append(rdata, reader.read_name().wire);
      append(rdata, reader.read_bytes(20));
      break;
    default:
      append(rdata, reader.read_bytes(length));
  }
  if (reader.at() != end) reader.fail("record data does not fill its length");
  return rdata;
}

DnsRecord read_record(WireReader& reader) {
  DnsRecord record;
  record.name = reader.read_name().text;
  record.type = static_cast<RecordType>(reader.read_u16());
  record.record_class = reader.read_u16();
  record.ttl = reader.read_u32();
  const std::uint16_t length = reader.read_u16();
  // Checked before the switch on the type, so that no type reads beyond its record's end unnoticed.
  if (length > reader.left()) reader.fail("record data ends early");
  if (!reader.failed()) record.rdata = read_rdata(reader, record.type, length);
  return record;
}

std::vector<DnsRecord> read_records(WireReader& reader, std::size_t count) {
  std::vector<DnsRecord> records;
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
    records.push_back(read_record(reader));
  }
  return records;
}

// The OPT record uses the fields of an ordinary one for other things (RFC 6891 section 6.1.2).
void take_edns(WireReader& reader, const DnsRecord& opt, DnsMessage& message) {
  if (message.edns) return reader.fail("second OPT record");
  if (opt.name != ".") return reader.fail("OPT record is not at the root");
  Edns edns;
  edns.udp_size = opt.record_class;
  edns.version = static_cast<std::uint8_t>(opt.ttl >> 16U);
  edns.dnssec_ok = (opt.ttl >> 15U & 1U) != 0;
  const unsigned high_bits = opt.ttl >> 24U;
  message.rcode = static_cast<Rcode>(high_bits << 4U | std::to_underlying(message.rcode));
  WireReader options(opt.rdata);
  while (options.left() > 0) {
    EdnsOption option;
    option.code = options.read_u16();
    append(option.data, options.read_bytes(options.read_u16()));
    edns.options.push_back(std::move(option));
  }
  if (options.failed()) return reader.fail("OPT record's options end early");
  message.edns = std::move(edns);
}

}  // namespace

bool Edns::has_option(std::uint16_t code) const {
  return std::ranges::contains(options, code, &EdnsOption::code);
}

std::expected<DnsMessage, std::string> parse_dns_message(ByteSpan wire) {
  WireReader reader(wire);
  DnsMessage message;
  const Counts counts = read_header(reader, message);
  for (std::size_t i = 0; i < counts.questions && !reader.failed(); ++i) {
    message.questions.push_back(read_question(reader));
  }
  message.answers = read_records(reader, counts.answers);
  message.authorities = read_records(reader, counts.authorities);
  for (DnsRecord& record : read_records(reader, counts.additionals)) {
    if (record.type == RecordType::kOpt) {
      take_edns(reader, record, message);
    } else {
      message.additionals.push_back(std::move(record));
    }
  }
  // Its fields would be taken for a class and a TTL.
  const auto is_opt = [](const DnsRecord& record) { return record.type == RecordType::kOpt; };
  if (std::ranges::any_of(message.answers, is_opt) ||
      std::ranges::any_of(message.authorities, is_opt)) {
    reader.fail("OPT record outside the additional section");
  }
  if (reader.left() > 0) reader.fail("bytes after the message");
  if (reader.failed()) return std::unexpected(reader.error());
  return message;
}

std::optional<DnsMessage> salvage_dns_header(ByteSpan wire) {
  if (wire.size() < kHeaderLength) return std::nullopt;
  WireReader reader(wire);
  DnsMessage message;
  const Counts counts = read_header(reader, message);
  // Answering an answer would let two servers talk for ever.
  if (message.response) return std::nullopt;
  if (counts.questions == 1) {
    DnsQuestion question = read_question(reader);
    if (!reader.failed()) message.questions.push_back(std::move(question));
  }
  return message;
}

DnsMessage make_query(std::uint16_t id, const DnsQuestion& question, std::uint16_t edns_udp_size) {
  DnsMessage query;
  query.id = id;
  query.recursion_desired = true;
  query.questions = {question};
  query.edns = Edns{.udp_size = edns_udp_size, .options = {}};
  return query;
}

DnsMessage make_response(const DnsMessage& query, Rcode rcode) {
  DnsMessage response;
  response.id = query.id;
  response.response = true;
  response.opcode = query.opcode;
  response.recursion_desired = query.recursion_desired;
  // RFC 6840 section 5.8 would have AD clear; CD is copied (RFC 4035 section 3.1.6).
  response.checking_disabled = query.checking_disabled;
  response.rcode = rcode;
  response.questions = query.questions;
  if (query.edns) response.edns = Edns{};
  return response;
}

}  // namespace transport
