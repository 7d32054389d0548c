#include "clients/dns_query.hh"

#include "base/clock.hh"
#include "transport/dns_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace clients {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using transport::DnsMessage;
using transport::RecordType;

QuerySpec spec_for(Transport transport, Padding padding = Padding::kRfc8467) {
  QuerySpec spec;
  spec.transport = transport;
  spec.question = {.name = "a.lab.test", .type = RecordType::kA};
  spec.padding = padding;
  return spec;
}

DnsMessage answer_to(const DnsQuery& query) {
  DnsMessage answer = transport::make_response(*transport::parse_dns_message(query.wire),
                                               transport::Rcode::kNoError);
  answer.answers.push_back(*transport::parse_record("a.lab.test 60 A 192.0.2.1"));
  return answer;
}

TEST(DnsQuery, HasTheIdThatItsTransportWants) {
  for (const Transport transport : {Transport::kDoq, Transport::kDoh2, Transport::kDoh3})
    EXPECT_EQ(make_dns_query(spec_for(transport)).id, 0) << to_string(transport);
  // Random elsewhere: twenty zeros in a row would be a one in 2^320 event.
  bool any = false;
  for (int draw = 0; draw < 20; ++draw) any |= make_dns_query(spec_for(Transport::kDot)).id != 0;
  EXPECT_TRUE(any);
}

TEST(DnsQuery, IsPaddedWhereNobodyCanReadIt) {
  for (const Transport transport : kTransports) {
    const bool encrypted = is_encrypted(transport);
    EXPECT_EQ(make_dns_query(spec_for(transport)).wire.size() == 128, encrypted)
        << to_string(transport);
    EXPECT_LT(make_dns_query(spec_for(transport, Padding::kNone)).wire.size(), 60U);
  }
}

TEST(DnsQuery, AsksOneQuestionWithEdns) {
  const auto sent = transport::parse_dns_message(make_dns_query(spec_for(Transport::kDot)).wire);
  ASSERT_TRUE(sent) << sent.error();
  EXPECT_TRUE(sent->recursion_desired);
  EXPECT_FALSE(sent->response);
  ASSERT_EQ(sent->questions.size(), 1U);
  EXPECT_EQ(sent->questions[0].name, "a.lab.test");
  ASSERT_TRUE(sent->edns);
  EXPECT_EQ(sent->edns->udp_size, 1232);
}

TEST(CheckAnswer, TakesTheAnswer) {
  const DnsQuery query = make_dns_query(spec_for(Transport::kDot));
  const transport::Bytes wire = transport::encode_dns_message(answer_to(query));
  const auto answer = check_answer(query, wire);
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->rcode, "NOERROR");
  EXPECT_EQ(answer->facts.bytes, wire.size());
  EXPECT_THAT(answer->facts.records, ElementsAre("a.lab.test. 60 IN A 192.0.2.1"));
}

TEST(CheckAnswer, ComparesNamesAsDnsDoes) {
  const DnsQuery query = make_dns_query(spec_for(Transport::kDot));
  DnsMessage message = answer_to(query);
  message.questions[0].name = "A.LAB.test";
  EXPECT_TRUE(check_answer(query, transport::encode_dns_message(message)));
}

TEST(CheckAnswer, TakesNegativeAnswersOfEveryKind) {
  const DnsQuery query = make_dns_query(spec_for(Transport::kDot));
  for (const auto rcode : {transport::Rcode::kNoError, transport::Rcode::kNxDomain,
                           transport::Rcode::kServFail, transport::Rcode::kRefused}) {
    DnsMessage message = answer_to(query);
    message.answers.clear();
    message.rcode = rcode;
    const auto answer = check_answer(query, transport::encode_dns_message(message));
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer->rcode, transport::to_string(rcode));
    EXPECT_TRUE(answer->facts.records.empty());
  }
}

TEST(CheckAnswer, TakesAnAliasForAnyType) {
  const DnsQuery query = make_dns_query(spec_for(Transport::kDot));
  DnsMessage message = answer_to(query);
  message.answers = {*transport::parse_record("a.lab.test 60 CNAME b.lab.test")};
  EXPECT_TRUE(check_answer(query, transport::encode_dns_message(message)));
}

struct WrongAnswer {
  std::string complaint;
  std::function<void(DnsMessage&)> spoil;
};

class RefusesAnswer : public testing::TestWithParam<WrongAnswer> {};

TEST_P(RefusesAnswer, SayingWhy) {
  const DnsQuery query = make_dns_query(spec_for(Transport::kDot));
  DnsMessage message = answer_to(query);
  GetParam().spoil(message);
  const auto answer = check_answer(query, transport::encode_dns_message(message));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error(), HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, RefusesAnswer,
    testing::Values(
        WrongAnswer{"answer has ID", [](DnsMessage& message) { message.id ^= 1U; }},
        WrongAnswer{"a query came back", [](DnsMessage& message) { message.response = false; }},
        WrongAnswer{"does not repeat the question",
                    [](DnsMessage& message) { message.questions[0].name = "b.lab.test"; }},
        WrongAnswer{"does not repeat the question (FORMERR)",
                    [](DnsMessage& message) {
                      message.questions.clear();
                      message.rcode = transport::Rcode::kFormErr;
                    }},
        WrongAnswer{"does not repeat the question",
                    [](DnsMessage& message) { message.questions[0].type = RecordType::kAaaa; }},
        WrongAnswer{"truncated (TC) although dot",
                    [](DnsMessage& message) { message.truncated = true; }},
        WrongAnswer{"none of type A", [](DnsMessage& message) {
                      message.answers = {*transport::parse_record("a.lab.test 60 TXT x")};
                    }}));

TEST(CheckAnswer, RefusesGarbage) {
  const DnsQuery query = make_dns_query(spec_for(Transport::kDot));
  transport::Bytes wire = transport::encode_dns_message(answer_to(query));
  wire.pop_back();
  EXPECT_THAT(check_answer(query, wire).error(), HasSubstr("malformed answer"));
  EXPECT_FALSE(check_answer(query, {}));
}

TEST(CheckAnswer, LetsUdpAnswersBeTruncated) {
  const DnsQuery query = make_dns_query(spec_for(Transport::kDo53));
  DnsMessage message = answer_to(query);
  message.truncated = true;
  const auto answer = check_answer(query, transport::encode_dns_message(message));
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_TRUE(answer->truncated);
}

TEST(ClaimsToAnswer, LooksAtIdAndDirectionOnly) {
  const DnsQuery query = make_dns_query(spec_for(Transport::kDo53));
  DnsMessage message = answer_to(query);
  EXPECT_TRUE(claims_to_answer(query, transport::encode_dns_message(message)));
  EXPECT_FALSE(claims_to_answer(query, query.wire));
  message.id ^= 0x100U;
  EXPECT_FALSE(claims_to_answer(query, transport::encode_dns_message(message)));
  EXPECT_FALSE(claims_to_answer(query, transport::Bytes(11)));
}

}  // namespace
}  // namespace clients
