#include "endpoints/zone.hh"

#include "base/errors.hh"
#include "transport/dns_text.hh"

#include <algorithm>
#include <cstdlib>
#include <format>
#include <iterator>
#include <ranges>
#include <string_view>
#include <utility>

namespace endpoints {
namespace {

using transport::DnsQuestion;
using transport::DnsRecord;
using transport::is_within;
using transport::Rcode;
using transport::RecordType;
using transport::same_name;

constexpr std::uint16_t kFirstMetaType = 128;  // RFC 6895 section 3.1: 128 to 255 ask for no data
constexpr std::size_t kSoaMinimumBytes = 4;    // MINIMUM is SOA's last field

// "b.c" of "a.b.c", "." of "c". Escaped dots do not separate labels.
std::string parent(const std::string& name) {
  for (std::size_t at = 0; at + 1 < name.size(); ++at) {
    if (name[at] == '\\')
      ++at;
    else if (name[at] == '.')
      return name.substr(at + 1);
  }
  return ".";
}

std::string common_suffix(const std::vector<std::string>& names) {
  const bool single = std::ranges::all_of(
      names, [&](const std::string& name) { return same_name(name, names.front()); });
  std::string suffix = single ? parent(names.front()) : names.front();
  while (
      !std::ranges::all_of(names, [&](const std::string& name) { return is_within(name, suffix); }))
    suffix = parent(suffix);
  return suffix;
}

DnsRecord make_soa(const std::string& apex) {
  const std::string below = apex == "." ? "" : "." + apex;
  const auto soa = transport::parse_record(
      std::format("{0} 60 SOA ns{1} hostmaster{1} 1 3600 600 86400 60", apex, below));
  LABRUN_ASSERT(soa.has_value());
  return *soa;
}

// Text forms of rdata end names with a dot, names as values do not.
std::string target_of(const DnsRecord& cname) {
  std::string target = transport::rdata_text(cname);
  if (target.size() > 1) target.pop_back();
  return target;
}

// RFC 2308 section 3: what says "no" lives as long as the smaller of the SOA's TTL and its MINIMUM.
DnsRecord negative_soa(DnsRecord soa) {
  std::uint32_t minimum = 0;
  for (const std::uint8_t byte : soa.rdata | std::views::drop(soa.rdata.size() - kSoaMinimumBytes))
    minimum = minimum << 8U | byte;
  soa.ttl = std::min(soa.ttl, minimum);
  return soa;
}

}  // namespace

Zone::Zone(std::vector<DnsRecord> records) : records_(std::move(records)) {
  std::ranges::copy_if(records_, std::back_inserter(soas_), [](const DnsRecord& record) {
    return record.type == RecordType::kSoa && record.rdata.size() >= kSoaMinimumBytes;
  });
  std::vector<std::string> outside;
  for (const DnsRecord& record : records_)
    if (!soa_above(record.name)) outside.push_back(record.name);
  if (!outside.empty()) soas_.push_back(make_soa(common_suffix(outside)));
}

const DnsRecord* Zone::soa_above(const std::string& name) const {
  const DnsRecord* closest = nullptr;
  for (const DnsRecord& soa : soas_)
    if (is_within(name, soa.name) && (!closest || is_within(soa.name, closest->name)))
      closest = &soa;
  return closest;
}

bool Zone::exists(const std::string& name) const {
  // A name with something below it exists, though it has no records (RFC 4592 section 2.2.2).
  const auto below = [&](const DnsRecord& record) { return is_within(record.name, name); };
  return std::ranges::any_of(records_, below) || std::ranges::any_of(soas_, below);
}

std::vector<DnsRecord> Zone::matching(const DnsQuestion& question) const {
  std::vector<DnsRecord> found;
  for (const DnsRecord& record : records_)
    if (same_name(record.name, question.name) &&
        (record.type == question.type || (question.type == RecordType::kAny && found.empty()))) {
      found.push_back(record);
      found.back().name = question.name;
    }
  const DnsRecord* soa = soa_above(question.name);
  if (found.empty() && question.type == RecordType::kSoa && same_name(soa->name, question.name))
    found.push_back(*soa);
  return found;
}

const DnsRecord* Zone::cname_at(const std::string& name) const {
  const auto found = std::ranges::find_if(records_, [&](const DnsRecord& record) {
    return record.type == RecordType::kCname && same_name(record.name, name);
  });
  return found == records_.end() ? nullptr : &*found;
}

ZoneAnswer Zone::find(const DnsQuestion& question) const {
  ZoneAnswer answer;
  const auto type = std::to_underlying(question.type);
  if (type >= kFirstMetaType && type < 256 && question.type != RecordType::kAny)
    return {.rcode = Rcode::kNotImp, .answers = {}, .authorities = {}};
  DnsQuestion wanted = question;
  while (const DnsRecord* soa = soa_above(wanted.name)) {
    const std::vector<DnsRecord> found = matching(wanted);
    answer.answers.insert(answer.answers.end(), found.begin(), found.end());
    if (!found.empty()) return answer;
    const DnsRecord* cname = cname_at(wanted.name);
    if (!cname) {
      if (!exists(wanted.name)) answer.rcode = Rcode::kNxDomain;
      answer.authorities.push_back(negative_soa(*soa));
      return answer;
    }
    if (answer.answers.size() == kMostCnames) {
      return {.rcode = Rcode::kServFail, .answers = {}, .authorities = {}};
    }
    answer.answers.push_back(*cname);
    answer.answers.back().name = wanted.name;
    wanted.name = target_of(*cname);
  }
  // Out of our zones: with a CNAME that leads there the asker goes on by itself.
  if (answer.answers.empty()) answer.rcode = Rcode::kRefused;
  return answer;
}

}  // namespace endpoints
