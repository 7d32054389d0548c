#include "clients/text_report.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clients {
namespace {

using captures::Outcome;
using captures::QueryRecord;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

QueryRecord answered_over_dot() {
  QueryRecord record;
  record.transport = "dot";
  record.outcome = Outcome::kAnswered;
  record.time = microseconds(120250);
  record.phases = {.connect = milliseconds(40),
                   .handshake = milliseconds(80),
                   .sent = milliseconds(80),
                   .first_byte = microseconds(120200),
                   .answer = microseconds(120250)};
  record.rcode = "NOERROR";
  record.group = "X25519";
  record.tls =
      captures::TlsFacts{.version = "TLSv1.3", .cipher = "TLS_AES_128_GCM_SHA256", .alpn = "dot"};
  record.answer = captures::AnswerFacts{.bytes = 55, .records = {"a.lab.test. 60 IN A 192.0.2.1"}};
  record.flows = {{.protocol = "tcp",
                   .local_address = "192.0.2.9",
                   .local_port = 4000,
                   .remote_address = "192.0.2.53",
                   .remote_port = 853}};
  return record;
}

TEST(DescribeQuery, TellsTheAnswerAndHowItCameAbout) {
  EXPECT_EQ(describe_query(answered_over_dot()),
            "a.lab.test. 60 IN A 192.0.2.1\n"
            "\n"
            "NOERROR from 192.0.2.53 over dot, port 853: 55 bytes in 120.250 ms\n"
            "     40.000 ms     +40.000 ms  TCP connection open\n"
            "     80.000 ms     +40.000 ms  TLS handshake complete: TLSv1.3, "
            "TLS_AES_128_GCM_SHA256, key exchange X25519, ALPN dot\n"
            "     80.000 ms      +0.000 ms  request handed to the network\n"
            "    120.200 ms     +40.200 ms  first byte of the answer\n"
            "    120.250 ms      +0.050 ms  answer complete and checked\n");
}

TEST(DescribeQuery, NamesWhatIsOutOfTheOrdinary) {
  QueryRecord record = answered_over_dot();
  record.retries = 1;
  record.ignored_datagrams = 2;
  record.fallback = "tcp";
  record.flows[0].remote_address = "2001:db8::53";
  const std::string text = describe_query(record);
  EXPECT_THAT(text, HasSubstr("[2001:db8::53]"));
  EXPECT_THAT(text, HasSubstr("QUIC Retry: 1"));
  EXPECT_THAT(text, HasSubstr("ignored 2 datagrams"));
  EXPECT_THAT(text, HasSubstr("then tcp"));
}

TEST(DescribeQuery, SaysWhyThereIsNoAnswer) {
  QueryRecord record;
  record.transport = "doq";
  record.outcome = Outcome::kFailed;
  record.error = "HTTP status 404";
  record.http_status = 404;
  EXPECT_THAT(describe_query(record), HasSubstr("failed: HTTP status 404; doq"));
  record.outcome = Outcome::kNoAnswer;
  record.error.reset();
  EXPECT_THAT(describe_query(record), HasSubstr("no answer from doq"));
  EXPECT_THAT(describe_query(record), Not(HasSubstr("ms")));
}

TEST(Summarise, CountsLostAnswersAsSlowest) {
  std::vector<QueryRecord> records(4);
  for (QueryRecord& record : records) record.outcome = Outcome::kNoAnswer;
  EXPECT_EQ(summarise(records), "0 of 4 answered\n");
  records[0].time = milliseconds(30);
  EXPECT_EQ(summarise(records),
            "1 of 4 answered: fastest 30.000 ms, median no answer, slowest 30.000 ms\n");
  records[3].time = milliseconds(10);
  EXPECT_EQ(summarise(records),
            "2 of 4 answered: fastest 10.000 ms, median 30.000 ms, slowest 30.000 ms\n");
}

TEST(DescribeBriefly, FitsALine) {
  EXPECT_EQ(describe_briefly(answered_over_dot(), 3), "    3     120.250 ms  NOERROR\n");
}

}  // namespace
}  // namespace clients
