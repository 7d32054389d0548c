// Zone-file lines to records (RFC 1035 section 5.1).

#include "transport/dns_name.hh"
#include "transport/dns_text.hh"
#include "transport/wire_reader.hh"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <format>

namespace transport {
namespace {

// Leaves parse_record() as the text of its error.
struct Malformed {
  std::string problem;
};

template <typename... Arguments>
[[noreturn]] void refuse(std::format_string<Arguments...> text, Arguments&&... arguments) {
  throw Malformed{std::format(text, std::forward<Arguments>(arguments)...)};
}

// Words of the line; quotes hold a word with spaces together and are taken off, escapes stay.
std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  bool in_quotes = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char character = line[at];
    const bool is_space = character == ' ' || character == '\t';
    if (is_space && !in_quotes) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (character == '"') {
      in_quotes = !in_quotes;
      continue;
    }
    words.back() += character;
    if (character == '\\' && at + 1 < line.size()) words.back() += line[++at];
  }
  if (in_quotes) refuse("quotes are not closed");
  return words;
}

template <typename Number>
Number parse_number(std::string_view text, std::string_view what) {
  Number number = 0;
  const char* const start = text.data();
  const char* const end = start + text.size();
  const auto [stopped, error] = std::from_chars(start, end, number);
  if (error != std::errc() || stopped != end) refuse("'{}' is not a {}", text, what);
  return number;
}

// Big-endian, as everything in DNS.
void append_number(Bytes& to, std::uint32_t value, unsigned bytes) {
  while (bytes-- > 0) to.push_back(static_cast<std::uint8_t>(value >> (8 * bytes)));
}

void append_name(Bytes& to, std::string_view text) {
  const std::optional<Bytes> wire = name_to_wire(text);
  if (!wire) refuse("'{}' is not a domain name", text);
  append(to, *wire);
}

using Words = std::span<const std::string>;

void expect_words(Words words, std::size_t count, RecordType type) {
  if (words.size() != count) {
    refuse("{} takes {} field{}, not {}", to_string(type), count, count == 1 ? "" : "s",
           words.size());
  }
}

void append_address(Bytes& to, int family, const std::string& text, RecordType type) {
  std::array<std::uint8_t, 16> address{};
  if (::inet_pton(family, text.c_str(), address.data()) != 1) {
    refuse("'{}' is not an address of type {}", text, to_string(type));
  }
  append(to, ByteSpan(address).first(family == AF_INET ? 4 : 16));
}

void append_string(Bytes& to, std::string_view text) {
  Bytes bytes;
  while (!text.empty()) {
    const std::optional<std::uint8_t> byte = take_character(text);
    if (!byte) refuse("malformed escape in a text");
    bytes.push_back(*byte);
  }
  if (bytes.size() > 255) refuse("text of {} bytes; one string holds 255", bytes.size());
  to.push_back(static_cast<std::uint8_t>(bytes.size()));
  append(to, bytes);
}

// RFC 3597 section 5: "\# LENGTH HEX ...".
Bytes parse_unknown(Words words) {
  if (words.size() < 2) refuse("\\# needs a length");
  const auto length = parse_number<std::uint16_t>(words[1], "length");
  std::string digits;
  for (const std::string& word : words.subspan(2)) digits += word;
  if (digits.size() != std::size_t{length} * 2) {
    refuse("{} hexadecimal digits for {} bytes", digits.size(), length);
  }
  Bytes rdata;
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    std::uint8_t byte = 0;
    const char* const end = digits.data() + at + 2;
    const auto [stopped, error] = std::from_chars(digits.data() + at, end, byte, 16);
    if (error != std::errc() || stopped != end) refuse("'{}' is not hexadecimal", digits);
    rdata.push_back(byte);
  }
  return rdata;
}

Bytes parse_rdata(RecordType type, Words words) {
  if (!words.empty() && words[0] == "\\#") return parse_unknown(words);
  Bytes rdata;
  switch (type) {
    case RecordType::kA:
    case RecordType::kAaaa:
      expect_words(words, 1, type);
      append_address(rdata, type == RecordType::kA ? AF_INET : AF_INET6, words[0], type);
      break;
    case RecordType::kNs:
    case RecordType::kCname:
    case RecordType::kPtr:
      expect_words(words, 1, type);
      append_name(rdata, words[0]);
      break;
    case RecordType::kMx:
      expect_words(words, 2, type);
      append_number(rdata, parse_number<std::uint16_t>(words[0], "preference"), 2);
      append_name(rdata, words[1]);
      break;
    case RecordType::kSoa:
      expect_words(words, 7, type);
      append_name(rdata, words[0]);
      append_name(rdata, words[1]);
      for (const std::string& word : words.subspan(2)) {
        append_number(rdata, parse_number<std::uint32_t>(word, "number of an SOA record"), 4);
      }
      break;
    case RecordType::kTxt:
      if (words.empty()) refuse("TXT needs a text");
      for (const std::string& word : words) append_string(rdata, word);
      break;
    default:
      refuse("data of type {} is written as \\# LENGTH HEX", to_string(type));
  }
  return rdata;
}

// Owner, TTL, optional class, type, data. TTL is not optional: nothing in a lab should have a
// default that nobody sees.
DnsRecord parse_words(Words words) {
  if (words.size() < 3) refuse("a record is: NAME TTL [IN] TYPE DATA");
  DnsRecord record;
  Bytes owner;
  append_name(owner, words[0]);
  // By way of the wire form, so that the text is the one that every parsed message has.
  record.name = WireReader(owner).read_name().text;
  record.ttl = parse_number<std::uint32_t>(words[1], "TTL in seconds");
  words = words.subspan(2);
  if (words[0] == "IN" || words[0] == "in") words = words.subspan(1);
  if (words.empty()) refuse("the record's type is missing");
  const std::optional<RecordType> type = parse_record_type(words[0]);
  if (!type) refuse("'{}' is not a record type", words[0]);
  record.type = *type;
  record.rdata = parse_rdata(*type, words.subspan(1));
  if (record.rdata.size() > 0xffff) refuse("data of more than 65535 bytes");
  return record;
}

}  // namespace

std::expected<DnsRecord, std::string> parse_record(std::string_view line) {
  try {
    return parse_words(split_words(line));
  } catch (const Malformed& malformed) {
    return std::unexpected(malformed.problem);
  }
}

}  // namespace transport
