#include "endpoints/zone.hh"

#include "transport/dns_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace endpoints {
namespace {

using transport::Rcode;
using transport::RecordType;

Zone make_zone(const std::vector<std::string>& lines) {
  std::vector<transport::DnsRecord> records;
  for (const std::string& line : lines) records.push_back(transport::parse_record(line).value());
  return Zone(std::move(records));
}

// "NOERROR a.lab.test. 60 IN A 192.0.2.1 | lab.test. 60 IN SOA ...": rcode, answers, authorities.
std::string ask(const Zone& zone, const std::string& question) {
  const ZoneAnswer answer = zone.find(transport::parse_question(question).value());
  std::string text = transport::to_string(answer.rcode);
  for (const auto& record : answer.answers) text += " " + transport::to_string(record);
  for (const auto& record : answer.authorities)
    text += " | " + record.name + " " + std::to_string(record.ttl);
  return text;
}

struct Row {
  std::string question;
  std::string expected;
};

void check(const Zone& zone, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.question);
    EXPECT_EQ(ask(zone, row.question), row.expected);
  }
}

TEST(Zone, OfOneRecordIsItsParentsDomain) {
  check(make_zone({"a.lab.test 60 A 192.0.2.1"}),
        {
            {"a.lab.test A", "NOERROR a.lab.test. 60 IN A 192.0.2.1"},
            {"A.Lab.test A", "NOERROR A.Lab.test. 60 IN A 192.0.2.1"},
            {"a.lab.test AAAA", "NOERROR | lab.test 60"},
            {"b.lab.test A", "NXDOMAIN | lab.test 60"},
            {"x.a.lab.test A", "NXDOMAIN | lab.test 60"},
            {"lab.test A", "NOERROR | lab.test 60"},
            {"lab.test SOA",
             "NOERROR lab.test. 60 IN SOA ns.lab.test. hostmaster.lab.test. 1 3600 600 86400 60"},
            {"test A", "REFUSED"},
            {"other.test A", "REFUSED"},
            {"a.lab.test TYPE252", "NOTIMP"},
        });
}

TEST(Zone, OfSeveralNamesIsWhatTheyHaveInCommon) {
  const Zone zone = make_zone({"a.one.test 5 A 192.0.2.1", "b.c.two.test 7 A 192.0.2.2"});
  check(zone, {
                  {"b.c.two.test A", "NOERROR b.c.two.test. 7 IN A 192.0.2.2"},
                  {"c.two.test A", "NOERROR | test 60"},  // exists: something is below it
                  {"three.test A", "NXDOMAIN | test 60"},
                  {"example A", "REFUSED"},
              });
}

TEST(Zone, FollowsSoaRecordsOfItsOwn) {
  const Zone zone = make_zone({"lab.test 300 SOA ns.lab.test who.lab.test 9 1 1 1 20",
                               "sub.lab.test 300 SOA ns.lab.test who.lab.test 9 1 1 1 900",
                               "a.lab.test 60 A 192.0.2.1", "a.sub.lab.test 60 A 192.0.2.2"});
  check(zone, {
                  {"b.lab.test A", "NXDOMAIN | lab.test 20"},  // the smaller of TTL and MINIMUM
                  {"b.sub.lab.test A", "NXDOMAIN | sub.lab.test 300"},  // the closest zone
                  {"a.sub.lab.test A", "NOERROR a.sub.lab.test. 60 IN A 192.0.2.2"},
                  {"other A", "REFUSED"},
              });
}

TEST(Zone, FollowsAliases) {
  const Zone zone =
      make_zone({"www.lab.test 60 CNAME a.lab.test", "a.lab.test 50 A 192.0.2.1",
                 "a.lab.test 50 A 192.0.2.2", "gone.lab.test 60 CNAME absent.lab.test",
                 "out.lab.test 60 CNAME www.example.org", "loop.lab.test 60 CNAME loop.lab.test"});
  check(
      zone,
      {
          {"www.lab.test A",
           "NOERROR www.lab.test. 60 IN CNAME a.lab.test. a.lab.test. 50 IN A 192.0.2.1 "
           "a.lab.test. 50 IN A 192.0.2.2"},
          {"www.lab.test CNAME", "NOERROR www.lab.test. 60 IN CNAME a.lab.test."},
          {"www.lab.test AAAA", "NOERROR www.lab.test. 60 IN CNAME a.lab.test. | lab.test 60"},
          {"gone.lab.test A", "NXDOMAIN gone.lab.test. 60 IN CNAME absent.lab.test. | lab.test 60"},
          {"out.lab.test A", "NOERROR out.lab.test. 60 IN CNAME www.example.org."},
          {"loop.lab.test A", "SERVFAIL"},
      });
}

TEST(Zone, AnswersAnyWithOneSet) {
  const Zone zone = make_zone({"a.lab.test 60 A 192.0.2.1", "a.lab.test 60 TXT \"one two\" three"});
  check(zone, {{"a.lab.test ANY", "NOERROR a.lab.test. 60 IN A 192.0.2.1"},
               {"a.lab.test TXT", "NOERROR a.lab.test. 60 IN TXT \"one two\" \"three\""}});
}

}  // namespace
}  // namespace endpoints
