#include "clients/batch.hh"

#include "base/errors.hh"
#include "tests/clients/conversations.hh"
#include "tests/clients/query_fixture.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <format>
#include <string>
#include <vector>

namespace clients {
namespace {

using captures::Outcome;
using captures::QueryRecord;
using testing::HasSubstr;

class Batch : public QueryFixture {
 protected:
  // What the batch writes for `lines`. They fit a pipe, so nobody needs to write and read at once.
  std::string serve(const std::string& lines, bool keylog_inline = false) {
    base::Pipe requests = base::make_pipe();
    base::Pipe records = base::make_pipe();
    base::write_all(requests.write_end, lines);
    requests.write_end.close();
    run_batch(requests.read_end, records.write_end, runner_, keylog_inline);
    records.write_end.close();
    return base::read_some(records.read_end, 1U << 16U).value_or("");
  }

  static std::string request(const SocketAddress& server, std::string_view transport,
                             std::string_view id) {
    return std::format(
        R"({{"id":"{}","cell":"c","transport":"{}","block":1,"index":2,)"
        R"("seed":"18446744073709551615",)"
        R"("server":"127.0.0.1","port":{},"question":{{"name":"a.lab.test","type":"A"}}}})"
        "\n",
        id, transport, port_of(server));
  }
};

std::vector<QueryRecord> parse(const std::string& output) {
  std::vector<QueryRecord> records;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = output.find('\n', begin);
    records.push_back(captures::parse_query_record(output.substr(begin, end - begin)).value());
    begin = end + 1;
  }
  return records;
}

TEST_F(Batch, AnswersEachRequestInOrder) {
  const UdpServer udp([](transport::ByteSpan query) { return Datagrams{answer_to(query)}; });
  const TcpServer tcp([] { return make_framed_conversation(framed_answer); });
  const auto records =
      parse(serve(request(udp.address(), "do53", "a") + request(tcp.address(), "do53+tcp", "b") +
                  request(udp.address(), "do53", "c")));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].id, "a");
  EXPECT_EQ(records[1].id, "b");
  EXPECT_EQ(records[2].id, "c");
  for (const QueryRecord& record : records) {
    expect_answered(record);
    EXPECT_EQ(record.seed, 18446744073709551615U);
    EXPECT_EQ(record.block, 1U);
    EXPECT_EQ(record.index, 2U);
    EXPECT_EQ(record.cell, "c");
  }
  EXPECT_LT(records[0].start, records[1].start);
}

TEST_F(Batch, PutsKeysIntoRecordsOnlyWhenAsked) {
  const transport::TlsContext context(server_settings(Transport::kDot));
  const TcpServer server([&] { return make_dot_conversation(context, framed_answer); });
  const std::string line = request(server.address(), "dot", "a");
  EXPECT_THAT(serve(line, true), HasSubstr("CLIENT_TRAFFIC_SECRET_0"));
  EXPECT_THAT(serve(line, false), testing::Not(HasSubstr("CLIENT_TRAFFIC_SECRET_0")));
}

TEST_F(Batch, EndsWithItsInput) {
  EXPECT_EQ(serve(""), "");
}

TEST_F(Batch, RefusesWhatItCannotRead) {
  EXPECT_THROW(serve("{}\n"), base::LabError);
  EXPECT_THROW(serve("not json\n"), base::LabError);
  EXPECT_THROW(serve("{\"transport\":\"dot\""), base::LabError);  // cut off
}

}  // namespace
}  // namespace clients
