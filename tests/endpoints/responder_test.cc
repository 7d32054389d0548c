#include "endpoints/responder.hh"

#include "endpoints/bad_spec.hh"
#include "transport/dns_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace endpoints {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;
using transport::Bytes;
using transport::DnsMessage;
using transport::Rcode;

Zone lab_zone() {
  return Zone({transport::parse_record("a.lab.test 60 A 192.0.2.1").value(),
               transport::parse_record("b.lab.test 30 A 192.0.2.2").value()});
}

DnsMessage query_for(const std::string& question) {
  return transport::make_query(4711, transport::parse_question(question).value());
}

// The answer as a message; its length is beside it because padding and limits are about lengths.
struct Reply {
  DnsMessage message;
  std::size_t length = 0;
  std::uint32_t lifetime = 0;
};

Reply ask(const Responder& responder, const DnsMessage& query,
          Carrier carrier = Carrier::kDatagram) {
  const auto answer = responder.answer(transport::encode_dns_message(query), carrier);
  return {.message = transport::parse_dns_message(answer.value().message).value(),
          .length = answer->message.size(),
          .lifetime = answer->lifetime};
}

TEST(Responder, EchoesTheQuestionAndSetsTheFlagsOfAnAuthority) {
  const Responder responder(lab_zone(), {});
  const DnsMessage query = query_for("a.lab.test A");
  const Reply reply = ask(responder, query);
  EXPECT_EQ(reply.message.id, 4711);
  EXPECT_TRUE(reply.message.response);
  EXPECT_TRUE(reply.message.authoritative);
  EXPECT_TRUE(reply.message.recursion_desired);
  EXPECT_FALSE(reply.message.recursion_available);
  EXPECT_FALSE(reply.message.truncated);
  EXPECT_EQ(reply.message.rcode, Rcode::kNoError);
  EXPECT_EQ(reply.message.questions, query.questions);
  EXPECT_THAT(reply.message.answers, SizeIs(1));
  EXPECT_TRUE(reply.message.edns.has_value());
  EXPECT_EQ(reply.lifetime, 60U);
}

TEST(Responder, AnswersWithoutEdnsWhereTheQueryHadNone) {
  const Responder responder(lab_zone(), {});
  DnsMessage query = query_for("a.lab.test A");
  query.edns.reset();
  EXPECT_FALSE(ask(responder, query).message.edns.has_value());
}

TEST(Responder, RefusesWhatItDoesNotServe) {
  const Responder responder(lab_zone(), {});
  DnsMessage notify = query_for("a.lab.test A");
  notify.opcode = 4;
  DnsMessage future = query_for("a.lab.test A");
  future.edns->version = 1;
  DnsMessage chaos = query_for("a.lab.test A");
  chaos.questions.front().record_class = 3;
  DnsMessage empty = query_for("a.lab.test A");
  empty.questions.clear();
  DnsMessage two = query_for("a.lab.test A");
  two.questions.push_back(two.questions.front());
  const std::vector<std::pair<DnsMessage, Rcode>> rows{
      {notify, Rcode::kNotImp},
      {future, Rcode::kBadVers},
      {chaos, Rcode::kRefused},
      {empty, Rcode::kFormErr},
      {two, Rcode::kFormErr},
      {query_for("example.org A"), Rcode::kRefused},
      {query_for("c.lab.test A"), Rcode::kNxDomain},
  };
  for (const auto& [query, rcode] : rows) {
    SCOPED_TRACE(transport::to_string(rcode));
    const Reply reply = ask(responder, query);
    EXPECT_EQ(reply.message.rcode, rcode);
    EXPECT_THAT(reply.message.answers, IsEmpty());
    EXPECT_EQ(reply.message.authoritative, rcode == Rcode::kNxDomain);
  }
}

TEST(Responder, SaysFormerrToAQueryThatEndsEarlyAndNothingToNoise) {
  const Responder responder(lab_zone(), {});
  Bytes wire = transport::encode_dns_message(query_for("a.lab.test A"));
  wire.resize(wire.size() - 3);
  const auto answer = responder.answer(wire, Carrier::kDatagram);
  EXPECT_EQ(transport::parse_dns_message(answer.value().message).value().rcode, Rcode::kFormErr);
  wire.resize(11);
  EXPECT_FALSE(responder.answer(wire, Carrier::kDatagram).has_value());
  EXPECT_FALSE(responder.answer({}, Carrier::kDatagram).has_value());
  DnsMessage response = query_for("a.lab.test A");
  response.response = true;
  EXPECT_FALSE(
      responder.answer(transport::encode_dns_message(response), Carrier::kDatagram).has_value());
}

TEST(Responder, MakesAnswersAsLongAsAsked) {
  // From the shortest filler through the step where a second string is needed.
  for (std::size_t length = 68; length < 340; ++length) {
    const Responder responder(lab_zone(), {.answer_bytes = length});
    for (const char* question : {"a.lab.test A", "b.lab.test A"})
      ASSERT_EQ(ask(responder, query_for(question), Carrier::kStream).length, length);
  }
  const Responder longest(lab_zone(), {.answer_bytes = transport::kMaxDnsMessage});
  EXPECT_EQ(ask(longest, query_for("a.lab.test A"), Carrier::kStream).length, 65535U);
}

TEST(Responder, LeavesNegativeAnswersAsTheyCome) {
  const Responder responder(lab_zone(), {.answer_bytes = 500});
  EXPECT_LT(ask(responder, query_for("c.lab.test A")).length, 200U);
}

TEST(Responder, SaysWhenAnAnswerCannotHaveItsLength) {
  const std::size_t natural = ask(Responder(lab_zone(), {}), query_for("a.lab.test A")).length;
  EXPECT_NO_THROW(Responder(lab_zone(), {.answer_bytes = natural}));
  EXPECT_THAT([&] { Responder(lab_zone(), {.answer_bytes = natural + 1}); },
              ThrowsMessage<BadSpec>(HasSubstr("the answer to a.lab.test A has")));
  EXPECT_THAT([] { Responder(lab_zone(), {.answer_bytes = 65536}); },
              ThrowsMessage<BadSpec>(HasSubstr("at most 65535")));
}

TEST(Responder, TruncatesBeyondTheSmallerOfBothLimits) {
  struct Row {
    std::size_t answer_bytes;
    std::size_t own_limit;
    std::uint16_t edns_size;  // 0: no EDNS
    bool truncated;
  };
  for (const Row& row :
       {Row{512, 1232, 0, false}, Row{513, 1232, 0, true}, Row{1232, 1232, 1232, false},
        Row{1233, 1232, 4096, true}, Row{1233, 4096, 1232, true}, Row{1400, 4096, 4096, false},
        Row{513, 1232, 100, true}, Row{512, 1232, 100, false}}) {
    SCOPED_TRACE(testing::Message() << row.answer_bytes << " bytes, own " << row.own_limit
                                    << ", theirs " << row.edns_size);
    const Responder responder(lab_zone(),
                              {.answer_bytes = row.answer_bytes, .udp_limit = row.own_limit});
    DnsMessage query = query_for("a.lab.test A");
    query.edns->udp_size = row.edns_size;
    if (row.edns_size == 0) query.edns.reset();
    const Reply reply = ask(responder, query);
    EXPECT_EQ(reply.message.truncated, row.truncated);
    EXPECT_THAT(reply.message.answers, SizeIs(row.truncated ? 0 : 1));
    EXPECT_FALSE(ask(responder, query, Carrier::kStream).message.truncated);
  }
}

TEST(Responder, PadsOnlyEncryptedAnswersToPaddedQueries) {
  DnsMessage padded = query_for("a.lab.test A");
  padded.edns->options.push_back({.code = transport::kOptionPadding, .data = {}});
  const DnsMessage plain = query_for("a.lab.test A");
  const Responder responder(lab_zone(), {});
  EXPECT_EQ(ask(responder, padded, Carrier::kEncrypted).length, 468U);
  const std::size_t natural = ask(responder, plain).length;
  EXPECT_EQ(ask(responder, padded, Carrier::kDatagram).length, natural);
  EXPECT_EQ(ask(responder, padded, Carrier::kStream).length, natural);
  EXPECT_EQ(ask(responder, plain, Carrier::kEncrypted).length, natural);
  const Responder bare(lab_zone(), {.padding = false});
  EXPECT_EQ(ask(bare, padded, Carrier::kEncrypted).length, natural);
}

}  // namespace
}  // namespace endpoints
