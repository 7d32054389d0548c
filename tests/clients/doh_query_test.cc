#include "tests/clients/encrypted_server.hh"
#include "tests/clients/query_fixture.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clients {
namespace {

using captures::Outcome;
using testing::HasSubstr;

class DohQuery : public QueryFixture, public testing::WithParamInterface<Transport> {};

INSTANTIATE_TEST_SUITE_P(Transports, DohQuery, testing::Values(Transport::kDoh2, Transport::kDoh3),
                         name_of);

TEST_P(DohQuery, UsesTheMethodAndPathThatItIsTold) {
  std::vector<transport::HttpRequest> requests;
  {
    const EncryptedServer server(GetParam(), server_settings(GetParam()), {},
                                 [&](const transport::HttpRequest& request) {
                                   requests.push_back(request);
                                   return dns_response(request);
                                 });
    QuerySpec spec = spec_for(GetParam(), server.address());
    expect_answered(runner_.run(spec));
    spec.method = HttpMethod::kPost;
    spec.path = "/other";
    expect_answered(runner_.run(spec));
    EXPECT_EQ(requests.at(0).authority,
              "dns.lab.test:" + std::to_string(port_of(server.address())));
  }
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].method, "GET");
  EXPECT_EQ(requests[0].path, "/dns-query");
  EXPECT_EQ(requests[1].method, "POST");
  EXPECT_EQ(requests[1].path, "/other");
  EXPECT_EQ(requests[1].body.size(), 128U);
}

TEST_P(DohQuery, ReportsTheServersStatus) {
  const EncryptedServer server(
      GetParam(), server_settings(GetParam()), {}, [](const transport::HttpRequest&) {
        return transport::HttpResponse{
            .status = 404, .content_type = "text/plain", .cache_control = "", .body = {'n', 'o'}};
      });
  const auto record = runner_.run(spec_for(GetParam(), server.address()));
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_EQ(record.error, "HTTP status 404");
  EXPECT_EQ(record.http_status, 404);
}

TEST_P(DohQuery, RefusesAnotherContentType) {
  const EncryptedServer server(GetParam(), server_settings(GetParam()), {},
                               [](const transport::HttpRequest& request) {
                                 auto response = dns_response(request);
                                 response.content_type = "text/html";
                                 return response;
                               });
  const auto record = runner_.run(spec_for(GetParam(), server.address()));
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_THAT(record.error.value_or(""), HasSubstr("text/html"));
  EXPECT_EQ(record.http_status, 200);
}

}  // namespace
}  // namespace clients
