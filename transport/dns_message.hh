#pragma once

// DNS messages as values (RFC 1035; EDNS: RFC 6891; padding: RFC 7830 and RFC 8467), and their wire
// form both ways.
//
// Names are text in presentation form (RFC 1035 section 5.1, escapes \. \\ \DDD) without the final
// dot; the root is ".". Case is kept as it came; same_name() compares as DNS does.

#include "transport/bytes.hh"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transport {

// Any 16-bit value is a type; the named ones have a text form of their own (dns_text.hh).
enum class RecordType : std::uint16_t {
  kA = 1,
  kNs = 2,
  kCname = 5,
  kSoa = 6,
  kPtr = 12,
  kMx = 15,
  kTxt = 16,
  kAaaa = 28,
  kOpt = 41,
  kAny = 255,
};

inline constexpr std::uint16_t kClassIn = 1;

enum class Rcode : std::uint16_t {
  kNoError = 0,
  kFormErr = 1,
  kServFail = 2,
  kNxDomain = 3,
  kNotImp = 4,
  kRefused = 5,
  kBadVers = 16,
};

inline constexpr std::size_t kMaxDnsMessage = 65535;
// What a UDP answer may carry without EDNS (RFC 1035 section 4.2.1), and the size that this lab
// advertises with it.
inline constexpr std::uint16_t kPlainUdpLimit = 512;
inline constexpr std::uint16_t kDefaultEdnsUdpSize = 1232;
// RFC 8467 section 4.1: block lengths of queries and of answers.
inline constexpr std::size_t kQueryPaddingBlock = 128;
inline constexpr std::size_t kResponsePaddingBlock = 468;

inline constexpr std::uint16_t kOptionTcpKeepalive = 11;  // RFC 7828
inline constexpr std::uint16_t kOptionPadding = 12;       // RFC 7830

struct DnsQuestion {
  std::string name;
  RecordType type = RecordType::kA;
  std::uint16_t record_class = kClassIn;
  bool operator==(const DnsQuestion&) const = default;
};

struct DnsRecord {
  std::string name;
  RecordType type = RecordType::kA;
  std::uint16_t record_class = kClassIn;
  std::uint32_t ttl = 0;  // seconds
  // Wire form; names in it (NS, CNAME, SOA, PTR, MX) are uncompressed.
  Bytes rdata;
  bool operator==(const DnsRecord&) const = default;
};

struct EdnsOption {
  std::uint16_t code = 0;
  Bytes data;
  bool operator==(const EdnsOption&) const = default;
};

// The OPT record (RFC 6891 section 6.1).
struct Edns {
  std::uint16_t udp_size = kDefaultEdnsUdpSize;
  std::uint8_t version = 0;
  bool dnssec_ok = false;
  std::vector<EdnsOption> options;
  bool operator==(const Edns&) const = default;

  bool has_option(std::uint16_t code) const;
};

struct DnsMessage {
  std::uint16_t id = 0;
  bool response = false;
  std::uint8_t opcode = 0;
  bool authoritative = false;
  bool truncated = false;
  bool recursion_desired = false;
  bool recursion_available = false;
  bool authentic_data = false;
  bool checking_disabled = false;
  // All twelve bits of it: header and OPT record together.
  Rcode rcode = Rcode::kNoError;
  std::vector<DnsQuestion> questions;
  std::vector<DnsRecord> answers;
  std::vector<DnsRecord> authorities;
  // Without the OPT record, which is `edns`.
  std::vector<DnsRecord> additionals;
  std::optional<Edns> edns;
  bool operator==(const DnsMessage&) const = default;
};

// Every byte must be accounted for: trailing bytes are an error, as are compression loops and
// forward pointers, names over 255 bytes, a second OPT record and counts that the message cannot
// hold. The error says what is wrong and at which byte.
std::expected<DnsMessage, std::string> parse_dns_message(ByteSpan wire);

// Header, question and nothing else of a message that parse_dns_message() may refuse; for a FORMERR
// answer. nullopt where not even a 12-byte header of a query is there.
std::optional<DnsMessage> salvage_dns_header(ByteSpan wire);

// Compresses owner names. With `padding_block` > 0 and EDNS in the message, a padding option makes
// the length a multiple of it (never beyond kMaxDnsMessage). Throws LabError for a name that is
// none, a longer message than DNS has, or an Rcode over 15 without EDNS.
Bytes encode_dns_message(const DnsMessage& message, std::size_t padding_block = 0);

// A query with one question, RD set and EDNS: what labquery sends.
DnsMessage make_query(std::uint16_t id, const DnsQuestion& question,
                      std::uint16_t edns_udp_size = kDefaultEdnsUdpSize);
// An answer's frame: ID, opcode, RD and question of the query, QR set, EDNS if and only if the
// query had it.
DnsMessage make_response(const DnsMessage& query, Rcode rcode);

bool is_domain_name(std::string_view text);
bool same_name(std::string_view left, std::string_view right);
// Whether `name` is `zone` or below it; everything is below the root.
bool is_within(std::string_view name, std::string_view zone);
// Uncompressed wire form. Throws LabError where is_domain_name() does not hold.
Bytes encode_name(std::string_view name);

}  // namespace transport
