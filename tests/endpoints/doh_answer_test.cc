#include "endpoints/doh_answer.hh"

#include "transport/base64url.hh"
#include "transport/dns_text.hh"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace endpoints {
namespace {

using transport::HttpRequest;

const Responder& lab_responder() {
  static const Responder responder(
      Zone({transport::parse_record("a.lab.test 60 A 192.0.2.1").value()}), {});
  return responder;
}

transport::Bytes query_bytes(const std::string& question) {
  return transport::encode_dns_message(
      transport::make_query(0, transport::parse_question(question).value()));
}

HttpRequest get(const std::string& query) {
  HttpRequest request;
  request.method = "GET";
  request.path = "/dns-query";
  request.query = query;
  return request;
}

HttpRequest post(transport::Bytes body, const std::string& type = "application/dns-message") {
  HttpRequest request;
  request.method = "POST";
  request.path = "/dns-query";
  request.content_type = type;
  request.body = std::move(body);
  return request;
}

TEST(DohAnswer, IsTheSameForGetAndPost) {
  const transport::Bytes query = query_bytes("a.lab.test A");
  for (const char* before : {"", "ct=x&"}) {
    const auto answer = answer_http(get(before + ("dns=" + transport::base64url_encode(query))),
                                    "/dns-query", lab_responder());
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.content_type, "application/dns-message");
    EXPECT_EQ(answer.cache_control, "max-age=60");
    EXPECT_EQ(answer.body, answer_http(post(query), "/dns-query", lab_responder()).body);
    EXPECT_EQ(transport::parse_dns_message(answer.body).value().answers.size(), 1U);
  }
}

TEST(DohAnswer, CarriesErrorsOfDnsWithStatus200) {
  const auto answer = answer_http(post(query_bytes("b.lab.test A")), "/dns-query", lab_responder());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(transport::parse_dns_message(answer.body).value().rcode, transport::Rcode::kNxDomain);
}

TEST(DohAnswer, RefusesWithTheStatusThatFits) {
  HttpRequest elsewhere = get("dns=AAAA");
  elsewhere.path = "/";
  HttpRequest put = get("dns=AAAA");
  put.method = "PUT";
  const std::vector<std::pair<HttpRequest, int>> rows{
      {elsewhere, 404},
      {put, 405},
      {get(""), 400},
      {get("dns="), 400},
      {get("dns=*"), 400},
      {get("dns=AAAA="), 400},
      {get("xdns=AAAA"), 400},
      {post({}), 400},
      {post({1, 2, 3}, "text/plain"), 415},
      {post(transport::Bytes(65536)), 413},
  };
  for (const auto& [request, status] : rows) {
    SCOPED_TRACE(request.method + " " + request.path + "?" + request.query);
    const auto answer = answer_http(request, "/dns-query", lab_responder());
    EXPECT_EQ(answer.status, status);
    EXPECT_TRUE(answer.body.empty());
  }
}

}  // namespace
}  // namespace endpoints
