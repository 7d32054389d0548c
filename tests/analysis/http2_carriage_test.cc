#include "tests/analysis/conversation.hh"
#include "transport/base64url.hh"
#include "transport/http2_session.hh"
#include "transport/http_fields.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <functional>
#include <memory>
#include <string_view>

namespace analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using transport::Bytes;
using transport::ByteSpan;
using transport::HttpField;

// labquery's and labdns's own HTTP/2, overheard.
class Overheard : public transport::HttpClientEvents, public transport::HttpServerEvents {
 public:
  void on_response(transport::HttpStreamId, const transport::HttpResponse&) override {}
  void on_request_failed(transport::HttpStreamId, std::string_view) override {}
  void on_request(transport::HttpStreamId stream, const transport::HttpRequest& request) override {
    answer(stream, request);
  }
  void exchange() {
    for (int round = 0; round < 10; ++round) {
      for (const End from : {End::kClient, End::kServer}) {
        const bool by_client = from == End::kClient;
        const Bytes bytes = (by_client ? client : server).take_output();
        (by_client ? server : client).receive(bytes);
        if (!bytes.empty()) conversation.push_back({from, 0, bytes, false});
      }
    }
  }
  void ask(std::string_view method, ByteSpan wire) {
    client.submit(transport::make_doh_request(method, "dns.lab.test", "/dns-query", wire));
  }
  void respond(transport::HttpStreamId stream, int status, std::string_view type, Bytes body) {
    server.respond(stream, {.status = status,
                            .content_type = std::string(type),
                            .cache_control = "max-age=60",
                            .body = std::move(body)});
  }

  transport::Http2Session client{static_cast<transport::HttpClientEvents&>(*this)};
  transport::Http2Session server{static_cast<transport::HttpServerEvents&>(*this)};
  std::function<void(transport::HttpStreamId, const transport::HttpRequest&)> answer =
      [this](transport::HttpStreamId stream, const transport::HttpRequest&) {
        respond(stream, 200, transport::kDnsMediaType, answer_wire());
      };
  Conversation conversation;
};

TEST(Http2Carriage, FindsQueriesAndAnswers) {
  Overheard peers;
  peers.ask("GET", query_wire());
  peers.ask("POST", query_wire(7));
  peers.exchange();
  peers.ask("GET", query_wire());
  peers.exchange();
  const Decoded decoded = decode(Carriage::kDoh2, peers.conversation);
  EXPECT_THAT(decoded.problem, IsEmpty());
  ASSERT_EQ(decoded.messages.size(), 6U);
  const CarriedMessage& get = decoded.messages[0];
  EXPECT_EQ(get.from, End::kClient);
  EXPECT_EQ(get.stream, 1U);
  EXPECT_EQ(get.http_method, "GET");
  EXPECT_EQ(get.http_status, std::nullopt);
  EXPECT_EQ(get.wire, query_wire());
  const CarriedMessage& post = decoded.messages[1];
  EXPECT_EQ(post.http_method, "POST");
  EXPECT_EQ(post.message->id, 7);
  // The end of the frames is the body's.
  const Bytes post_bytes = carried_bytes(peers.conversation, post);
  EXPECT_TRUE(std::ranges::equal(ByteSpan(post_bytes).last(post.wire.size()), post.wire));
  const CarriedMessage& answer = decoded.messages[2];
  EXPECT_EQ(answer.from, End::kServer);
  EXPECT_EQ(answer.http_status, 200);
  EXPECT_EQ(answer.http_method, "");
  EXPECT_EQ(answer.wire, answer_wire());
  EXPECT_FALSE(answer.needs_fin);
  const Bytes answer_bytes = carried_bytes(peers.conversation, answer);
  EXPECT_TRUE(std::ranges::equal(ByteSpan(answer_bytes).last(answer.wire.size()), answer.wire));
}

TEST(Http2Carriage, DirectionsMayComeOneAfterTheOther) {
  Overheard peers;
  for (int count = 0; count < 20; ++count) {
    peers.ask(count % 2 == 0 ? "GET" : "POST", query_wire());
    peers.exchange();
  }
  for (const End first : {End::kClient, End::kServer}) {
    const Decoded decoded = decode(Carriage::kDoh2, one_after_the_other(peers.conversation, first));
    EXPECT_THAT(decoded.problem, IsEmpty());
    EXPECT_EQ(decoded.messages.size(), 40U);
  }
}

TEST(Http2Carriage, RefusalIsReportedWithoutAMessage) {
  Overheard peers;
  peers.answer = [&](transport::HttpStreamId stream, const transport::HttpRequest&) {
    peers.respond(stream, 415, "text/plain", {'n', 'o'});
  };
  peers.ask("POST", query_wire());
  // A page of the same server is no DNS.
  peers.client.submit({.method = "GET",
                       .authority = "dns.lab.test",
                       .path = "/",
                       .query = "q=1",
                       .content_type = "",
                       .accept = "text/html",
                       .body = {}});
  peers.exchange();
  const Decoded decoded = decode(Carriage::kDoh2, peers.conversation);
  EXPECT_THAT(decoded.problem, IsEmpty());
  ASSERT_EQ(decoded.messages.size(), 2U);
  const CarriedMessage& refusal = decoded.messages[1];
  EXPECT_EQ(refusal.http_status, 415);
  EXPECT_THAT(refusal.wire, IsEmpty());
  EXPECT_THAT(refusal.message.error(), HasSubstr("HTTP status 415"));
}

// Frames made by hand, headers by nghttp2's encoder.
class Frames {
 public:
  explicit Frames(bool by_client) {
    if (by_client) {
      constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
      bytes.assign(kPreface.begin(), kPreface.end());
    }
    nghttp2_hd_deflater* deflater = nullptr;
    // Tables as large as SETTINGS may allow.
    EXPECT_EQ(nghttp2_hd_deflate_new(&deflater, 65536), 0);
    deflater_.reset(deflater);
    resize_table(4096);
  }
  void resize_table(std::size_t size) {
    EXPECT_EQ(nghttp2_hd_deflate_change_table_size(deflater_.get(), size), 0);
  }
  Frames& add(std::uint8_t type, std::uint8_t flags, std::uint8_t stream, const Bytes& payload) {
    bytes.push_back(static_cast<std::uint8_t>(payload.size() >> 16U));
    bytes.push_back(static_cast<std::uint8_t>(payload.size() >> 8U));
    bytes.push_back(static_cast<std::uint8_t>(payload.size()));
    transport::append(bytes, Bytes{type, flags, 0, 0, 0, stream});
    transport::append(bytes, payload);
    return *this;
  }
  Frames& settings(const Bytes& payload = {}) { return add(NGHTTP2_SETTINGS, 0, 0, payload); }
  Frames& settings_ack() { return add(NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0, {}); }
  Bytes block(const std::vector<HttpField>& fields) {
    auto pairs = transport::borrow_fields<nghttp2_nv>(fields);
    Bytes encoded(nghttp2_hd_deflate_bound(deflater_.get(), pairs.data(), pairs.size()));
    const nghttp2_ssize length = nghttp2_hd_deflate_hd2(deflater_.get(), encoded.data(),
                                                        encoded.size(), pairs.data(), pairs.size());
    EXPECT_GE(length, 0);
    encoded.resize(static_cast<std::size_t>(length));
    return encoded;
  }
  Conversation conversation(End from = End::kClient) const { return {{from, 0, bytes, false}}; }
  Bytes bytes;

 private:
  struct Delete {
    void operator()(nghttp2_hd_deflater* deflater) const { nghttp2_hd_deflate_del(deflater); }
  };
  std::unique_ptr<nghttp2_hd_deflater, Delete> deflater_;
};

constexpr std::uint8_t kEndStream = NGHTTP2_FLAG_END_STREAM;
constexpr std::uint8_t kEndHeaders = NGHTTP2_FLAG_END_HEADERS;
constexpr std::uint8_t kPadded = NGHTTP2_FLAG_PADDED;
constexpr std::uint8_t kPriority = NGHTTP2_FLAG_PRIORITY;

std::vector<HttpField> post_fields() {
  return {{":method", "POST"}, {":path", "/"}, {"content-type", "Application/DNS-message; x=y"}};
}
std::vector<HttpField> answer_fields(std::string status = "200") {
  return {{":status", std::move(status)}, {"content-type", std::string(transport::kDnsMediaType)}};
}
Bytes part(const Bytes& bytes, std::size_t from, std::size_t to) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(from),
          bytes.begin() + static_cast<std::ptrdiff_t>(to)};
}

TEST(Http2Carriage, ReadsPaddingPriorityContinuationAndTrailers) {
  Frames frames(true);
  frames.settings();
  const std::size_t start = frames.bytes.size();
  const Bytes block = frames.block(post_fields());
  Bytes head = {3, 0, 0, 0, 0, 16};  // padding of 3, no dependency, weight 17
  transport::append(head, ByteSpan(block).first(4));
  transport::append(head, Bytes(3, 0));
  frames.add(NGHTTP2_HEADERS, kPadded | kPriority, 1, head);
  frames.add(NGHTTP2_CONTINUATION, 0, 1, {});
  frames.add(NGHTTP2_CONTINUATION, kEndHeaders, 1, part(block, 4, block.size()));
  Bytes body = {5};
  transport::append(body, query_wire());
  transport::append(body, Bytes(5, 0));
  frames.add(NGHTTP2_DATA, kPadded, 1, body);
  frames.add(NGHTTP2_HEADERS, kEndHeaders | kEndStream, 1, frames.block({{"grpc-status", "0"}}));
  const Decoded decoded = decode(Carriage::kDoh2, frames.conversation());
  EXPECT_THAT(decoded.problem, IsEmpty());
  ASSERT_EQ(decoded.messages.size(), 1U);
  EXPECT_EQ(decoded.messages[0].wire, query_wire());
  EXPECT_THAT(decoded.messages[0].ranges,
              ElementsAre(ByteRange{.first = start, .end = frames.bytes.size()}));
}

TEST(Http2Carriage, OtherFramesLieBetweenTheRanges) {
  Frames frames(false);
  frames.settings();
  const std::size_t start = frames.bytes.size();
  frames.add(NGHTTP2_HEADERS, kEndHeaders, 1, frames.block(answer_fields("103")));
  const std::size_t final_start = frames.bytes.size();
  frames.add(NGHTTP2_HEADERS, kEndHeaders, 1, frames.block(answer_fields()));
  const std::size_t gap = frames.bytes.size();
  frames.add(NGHTTP2_HEADERS, kEndHeaders, 3, frames.block(answer_fields()));
  frames.add(NGHTTP2_PING, 0, 0, Bytes(8, 0));
  frames.add(0xbe, 0xff, 1, {1, 2, 3});  // of no type that is known
  const std::size_t gap_end = frames.bytes.size();
  frames.add(NGHTTP2_DATA, 0, 1, answer_wire());
  frames.add(NGHTTP2_DATA, kEndStream, 1, {});
  const std::size_t end = frames.bytes.size();
  frames.add(NGHTTP2_RST_STREAM, 0, 3, {0, 0, 0, 8});
  frames.add(NGHTTP2_DATA, kEndStream, 3, answer_wire());
  frames.add(NGHTTP2_GOAWAY, 0, 0, Bytes(8, 0));
  const Decoded decoded = decode(Carriage::kDoh2, frames.conversation(End::kServer));
  EXPECT_THAT(decoded.problem, IsEmpty());
  // The informational response is no part of it, and stream 3 was reset.
  ASSERT_EQ(decoded.messages.size(), 1U);
  EXPECT_LT(start, final_start);
  EXPECT_THAT(decoded.messages[0].ranges, ElementsAre(ByteRange{.first = final_start, .end = gap},
                                                      ByteRange{.first = gap_end, .end = end}));
  EXPECT_EQ(decoded.messages[0].http_status, 200);
}

TEST(Http2Carriage, HeaderTableFollowsBothEndsSettings) {
  Frames client(true);
  // The client allows the server 65536 bytes at first, then none.
  client.settings({0, NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, 0, 1, 0, 0});
  Frames server(false);
  server.settings();
  server.settings_ack();
  server.resize_table(65536);
  const std::string large(5000, 'x');  // fits in no table of 4096
  const auto answer = [&](std::uint8_t stream) {
    auto fields = answer_fields();
    fields.push_back({"x-large", large});
    const Bytes block = server.block(fields);
    server.add(NGHTTP2_HEADERS, kEndHeaders, stream, block);
    server.add(NGHTTP2_DATA, kEndStream, stream, answer_wire());
    return block.size();
  };
  EXPECT_GT(answer(1), 2000U);
  EXPECT_LT(answer(3), 20U);
  client.settings({0, NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, 0, 0, 0, 0});
  // Still with the old table: the server has yet to hear of it.
  EXPECT_LT(answer(5), 20U);
  server.settings_ack();
  server.resize_table(0);
  EXPECT_GT(answer(7), 2000U);
  Conversation conversation = client.conversation();
  conversation.push_back({End::kServer, 0, server.bytes, false});
  const Decoded decoded = decode(Carriage::kDoh2, conversation);
  EXPECT_THAT(decoded.problem, IsEmpty());
  EXPECT_EQ(decoded.messages.size(), 4U);
  // Without the client's leave the same is an error.
  EXPECT_THAT(decode(Carriage::kDoh2, server.conversation(End::kServer)).problem,
              HasSubstr("server: stream 1:"));
}

TEST(Http2Carriage, PushedRequestsOnlyMoveTheTable) {
  Frames frames(false);
  frames.settings();
  Bytes promise = {0, 0, 0, 2};
  transport::append(promise, frames.block({{":path", "/?dns=AAAA"}, {"x-new", "entry"}}));
  frames.add(NGHTTP2_PUSH_PROMISE, kEndHeaders, 1, promise);
  auto fields = answer_fields();
  fields.push_back({"x-new", "entry"});
  frames.add(NGHTTP2_HEADERS, kEndHeaders, 1, frames.block(fields));
  frames.add(NGHTTP2_DATA, kEndStream, 1, answer_wire());
  const Decoded decoded = decode(Carriage::kDoh2, frames.conversation(End::kServer));
  EXPECT_THAT(decoded.problem, IsEmpty());
  ASSERT_EQ(decoded.messages.size(), 1U);
  EXPECT_EQ(decoded.messages[0].wire, answer_wire());
}

TEST(Http2Carriage, GetNeedsBase64url) {
  Frames frames(true);
  frames.settings();
  frames.add(NGHTTP2_HEADERS, kEndHeaders | kEndStream, 1,
             frames.block({{":method", "GET"}, {":path", "/d?ct=x&dns=AA=="}}));
  frames.add(NGHTTP2_HEADERS, kEndHeaders | kEndStream, 3,
             frames.block({{":method", "GET"},
                           {":path", "/d?a&dns=" + transport::base64url_encode(query_wire())}}));
  const Decoded decoded = decode(Carriage::kDoh2, frames.conversation());
  EXPECT_THAT(decoded.problem, IsEmpty());
  ASSERT_EQ(decoded.messages.size(), 2U);
  EXPECT_THAT(decoded.messages[0].message.error(), HasSubstr("base64url"));
  EXPECT_TRUE(decoded.messages[1].message);
}

TEST(Http2Carriage, CaptureFromTheMiddleIsNotRead) {
  Overheard peers;
  peers.ask("GET", query_wire());
  peers.exchange();
  Conversation conversation = one_after_the_other(peers.conversation, End::kClient);
  for (Piece& piece : conversation) piece.bytes.erase(piece.bytes.begin());
  EXPECT_THAT(decode(Carriage::kDoh2, conversation).problem,
              HasSubstr("client: no HTTP/2 preface; the capture may begin within"));
  EXPECT_THAT(decode(Carriage::kDoh2, {conversation[1]}).problem,
              HasSubstr("server: the first frame is not SETTINGS"));
  EXPECT_THAT(decode(Carriage::kDoh2, conversation).messages, IsEmpty());
}

TEST(Http2Carriage, DoctoredFramesAreProblems) {
  const auto problem = [](const std::function<void(Frames&)>& doctor) {
    Frames frames(true);
    frames.settings();
    doctor(frames);
    return decode(Carriage::kDoh2, frames.conversation()).problem;
  };
  EXPECT_THAT(problem([](Frames& f) { f.add(NGHTTP2_CONTINUATION, kEndHeaders, 1, {}); }),
              "client: CONTINUATION without a header block");
  EXPECT_THAT(problem([](Frames& f) {
                f.add(NGHTTP2_HEADERS, 0, 1, {}).add(NGHTTP2_PING, 0, 0, Bytes(8, 0));
              }),
              "client: header block is interrupted by another frame");
  EXPECT_THAT(problem([](Frames& f) {
                f.add(NGHTTP2_HEADERS, 0, 1, {}).add(NGHTTP2_CONTINUATION, 0, 3, {});
              }),
              "client: header block is continued on another stream");
  EXPECT_THAT(problem([](Frames& f) { f.add(NGHTTP2_HEADERS, kPadded, 1, {1}); }),
              "client: HEADERS frame is too short");
  EXPECT_THAT(problem([](Frames& f) { f.add(NGHTTP2_HEADERS, kPriority, 1, {1, 2, 3, 4}); }),
              "client: HEADERS frame is too short");
  EXPECT_THAT(problem([](Frames& f) { f.add(NGHTTP2_DATA, kPadded, 1, {2, 1}); }),
              "client: padding is longer than its frame");
  EXPECT_THAT(problem([](Frames& f) { f.settings({0, 1, 0}); }),
              "client: SETTINGS frame of a wrong length");
  EXPECT_THAT(problem([](Frames& f) { f.add(NGHTTP2_HEADERS, kEndHeaders, 1, Bytes(9, 0xff)); }),
              HasSubstr("client: stream 1:"));
  EXPECT_THAT(problem([](Frames& f) {
                f.add(NGHTTP2_HEADERS, 0, 1, {});
                for (int count = 0; count < 9; ++count) {
                  f.add(NGHTTP2_CONTINUATION, 0, 1, Bytes(16384, 0));
                }
              }),
              "client: header block is too long");
  EXPECT_THAT(problem([](Frames& f) {
                f.add(NGHTTP2_HEADERS, kEndHeaders, 1, f.block(post_fields()));
                for (int count = 0; count < 5; ++count) {
                  f.add(NGHTTP2_DATA, 0, 1, Bytes(16384, 0));
                }
              }),
              "client, stream 1: body is longer than a DNS message");
}

// One byte of a header block can stand for a field of thousands.
TEST(Http2Carriage, SmallBlocksOfManyFieldsAreBounded) {
  Frames frames(true);
  frames.settings();
  const std::string large(2500, 'x');
  Bytes block = frames.block({{":path", "/?dns=AAAA"}, {"x", large}});
  const Bytes again = frames.block({{"x", large}});
  ASSERT_EQ(again.size(), 1U);
  block.resize(block.size() + 10000, again[0]);
  frames.add(NGHTTP2_HEADERS, kEndHeaders | kEndStream, 1, block);
  const Decoded decoded = decode(Carriage::kDoh2, frames.conversation());
  EXPECT_EQ(decoded.problem, "client, stream 1: header fields are too long");
  EXPECT_THAT(decoded.messages, IsEmpty());
}

TEST(Http2Carriage, FinWithinAFrameIsAProblem) {
  Frames frames(true);
  frames.settings();
  frames.bytes.push_back(0);
  Conversation conversation = frames.conversation();
  conversation[0].fin = true;
  EXPECT_EQ(decode(Carriage::kDoh2, conversation).problem,
            "client: the stream ends within a frame");
}

}  // namespace
}  // namespace analysis
