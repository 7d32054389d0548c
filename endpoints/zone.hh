#pragma once

// Static zone data and what it answers (RFC 1034 section 4.3.2, negative answers RFC 2308), without
// wildcards and delegations.

#include "transport/dns_message.hh"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace endpoints {

struct ZoneAnswer {
  transport::Rcode rcode = transport::Rcode::kNoError;
  std::vector<transport::DnsRecord> answers;
  // The zone's SOA where there is no answer.
  std::vector<transport::DnsRecord> authorities;
};

// A CNAME chain is followed this far.
inline constexpr std::size_t kMostCnames = 8;

class Zone {
 public:
  // Each SOA record makes a zone. Records outside of those are one more zone, whose apex is what
  // their names have in common (the parent's name for a single name) and whose SOA record is made
  // up.
  explicit Zone(std::vector<transport::DnsRecord> records);

  // Answers keep the order in which the records were given, and the question's spelling of its
  // name. REFUSED outside the zones.
  ZoneAnswer find(const transport::DnsQuestion& question) const;

  const std::vector<transport::DnsRecord>& records() const { return records_; }
  // One for each zone, those that were made up included.
  const std::vector<transport::DnsRecord>& soas() const { return soas_; }

 private:
  const transport::DnsRecord* soa_above(const std::string& name) const;
  bool exists(const std::string& name) const;
  std::vector<transport::DnsRecord> matching(const transport::DnsQuestion& question) const;
  const transport::DnsRecord* cname_at(const std::string& name) const;

  std::vector<transport::DnsRecord> records_;
  std::vector<transport::DnsRecord> soas_;
};

}  // namespace endpoints
