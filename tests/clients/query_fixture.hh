#pragma once

// Runs queries against scripted servers.

#include "base/clock.hh"
#include "captures/query_record.hh"
#include "clients/query_runner.hh"
#include "clients/query_spec.hh"
#include "tests/transport/identity.hh"
#include "transport/tls_context.hh"

#include <gtest/gtest.h>

#include <string_view>

namespace clients {

class QueryFixture : public testing::Test {
 protected:
  static const transport::Identity& identity() {
    static const transport::Identity kIdentity = transport::make_identity(0);
    return kIdentity;
  }
  static transport::TlsSettings server_settings(Transport transport) {
    const std::string_view alpn = transport == Transport::kDoh2   ? transport::kAlpnHttp2
                                  : transport == Transport::kDoh3 ? transport::kAlpnHttp3
                                  : transport == Transport::kDoq  ? transport::kAlpnDoq
                                                                  : transport::kAlpnDot;
    const auto carrier =
        runs_over_quic(transport) ? transport::TlsCarrier::kQuic : transport::TlsCarrier::kStream;
    return transport::server_tls(identity(), carrier, alpn);
  }

  static QuerySpec spec_for(Transport transport, const SocketAddress& server) {
    QuerySpec spec;
    spec.transport = transport;
    spec.server = server;
    spec.server_name = transport::kServerName;
    spec.question = {.name = "a.lab.test", .type = transport::RecordType::kA};
    spec.trust = Trust::kUnchecked;
    // Long enough for a sanitizer's build on a busy machine.
    spec.timeout = std::chrono::seconds(20);
    return spec;
  }

  // Phases in the order in which they must have happened; those in `missing` have not.
  static void expect_answered(const captures::QueryRecord& record) {
    EXPECT_EQ(record.outcome, captures::Outcome::kAnswered) << record.error.value_or("");
    EXPECT_EQ(record.rcode, "NOERROR");
    ASSERT_TRUE(record.answer);
    EXPECT_EQ(record.answer->records.size(), 1U);
    EXPECT_EQ(record.time, record.phases.answer);
    base::Nanoseconds before{0};
    const captures::Phases& phases = record.phases;
    for (const auto& phase :
         {phases.connect, phases.handshake, phases.sent, phases.first_byte, phases.answer}) {
      EXPECT_GE(phase.value_or(before), before);
      before = phase.value_or(before);
    }
    EXPECT_TRUE(phases.sent && phases.first_byte && phases.answer);
  }

  base::SystemClock clock_;
  QueryRunner runner_{clock_, KeepKeys::kYes};
};

}  // namespace clients
