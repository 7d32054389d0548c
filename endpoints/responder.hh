#pragma once

// From a query's bytes to the answer's, whatever carried them. Answers depend on the query and the
// settings alone.

#include "endpoints/zone.hh"
#include "transport/bytes.hh"
#include "transport/dns_message.hh"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace endpoints {

// What carries queries and answers, as far as answers depend on it.
enum class Carrier {
  kDatagram,   // bounded size
  kStream,     // TCP: 65535 bytes
  kEncrypted,  // the same, and sizes are worth hiding
};

struct AnswerSettings {
  // Length of each positive answer before padding, in bytes; 0 leaves answers as they come, as does
  // what cannot be met when the query has no EDNS.
  std::size_t answer_bytes = 0;
  // Our own bound for answers over UDP; the query's EDNS size, or 512 without, is another.
  std::size_t udp_limit = transport::kDefaultEdnsUdpSize;
  // Blocks of 468 bytes where the query carried a padding option over an encrypted carrier (RFC
  // 8467 section 4.1).
  bool padding = true;
};

struct Answer {
  transport::Bytes message;
  // How long a cache may keep it (RFC 8484 section 5.1), in seconds.
  std::uint32_t lifetime = 0;
};

class Responder {
 public:
  // Throws BadSpec where the answer about a record, to a query with EDNS, cannot be made
  // settings.answer_bytes long.
  Responder(Zone zone, const AnswerSettings& settings);

  // nullopt where silence is the answer: less than a header, or no query at all.
  std::optional<Answer> answer(transport::ByteSpan query, Carrier carrier) const;

 private:
  transport::DnsMessage compose(const transport::DnsMessage& query) const;
  // False, and nothing changed, where the answer is too long or too close to the length for a
  // record to fit in between.
  bool fill(transport::DnsMessage& response) const;
  void check_answer_bytes() const;

  Zone zone_;
  AnswerSettings settings_;
};

}  // namespace endpoints
