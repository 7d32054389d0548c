#pragma once

// Presentation form of DNS data: what people write in zone files and read in answers (RFC 1035
// section 5.1, RFC 3597 for what has no form of its own).

#include "transport/dns_message.hh"

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace transport {

// "AAAA", or "TYPE65" for a type without a name here; both are read, in either case.
std::string to_string(RecordType type);
std::optional<RecordType> parse_record_type(std::string_view text);

// "NOERROR", "NXDOMAIN", "RCODE23".
std::string to_string(Rcode rcode);

// A AAAA TXT CNAME NS SOA PTR MX in their own form, others (and malformed ones) as "\# 3 0a0b0c".
std::string rdata_text(const DnsRecord& record);
// "a.lab.test. 60 IN A 192.0.2.1"
std::string to_string(const DnsRecord& record);

// One zone-file line, the class being optional: "a.lab.test 60 A 192.0.2.1", "t.lab.test 5 IN TXT
// \"two words\" more". Types are those above and RFC 3597's "\# LENGTH HEX" for any. The error
// says what is wrong.
std::expected<DnsRecord, std::string> parse_record(std::string_view line);
// "a.lab.test A"; the type is A where none is given.
std::expected<DnsQuestion, std::string> parse_question(std::string_view text);

}  // namespace transport
