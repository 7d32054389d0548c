#include "tests/clients/encrypted_server.hh"
#include "tests/clients/query_fixture.hh"
#include "transport/dns_framing.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clients {
namespace {

using captures::Outcome;
using testing::HasSubstr;
using transport::Bytes;
using transport::ByteSpan;
using transport::DnsMessage;

class QuicQuery : public QueryFixture, public testing::WithParamInterface<Transport> {};

INSTANTIATE_TEST_SUITE_P(Transports, QuicQuery, testing::Values(Transport::kDoq, Transport::kDoh3),
                         name_of);

TEST_P(QuicQuery, CountsARetry) {
  const EncryptedServer server(GetParam(), server_settings(GetParam()), {}, dns_response,
                               transport::RetryPolicy::kAlways);
  const auto record = runner_.run(spec_for(GetParam(), server.address()));
  expect_answered(record);
  EXPECT_EQ(record.retries, 1U);
}

struct DoqBreach {
  std::string name;
  std::string complaint;
  DoqScript script;
};

class DoqQuery : public QueryFixture, public testing::WithParamInterface<DoqBreach> {};

TEST_P(DoqQuery, InsistsOnTheProtocol) {
  const EncryptedServer server(Transport::kDoq, server_settings(Transport::kDoq),
                               GetParam().script);
  QuerySpec spec = spec_for(Transport::kDoq, server.address());
  if (GetParam().name == "no_fin") spec.timeout = std::chrono::seconds(2);
  const auto record = runner_.run(spec);
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_THAT(record.error.value_or(""), HasSubstr(GetParam().complaint));
  EXPECT_TRUE(record.phases.sent);
}

Bytes twice(const Bytes& bytes) {
  Bytes both = bytes;
  transport::append(both, bytes);
  return both;
}

INSTANTIATE_TEST_SUITE_P(
    Breaches, DoqQuery,
    testing::Values(
        DoqBreach{"id", "answer has ID 7",
                  [](ByteSpan query) {
                    return DoqReply{.bytes = transport::frame_message(answer_to(
                                        query, [](DnsMessage& answer) { answer.id = 7; }))};
                  }},
        DoqBreach{
            "no_fin", "stream was not ended",
            [](ByteSpan query) { return DoqReply{.bytes = framed_answer(query), .fin = false}; }},
        DoqBreach{"two_answers", "bytes follow the answer",
                  [](ByteSpan query) { return DoqReply{.bytes = twice(framed_answer(query))}; }},
        DoqBreach{"no_prefix", "ended inside the answer",
                  [](ByteSpan query) {
                    Bytes framed = framed_answer(query);
                    framed.pop_back();
                    return DoqReply{.bytes = framed};
                  }},
        DoqBreach{"nothing", "ended inside the answer", [](ByteSpan) { return DoqReply{}; }},
        DoqBreach{"reset", "reset the stream with code 0x5",
                  [](ByteSpan) { return DoqReply{.reset = 5}; }}),
    [](const testing::TestParamInfo<DoqBreach>& breach) { return breach.param.name; });

}  // namespace
}  // namespace clients
