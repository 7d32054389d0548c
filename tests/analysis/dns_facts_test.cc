#include "analysis/dns_facts.hh"

#include "transport/dns_message.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using transport::Bytes;

TEST(DnsFacts, SayWhatAMessageAsksAndAnswers) {
  const transport::DnsMessage query = transport::make_query(7, {.name = "a.lab.test"});
  const Bytes wire = encode_dns_message(query, transport::kQueryPaddingBlock);
  const auto asked = read_dns(wire);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->id, 7);
  EXPECT_FALSE(asked->response);
  EXPECT_THAT(asked->questions, ElementsAre("a.lab.test A"));
  EXPECT_THAT(asked->rcode, IsEmpty());
  EXPECT_EQ(asked->bytes, wire.size());
  EXPECT_TRUE(asked->edns);
  EXPECT_GT(asked->padding.value_or(0), 0U);
  transport::DnsMessage answer = make_response(query, transport::Rcode::kRefused);
  answer.truncated = true;
  const auto answered = read_dns(encode_dns_message(answer));
  ASSERT_TRUE(answered);
  EXPECT_TRUE(answered->response && answered->truncated);
  EXPECT_EQ(answered->rcode, "REFUSED");
  EXPECT_FALSE(answered->padding);
}

TEST(DnsFacts, CutMessageIsAnError) {
  const Bytes wire = encode_dns_message(transport::make_query(7, {.name = "a.lab.test"}));
  for (std::size_t size = 0; size < wire.size(); ++size) {
    const auto facts = read_dns(transport::ByteSpan(wire).first(size));
    EXPECT_TRUE(!facts && !facts.error().empty()) << size;
  }
}

TEST(DnsFacts, CarriedMessageThatCannotBeParsedKeepsItsSize) {
  CarriedMessage carried;
  carried.from = End::kServer;
  carried.wire = {1, 2, 3};
  carried.message = std::unexpected("cut short");
  carried.http_status = 200;
  const DnsFacts facts = dns_facts(carried);
  EXPECT_TRUE(facts.response);
  EXPECT_EQ(facts.bytes, 3U);
  EXPECT_EQ(facts.http_status, 200);
  EXPECT_THAT(facts.questions, IsEmpty());
}

}  // namespace
}  // namespace analysis
