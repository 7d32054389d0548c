// What a query finds: warm connections, tickets, early data, another port.

#include "base/errors.hh"
#include "tests/clients/encrypted_server.hh"
#include "tests/clients/query_fixture.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace clients {
namespace {

using captures::Outcome;
using testing::HasSubstr;
using transport::EarlyData;

class ConnectionTest : public QueryFixture {
 protected:
  static transport::TlsSettings with_tickets(Transport transport,
                                             EarlyData early = EarlyData::kAccept) {
    transport::TlsSettings settings = server_settings(transport);
    settings.session_tickets = 1;
    settings.early_data = early;
    return settings;
  }
  static QuerySpec spec(Transport transport, Connection connection, const SocketAddress& server) {
    QuerySpec spec = spec_for(transport, server);
    spec.connection = connection;
    spec.settle = std::chrono::milliseconds(20);
    return spec;
  }
  // Like expect_answered(), for phases of which some were over before or come in another order.
  static void expect_answer(const captures::QueryRecord& record) {
    ASSERT_EQ(record.outcome, Outcome::kAnswered) << record.error.value_or("");
    EXPECT_EQ(record.rcode, "NOERROR");
    EXPECT_TRUE(record.phases.sent && record.phases.first_byte && record.phases.answer);
    ASSERT_TRUE(record.tls);
    EXPECT_EQ(record.tls->version, "TLSv1.3");
  }
};

using Combination = std::tuple<Transport, Connection>;
class Finds : public ConnectionTest, public testing::WithParamInterface<Combination> {};

std::vector<Combination> possible_combinations() {
  std::vector<Combination> combinations;
  for (const Transport transport : kTransports)
    for (const Connection connection : captures::kConnectionKinds)
      if (is_encrypted(transport) && connection != Connection::kCold &&
          can_find(transport, connection))
        combinations.emplace_back(transport, connection);
  return combinations;
}

INSTANTIATE_TEST_SUITE_P(Queries, Finds, testing::ValuesIn(possible_combinations()),
                         [](const testing::TestParamInfo<Combination>& one) {
                           std::string name(to_string(std::get<0>(one.param)));
                           name += '_';
                           name += captures::to_string(std::get<1>(one.param));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(Finds, WhatWasPrepared) {
  const auto [transport, connection] = GetParam();
  const EncryptedServer server(transport, with_tickets(transport));
  const QuerySpec query = spec(transport, connection, server.address());
  const auto before = runner_.prepare(query);
  expect_answer(before);
  EXPECT_TRUE(before.phases.handshake);
  EXPECT_FALSE(before.early_data.attempted);

  const auto record = runner_.run(query);
  expect_answer(record);
  EXPECT_EQ(record.settings.connection, captures::to_string(connection));
  const bool open = captures::is_open(connection);
  EXPECT_EQ(record.phases.handshake.has_value(), !open);
  EXPECT_EQ(record.keylog.empty(), open);
  EXPECT_EQ(record.flows == before.flows, connection == Connection::kWarm);
  const bool early = connection == Connection::kEarlyData;
  EXPECT_EQ(record.early_data.attempted, early);
  EXPECT_EQ(record.early_data.accepted, early);
  // Nothing is left over for another one.
  EXPECT_THROW(runner_.run(query), base::LabError);
}

class Encrypted : public ConnectionTest, public testing::WithParamInterface<Transport> {};

INSTANTIATE_TEST_SUITE_P(Transports, Encrypted,
                         testing::Values(Transport::kDot, Transport::kDoh2, Transport::kDoh3,
                                         Transport::kDoq),
                         name_of);

TEST_P(Encrypted, SendsItsQueryAgainWhereEarlyDataIsRefused) {
  const EncryptedServer server(GetParam(), with_tickets(GetParam(), EarlyData::kReject));
  const QuerySpec query = spec(GetParam(), Connection::kEarlyData, server.address());
  expect_answer(runner_.prepare(query));
  const auto record = runner_.run(query);
  expect_answer(record);
  EXPECT_TRUE(record.early_data.attempted);
  EXPECT_FALSE(record.early_data.accepted);
  EXPECT_LT(record.phases.sent, record.phases.handshake);
}

TEST_P(Encrypted, AsksAfterTheHandshakeWhereTicketsAllowNoEarlyData) {
  const EncryptedServer server(GetParam(), with_tickets(GetParam(), EarlyData::kNone));
  const QuerySpec query = spec(GetParam(), Connection::kEarlyData, server.address());
  expect_answer(runner_.prepare(query));
  const auto record = runner_.run(query);
  expect_answer(record);
  EXPECT_FALSE(record.early_data.attempted);
  EXPECT_GE(record.phases.sent, record.phases.handshake);
}

TEST_P(Encrypted, CannotResumeWithoutATicket) {
  const EncryptedServer server(GetParam(), server_settings(GetParam()));
  const auto before = runner_.prepare(spec(GetParam(), Connection::kResumed, server.address()));
  EXPECT_EQ(before.outcome, Outcome::kFailed);
  EXPECT_FALSE(before.time);
  EXPECT_THAT(before.error.value_or(""), HasSubstr("no session ticket"));
}

TEST_P(Encrypted, FailsToPrepareWhereNobodyListens) {
  QuerySpec query = spec(GetParam(), Connection::kWarm, *parse_address("127.0.0.1", 1));
  query.timeout = std::chrono::seconds(2);
  const auto before = runner_.prepare(query);
  EXPECT_NE(before.outcome, Outcome::kAnswered);
  EXPECT_THROW(runner_.run(query), base::LabError);
}

// Answers once and hangs up at the second query.
class OneAnswer final : public Conversation {
 public:
  std::optional<transport::Bytes> receive(transport::ByteSpan bytes) override {
    if (std::exchange(answered_, true)) return std::nullopt;
    return inner_->receive(bytes);
  }

 private:
  std::unique_ptr<Conversation> inner_ = make_framed_conversation(framed_answer);
  bool answered_ = false;
};

TEST_F(ConnectionTest, AServerThatHangsUpFailsTheQuery) {
  const TcpServer server([] { return std::make_unique<OneAnswer>(); });
  const QuerySpec query = spec(Transport::kDo53Tcp, Connection::kWarm, server.address());
  EXPECT_EQ(runner_.prepare(query).outcome, Outcome::kAnswered);
  const auto record = runner_.run(query);
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_THAT(record.error.value_or(""), HasSubstr("closed the connection"));
}

TEST_F(ConnectionTest, PortsFollowEachOther) {
  const EncryptedServer server(Transport::kDoq, with_tickets(Transport::kDoq));
  QuerySpec query = spec(Transport::kDoq, Connection::kResumed, server.address());
  query.local_port = 46'123;
  const auto before = runner_.prepare(query);
  const auto record = runner_.run(query);
  EXPECT_EQ(before.flows.front().local_port, 46'123);
  EXPECT_EQ(record.flows.front().local_port, 46'124);
  query.connection = Connection::kMigrated;
  query.local_port = 46'133;
  EXPECT_EQ(runner_.prepare(query).flows.front().local_port, 46'133);
  EXPECT_EQ(runner_.run(query).flows.front().local_port, 46'134);
}

TEST(CanFind, FollowsFromTheTransport) {
  for (const Connection connection : captures::kConnectionKinds) {
    EXPECT_EQ(can_find(Transport::kDo53, connection), connection == Connection::kCold);
    EXPECT_EQ(can_find(Transport::kDo53Tcp, connection),
              connection == Connection::kCold || connection == Connection::kWarm);
    EXPECT_EQ(can_find(Transport::kDot, connection), !captures::moves(connection));
    EXPECT_TRUE(can_find(Transport::kDoq, connection));
    EXPECT_EQ(captures::parse_connection_kind(captures::to_string(connection)), connection);
  }
  EXPECT_FALSE(captures::parse_connection_kind("tepid"));
}

}  // namespace
}  // namespace clients
