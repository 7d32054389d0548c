#include "transport/http3_session.hh"

#include "tests/transport/quic_network.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transport {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

// Forwards QUIC's events to HTTP/3, as labquery and labdns do.
template <typename Base>
class Forwarding : public Base {
 public:
  void on_handshake_completed() override { http->on_handshake_completed(); }
  void on_stream_data(StreamId stream, ByteSpan bytes, bool fin) override {
    http->on_stream_data(stream, bytes, fin);
  }
  void on_stream_reset(StreamId stream, std::uint64_t code) override {
    http->on_stream_reset(stream, code);
  }
  void on_stop_sending(StreamId stream, std::uint64_t code) override {
    http->on_stop_sending(stream, code);
  }
  void on_stream_closed(StreamId stream) override { http->on_stream_closed(stream); }
  void on_streams_available() override { http->on_streams_available(); }
  void on_closed(const QuicClose& reason) override { close = reason; }

  std::optional<Http3Session> http;
  std::optional<QuicClose> close;
};

class Client final : public Forwarding<QuicEvents>, public HttpClientEvents {
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

class Server final : public Forwarding<QuicSession>, public HttpServerEvents {
 public:
  explicit Server(std::vector<HttpRequest>& requests) : requests_(requests) {}
  void attach(QuicConnection& attached) override {
    connection = &attached;
    http.emplace(attached, static_cast<HttpServerEvents&>(*this));
  }
  void on_request(HttpStreamId stream, const HttpRequest& request) override {
    requests_.push_back(request);
    if (request.path == "/reset") return connection->reset_stream(stream, 0x102);
    // The body comes back, so that tests know that all of it arrived.
    http->respond(stream, {.status = request.path == "/dns-query" ? 200 : 404,
                           .content_type = std::string(kDnsMediaType),
                           .cache_control = "max-age=60",
                           .body = request.body});
  }
  QuicConnection* connection = nullptr;

 private:
  std::vector<HttpRequest>& requests_;
};

class Http3SessionTest : public testing::Test {
 protected:
  void connect() {
    network.connect(client_tls(identity, TlsCarrier::kQuic, kAlpnHttp3, "X25519"), {}, client);
    client.http.emplace(*network.client, static_cast<HttpClientEvents&>(client));
  }
  bool run_until_answered(std::size_t count) {
    return network.run_until(
        [&] { return client.responses.size() + client.failures.size() >= count || client.close; },
        seconds(10));
  }

  Identity identity = make_identity(2000);
  std::vector<HttpRequest> requests;
  Server* server = nullptr;
  QuicNetwork network{server_tls(identity, TlsCarrier::kQuic, kAlpnHttp3), {}, [this] {
                        auto session = std::make_unique<Server>(requests);
                        server = session.get();
                        return session;
                      }};
  Client client;
};

TEST_F(Http3SessionTest, ColdRequestTakesTwoRoundTrips) {
  connect();
  const HttpStreamId id =
      client.http->submit(make_doh_request("GET", "dns.lab.test", "/dns-query", Bytes{1, 2, 3, 4}));
  ASSERT_TRUE(run_until_answered(1));
  EXPECT_EQ(network.elapsed(), 2 * kRtt);
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].method, "GET");
  EXPECT_EQ(requests[0].path, "/dns-query");
  EXPECT_EQ(requests[0].query, "dns=AQIDBA");
  EXPECT_EQ(requests[0].authority, "dns.lab.test");
  EXPECT_EQ(requests[0].accept, kDnsMediaType);
  ASSERT_EQ(client.responses.size(), 1U);
  EXPECT_EQ(client.responses[0].first, id);
  EXPECT_EQ(client.responses[0].second.status, 200);
  EXPECT_EQ(client.responses[0].second.content_type, kDnsMediaType);
  EXPECT_EQ(client.responses[0].second.cache_control, "max-age=60");
  EXPECT_EQ(client.started, 1);
}

TEST_F(Http3SessionTest, PostCarriesTheLargestMessageBothWays) {
  connect();
  const Bytes largest(kMaxHttpBody, 7);
  client.http->submit(make_doh_request("POST", "dns.lab.test", "/dns-query", largest));
  ASSERT_TRUE(run_until_answered(1));
  EXPECT_EQ(requests.at(0).content_type, kDnsMediaType);
  EXPECT_EQ(requests.at(0).body, largest);
  EXPECT_EQ(client.responses.at(0).second.body, largest);
}

TEST_F(Http3SessionTest, RequestsBeyondTheStreamLimitWait) {
  connect();
  constexpr std::size_t kRequests = 250;
  for (std::size_t i = 0; i < kRequests; ++i) {
    client.http->submit(
        make_doh_request("POST", "a", "/dns-query", Bytes{static_cast<std::uint8_t>(i)}));
  }
  ASSERT_TRUE(run_until_answered(kRequests));
  ASSERT_EQ(client.responses.size(), kRequests);
  for (const auto& [id, response] : client.responses) {
    EXPECT_EQ(response.body, Bytes{static_cast<std::uint8_t>(id / 4)});
  }
}

TEST_F(Http3SessionTest, ResetFailsTheRequestAlone) {
  connect();
  client.http->submit(make_doh_request("GET", "a", "/reset", Bytes{1}));
  client.http->submit(make_doh_request("GET", "a", "/else", Bytes{1}));
  ASSERT_TRUE(run_until_answered(2));
  ASSERT_EQ(client.failures.size(), 1U);
  EXPECT_THAT(client.failures[0].second, HasSubstr("reset by peer: 0x102"));
  ASSERT_EQ(client.responses.size(), 1U);
  EXPECT_EQ(client.responses[0].second.status, 404);
}

TEST_F(Http3SessionTest, CloseSaysNoError) {
  connect();
  client.http->submit(make_doh_request("GET", "a", "/dns-query", Bytes{1}));
  ASSERT_TRUE(run_until_answered(1));
  client.http->close();
  network.flush();
  network.run_for(kRtt);
  ASSERT_TRUE(server->close);
  EXPECT_EQ(server->close->code, kHttp3NoError);
  EXPECT_EQ(server->close->cause, QuicClose::Cause::kApplication);
}

TEST_F(Http3SessionTest, BrokenFramesCloseTheConnection) {
  connect();
  ASSERT_TRUE(
      network.run_until([this] { return network.client->handshake_completed(); }, seconds(1)));
  // A DATA frame (RFC 9114 section 7.2.1) may not come first on a request stream.
  const StreamId stream = network.client->open_bidi_stream().value();
  network.client->write(stream, Bytes{0, 1, 42}, true);
  network.flush();
  network.run_for(2 * kRtt);
  ASSERT_TRUE(client.close);
  EXPECT_TRUE(client.close->by_peer);
  EXPECT_EQ(client.close->code, 0x105U);  // H3_FRAME_UNEXPECTED
}

}  // namespace
}  // namespace transport
