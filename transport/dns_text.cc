#include "transport/dns_text.hh"

#include "transport/dns_name.hh"
#include "transport/wire_reader.hh"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <format>
#include <utility>

namespace transport {
namespace {

constexpr std::array<std::pair<RecordType, std::string_view>, 10> kTypeNames = {{
    {RecordType::kA, "A"},
    {RecordType::kNs, "NS"},
    {RecordType::kCname, "CNAME"},
    {RecordType::kSoa, "SOA"},
    {RecordType::kPtr, "PTR"},
    {RecordType::kMx, "MX"},
    {RecordType::kTxt, "TXT"},
    {RecordType::kAaaa, "AAAA"},
    {RecordType::kOpt, "OPT"},
    {RecordType::kAny, "ANY"},
}};

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& character : result) {
    if (character >= 'a' && character <= 'z') character = static_cast<char>(character - 'a' + 'A');
  }
  return result;
}

// Names in text end with a dot, as zone files want absolute ones.
std::string absolute(const std::string& name) {
  return name == "." ? name : name + ".";
}

std::string address_text(int family, ByteSpan rdata) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(family, rdata.data(), text.data(), text.size());
}

// Character-strings (RFC 1035 section 3.3), each in quotes, so that spaces and empty ones show.
std::string quoted_text(WireReader& reader) {
  std::string text;
  while (reader.left() > 0) {
    if (!text.empty()) text += ' ';
    text += '"';
    for (const std::uint8_t byte : reader.read_bytes(reader.read_u8())) {
      if (byte < 0x20 || byte >= 0x7f) {
        text += std::format("\\{:03}", byte);
        continue;
      }
      if (byte == '"' || byte == '\\') text += '\\';
      text += static_cast<char>(byte);
    }
    text += '"';
  }
  return text;
}

// MNAME RNAME SERIAL REFRESH RETRY EXPIRE MINIMUM (RFC 1035 section 3.3.13).
std::string soa_text(WireReader& reader) {
  std::string text = absolute(reader.read_name().text);
  text += ' ' + absolute(reader.read_name().text);
  for (int field = 0; field < 5; ++field) text += std::format(" {}", reader.read_u32());
  return text;
}

// Empty for a type without a form of its own and for data that cannot be of its type.
std::string own_form(RecordType type, WireReader& reader) {
  switch (type) {
    case RecordType::kA:
      if (reader.left() != 4) break;
      return address_text(AF_INET, reader.read_bytes(4));
    case RecordType::kAaaa:
      if (reader.left() != 16) break;
      return address_text(AF_INET6, reader.read_bytes(16));
    case RecordType::kNs:
    case RecordType::kCname:
    case RecordType::kPtr:
      return absolute(reader.read_name().text);
    case RecordType::kMx: {
      const std::uint16_t preference = reader.read_u16();
      return std::format("{} {}", preference, absolute(reader.read_name().text));
    }
    case RecordType::kTxt:
      return quoted_text(reader);
    case RecordType::kSoa:
      return soa_text(reader);
    default:
      break;
  }
  return {};
}

}  // namespace

std::string to_string(RecordType type) {
  for (const auto& [known, name] : kTypeNames) {
    if (known == type) return std::string(name);
  }
  return std::format("TYPE{}", std::to_underlying(type));
}

std::optional<RecordType> parse_record_type(std::string_view text) {
  const std::string wanted = upper(text);
  for (const auto& [type, name] : kTypeNames) {
    if (name == wanted) return type;
  }
  // RFC 3597 section 5.
  if (!wanted.starts_with("TYPE")) return std::nullopt;
  std::uint16_t number = 0;
  const char* const end = wanted.data() + wanted.size();
  const auto [stopped, error] = std::from_chars(wanted.data() + 4, end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return static_cast<RecordType>(number);
}

std::string to_string(Rcode rcode) {
  switch (rcode) {
    case Rcode::kNoError:
      return "NOERROR";
    case Rcode::kFormErr:
      return "FORMERR";
    case Rcode::kServFail:
      return "SERVFAIL";
    case Rcode::kNxDomain:
      return "NXDOMAIN";
    case Rcode::kNotImp:
      return "NOTIMP";
    case Rcode::kRefused:
      return "REFUSED";
    case Rcode::kBadVers:
      return "BADVERS";
  }
  return std::format("RCODE{}", std::to_underlying(rcode));
}

std::string rdata_text(const DnsRecord& record) {
  WireReader reader(record.rdata);
  std::string text = own_form(record.type, reader);
  if (!text.empty() && !reader.failed() && reader.left() == 0) return text;
  std::string unknown = std::format("\\# {}", record.rdata.size());
  if (!record.rdata.empty()) unknown += ' ';
  for (const std::uint8_t byte : record.rdata) unknown += std::format("{:02x}", byte);
  return unknown;
}

std::string to_string(const DnsRecord& record) {
  const std::string record_class = record.record_class == kClassIn
                                       ? std::string("IN")
                                       : std::format("CLASS{}", record.record_class);
  return std::format("{} {} {} {} {}", absolute(record.name), record.ttl, record_class,
                     to_string(record.type), rdata_text(record));
}

std::expected<DnsQuestion, std::string> parse_question(std::string_view text) {
  const std::size_t space = text.find(' ');
  DnsQuestion question{.name = std::string(text.substr(0, space))};
  if (!is_domain_name(question.name)) {
    return std::unexpected(std::format("'{}' is not a domain name", question.name));
  }
  if (question.name.size() > 1 && question.name.ends_with('.') && !question.name.ends_with("\\.")) {
    question.name.pop_back();
  }
  if (space == std::string_view::npos) return question;
  const std::string_view type_text = text.substr(space + 1);
  const std::optional<RecordType> type = parse_record_type(type_text);
  if (!type) return std::unexpected(std::format("'{}' is not a record type", type_text));
  question.type = *type;
  return question;
}

}  // namespace transport
