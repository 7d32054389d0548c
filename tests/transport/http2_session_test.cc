#include "transport/http2_session.hh"

#include "base/file_descriptor.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace transport {
namespace {

using base::as_byte_span;
using testing::HasSubstr;

class Client final : public HttpClientEvents {
 public:
  void on_response_started(HttpStreamId) override { ++started; }
  void on_response(HttpStreamId stream, const HttpResponse& response) override {
    responses.emplace_back(stream, response);
  }
  void on_request_failed(HttpStreamId stream, std::string_view reason) override {
    failures.emplace_back(stream, reason);
  }
  int started = 0;
  std::vector<std::pair<HttpStreamId, HttpResponse>> responses;
  std::vector<std::pair<HttpStreamId, std::string>> failures;
};

class Server final : public HttpServerEvents {
 public:
  void on_request(HttpStreamId stream, const HttpRequest& request) override {
    requests.push_back(request);
    answer(stream);
  }
  std::vector<HttpRequest> requests;
  std::function<void(HttpStreamId)> answer = [](HttpStreamId) {};
};

class Http2SessionTest : public testing::Test {
 protected:
  void exchange() {
    for (int round = 0; round < 10; ++round) {
      server.receive(client.take_output());
      client.receive(server.take_output());
    }
  }
  Client client_events;
  Server server_events;
  Http2Session client{client_events};
  Http2Session server{server_events};
};

TEST_F(Http2SessionTest, RequestDoesNotWaitForSettings) {
  const Bytes query = {1, 2, 3, 4};
  const HttpStreamId id =
      client.submit(make_doh_request("GET", "dns.lab.test", "/dns-query", query));
  server_events.answer = [this](HttpStreamId stream) {
    server.respond(stream, {.status = 200,
                            .content_type = std::string(kDnsMediaType),
                            .cache_control = "max-age=60",
                            .body = {9, 9}});
  };
  // One piece each way: preface, SETTINGS and request; SETTINGS and response.
  server.receive(client.take_output());
  ASSERT_EQ(server_events.requests.size(), 1U);
  EXPECT_EQ(server_events.requests[0].method, "GET");
  EXPECT_EQ(server_events.requests[0].path, "/dns-query");
  EXPECT_EQ(server_events.requests[0].query, "dns=AQIDBA");
  EXPECT_EQ(server_events.requests[0].authority, "dns.lab.test");
  EXPECT_EQ(server_events.requests[0].accept, kDnsMediaType);
  client.receive(server.take_output());
  ASSERT_EQ(client_events.responses.size(), 1U);
  EXPECT_EQ(client_events.responses[0].first, id);
  const HttpResponse& response = client_events.responses[0].second;
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, kDnsMediaType);
  EXPECT_EQ(response.cache_control, "max-age=60");
  EXPECT_EQ(response.body, (Bytes{9, 9}));
  EXPECT_EQ(client_events.started, 1);
}

TEST_F(Http2SessionTest, PostCarriesTheLargestMessageBothWays) {
  const Bytes largest(kMaxHttpBody, 7);
  client.submit(make_doh_request("POST", "dns.lab.test", "/dns-query", largest));
  server_events.answer = [&](HttpStreamId stream) {
    server.respond(stream,
                   {.status = 200, .content_type = "x", .cache_control = "", .body = largest});
  };
  exchange();
  ASSERT_EQ(server_events.requests.size(), 1U);
  EXPECT_EQ(server_events.requests[0].content_type, kDnsMediaType);
  EXPECT_EQ(server_events.requests[0].body, largest);
  ASSERT_EQ(client_events.responses.size(), 1U);
  EXPECT_EQ(client_events.responses[0].second.body, largest);
}

TEST_F(Http2SessionTest, AnswersMayComeInAnyOrder) {
  std::vector<HttpStreamId> waiting;
  server_events.answer = [&](HttpStreamId stream) { waiting.push_back(stream); };
  const HttpStreamId first = client.submit(make_doh_request("GET", "a", "/1", Bytes{1}));
  const HttpStreamId second = client.submit(make_doh_request("GET", "a", "/2", Bytes{2}));
  exchange();
  ASSERT_EQ(waiting.size(), 2U);
  server.respond(waiting[1], {.status = 404, .content_type = "", .cache_control = "", .body = {}});
  exchange();
  server.respond(waiting[0], {.status = 200, .content_type = "", .cache_control = "", .body = {}});
  exchange();
  ASSERT_EQ(client_events.responses.size(), 2U);
  EXPECT_EQ(client_events.responses[0].first, second);
  EXPECT_EQ(client_events.responses[0].second.status, 404);
  EXPECT_EQ(client_events.responses[1].first, first);
}

TEST_F(Http2SessionTest, PiecesOfAnySizeAreTheSame) {
  client.submit(make_doh_request("POST", "a", "/", Bytes(300, 1)));
  for (const std::uint8_t byte : client.take_output()) server.receive({&byte, 1});
  ASSERT_EQ(server_events.requests.size(), 1U);
  EXPECT_EQ(server_events.requests[0].body, Bytes(300, 1));
}

TEST_F(Http2SessionTest, CloseEndsTheSessionWithoutAnError) {
  client.submit(make_doh_request("GET", "a", "/", Bytes{1}));
  exchange();
  server.close();
  exchange();
  EXPECT_TRUE(server.finished());
  EXPECT_FALSE(client.failure());
  // What a server has announced not to take fails at once.
  client.submit(make_doh_request("GET", "a", "/", Bytes{1}));
  exchange();
  EXPECT_EQ(client_events.failures.size(), 1U);
}

TEST_F(Http2SessionTest, ExceptionOfTheApplicationComesOutOfReceive) {
  server_events.answer = [](HttpStreamId) { throw std::runtime_error("no answer today"); };
  client.submit(make_doh_request("GET", "a", "/", Bytes{1}));
  const Bytes request = client.take_output();
  EXPECT_THROW(server.receive(request), std::runtime_error);
}

TEST_F(Http2SessionTest, GarbageIsAFailure) {
  server.receive(as_byte_span("GET / HTTP/1.1\r\nHost: dns.lab.test\r\n\r\n"));
  EXPECT_TRUE(server.failure());
  client.receive(as_byte_span("HTTP/1.1 400 Bad Request\r\n\r\n"));
  ASSERT_TRUE(client.failure());
  EXPECT_THAT(*client.failure(), HasSubstr("HTTP/2"));
  // A GOAWAY tells the peer.
  EXPECT_FALSE(client.take_output().empty());
}

}  // namespace
}  // namespace transport
