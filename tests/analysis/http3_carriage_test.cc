#include "tests/analysis/conversation.hh"
#include "tests/transport/quic_network.hh"
#include "transport/http3_session.hh"
#include "transport/http_fields.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp3/nghttp3.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using transport::Bytes;
using transport::ByteSpan;
using transport::HttpField;

// Forwards QUIC's events to HTTP/3 and notes what `from` has sent.
template <typename Base, End from>
class Overheard : public Base {
 public:
  explicit Overheard(Conversation& conversation) : conversation_(conversation) {}
  void on_handshake_completed() override { http->on_handshake_completed(); }
  void on_stream_data(transport::StreamId stream, ByteSpan bytes, bool fin) override {
    conversation_.push_back(
        {from, static_cast<std::uint64_t>(stream), Bytes(bytes.begin(), bytes.end()), fin});
    http->on_stream_data(stream, bytes, fin);
  }
  void on_stream_closed(transport::StreamId stream) override { http->on_stream_closed(stream); }
  void on_closed(const transport::QuicClose&) override {}
  std::optional<transport::Http3Session> http;

 private:
  Conversation& conversation_;
};

class Client final : public Overheard<transport::QuicEvents, End::kServer>,
                     public transport::HttpClientEvents {
 public:
  using Overheard::Overheard;
  void on_response(transport::HttpStreamId, const transport::HttpResponse&) override {
    ++responses;
  }
  void on_request_failed(transport::HttpStreamId, std::string_view) override {}
  int responses = 0;
};

class Server final : public Overheard<transport::QuicSession, End::kClient>,
                     public transport::HttpServerEvents {
 public:
  using Overheard::Overheard;
  void attach(transport::QuicConnection& connection) override {
    http.emplace(connection, static_cast<transport::HttpServerEvents&>(*this));
  }
  void on_request(transport::HttpStreamId stream, const transport::HttpRequest& request) override {
    const bool known = request.path == "/dns-query";
    http->respond(stream,
                  {.status = known ? 200 : 404,
                   .content_type = std::string(known ? transport::kDnsMediaType : "text/plain"),
                   .cache_control = "max-age=60",
                   .body = known ? answer_wire() : Bytes{}});
  }
};

TEST(Http3Carriage, FindsQueriesAndAnswers) {
  const auto identity = transport::make_identity(0);
  Conversation conversation;
  Client client(conversation);
  transport::QuicNetwork network(
      server_tls(identity, transport::TlsCarrier::kQuic, transport::kAlpnHttp3), {},
      [&] { return std::make_unique<Server>(conversation); });
  network.connect(
      client_tls(identity, transport::TlsCarrier::kQuic, transport::kAlpnHttp3, "X25519"), {},
      client);
  client.http.emplace(*network.client, static_cast<transport::HttpClientEvents&>(client));
  const auto ask = [&](std::string_view method, std::string_view path, std::uint16_t id) {
    client.http->submit(transport::make_doh_request(method, "dns.lab.test", path, query_wire(id)));
  };
  ask("GET", "/dns-query", 0);
  ask("POST", "/dns-query", 7);
  ask("GET", "/elsewhere", 0);
  ASSERT_TRUE(network.run_until([&] { return client.responses == 3; }, std::chrono::seconds(10)));

  const Decoded decoded = decode(Carriage::kDoh3, conversation);
  EXPECT_THAT(decoded.problem, IsEmpty());
  ASSERT_EQ(decoded.messages.size(), 6U);
  EXPECT_EQ(decoded.messages[0].http_method, "GET");
  EXPECT_EQ(decoded.messages[0].wire, query_wire());
  EXPECT_EQ(decoded.messages[1].stream, 4U);
  EXPECT_EQ(decoded.messages[1].http_method, "POST");
  EXPECT_EQ(decoded.messages[1].message->id, 7);
  const CarriedMessage& answer = decoded.messages[3];
  EXPECT_EQ(answer.from, End::kServer);
  EXPECT_EQ(answer.stream, 0U);
  EXPECT_EQ(answer.http_status, 200);
  EXPECT_EQ(answer.wire, answer_wire());
  EXPECT_TRUE(answer.needs_fin);
  EXPECT_EQ(answer.first_byte(), 0U);
  const Bytes carried = carried_bytes(conversation, answer);
  EXPECT_TRUE(std::ranges::equal(ByteSpan(carried).last(answer.wire.size()), answer.wire));
  EXPECT_EQ(decoded.messages[5].http_status, 404);
  EXPECT_FALSE(decoded.messages[5].message);
}

// An end whose header compression uses the dynamic table, which labrun's own does not.
class Encoder {
 public:
  explicit Encoder(std::size_t capacity = 4096) {
    nghttp3_qpack_encoder* encoder = nullptr;
    EXPECT_EQ(nghttp3_qpack_encoder_new(&encoder, capacity, nghttp3_mem_default()), 0);
    encoder_.reset(encoder);
    nghttp3_qpack_encoder_set_max_dtable_capacity(encoder, capacity);
    nghttp3_qpack_encoder_set_max_blocked_streams(encoder, 100);
    nghttp3_qpack_encoder_set_indexing_strat(encoder, NGHTTP3_QPACK_INDEXING_STRAT_EAGER);
  }
  // The section; what it needs on the encoder stream is added to `instructions`.
  Bytes section(std::int64_t stream, const std::vector<HttpField>& fields) {
    const auto pairs = transport::borrow_fields<nghttp3_nv>(fields);
    nghttp3_buf prefix;
    nghttp3_buf lines;
    nghttp3_buf inserts;
    for (nghttp3_buf* buffer : {&prefix, &lines, &inserts}) nghttp3_buf_init(buffer);
    EXPECT_EQ(nghttp3_qpack_encoder_encode(encoder_.get(), &prefix, &lines, &inserts, stream,
                                           pairs.data(), pairs.size()),
              0);
    Bytes section;
    for (nghttp3_buf* buffer : {&prefix, &lines, &inserts}) {
      transport::append(buffer == &inserts ? instructions : section,
                        {buffer->pos, nghttp3_buf_len(buffer)});
      nghttp3_buf_free(buffer, nghttp3_mem_default());
    }
    return section;
  }
  // From now on it may push out any entry.
  void acknowledge_everything() { nghttp3_qpack_encoder_ack_everything(encoder_.get()); }
  Bytes instructions;

 private:
  struct Delete {
    void operator()(nghttp3_qpack_encoder* encoder) const { nghttp3_qpack_encoder_del(encoder); }
  };
  std::unique_ptr<nghttp3_qpack_encoder, Delete> encoder_;
};

void append_varint(Bytes& to, std::uint64_t value) {
  if (value >= 64) to.push_back(static_cast<std::uint8_t>(0x40U | value >> 8U));
  to.push_back(static_cast<std::uint8_t>(value));
}
Bytes frame(std::uint64_t type, const Bytes& payload) {
  Bytes bytes;
  append_varint(bytes, type);
  append_varint(bytes, payload.size());
  transport::append(bytes, payload);
  return bytes;
}
Bytes operator+(Bytes left, const Bytes& right) {
  transport::append(left, right);
  return left;
}

constexpr std::uint64_t kData = 0;
constexpr std::uint64_t kHeaders = 1;
constexpr std::uint64_t kGrease = 0x21;
// The server's control stream with SETTINGS that allow a table of 4096 bytes.
const Piece kServerSettings = {End::kServer, 3, Bytes{0} + frame(4, {1, 0x50, 0, 7, 16}), false};

std::vector<HttpField> post_fields() {
  return {{":method", "POST"},
          {":path", "/dns-query"},
          {"content-type", std::string(transport::kDnsMediaType)},
          {"user-agent", "labrun's test"}};
}

class Http3Table : public testing::Test {
 protected:
  Piece request(std::uint64_t stream) {
    return {End::kClient, stream,
            frame(kHeaders, encoder.section(static_cast<std::int64_t>(stream), post_fields())) +
                frame(kData, query_wire()),
            true};
  }
  // The encoder stream, opened with its type.
  Piece instructions() const { return {End::kClient, 6, Bytes{2} + encoder.instructions, false}; }
  Encoder encoder;
};

TEST_F(Http3Table, SectionsWaitForTheEncoderStream) {
  const Piece first = request(0);
  const Piece second = request(4);
  ASSERT_GT(encoder.instructions.size(), 10U);
  // In every order that packets can come in, SETTINGS known from an earlier connection included.
  Conversation conversation = {kServerSettings, instructions(), first, second};
  const auto less = [](const Piece& left, const Piece& right) {
    return left.stream < right.stream;
  };
  std::ranges::sort(conversation, less);
  do {
    const Decoded decoded = decode(Carriage::kDoh3, conversation);
    EXPECT_THAT(decoded.problem, IsEmpty());
    ASSERT_EQ(decoded.messages.size(), 2U);
    EXPECT_EQ(decoded.messages[0].wire, query_wire());
    EXPECT_EQ(decoded.messages[0].http_method, "POST");
  } while (std::ranges::next_permutation(conversation, less).found);
}

TEST_F(Http3Table, SectionIsReadBeforeItsEntriesArePushedOut) {
  constexpr std::size_t kSections = 30;
  Conversation conversation = {kServerSettings};
  std::size_t entry_bytes = 0;
  for (std::uint64_t count = 0; count < kSections; ++count) {
    auto fields = post_fields();
    fields.push_back({"x-unique", std::string(200, static_cast<char>('A' + count))});
    entry_bytes += fields.back().name.size() + fields.back().value.size() + 32;
    const auto id = static_cast<std::int64_t>(4 * count);
    conversation.push_back(
        {End::kClient, 4 * count, frame(kHeaders, encoder.section(id, fields)), true});
    encoder.acknowledge_everything();
  }
  ASSERT_GT(entry_bytes, 4096U);
  // All sections wait when all entries come in one piece.
  conversation.push_back(instructions());
  const Decoded decoded = decode(Carriage::kDoh3, conversation);
  EXPECT_THAT(decoded.problem, IsEmpty());
  EXPECT_EQ(decoded.messages.size(), kSections);
}

TEST_F(Http3Table, WaitingForEverIsAProblem) {
  const auto decoder = make_dns_carriage(Carriage::kDoh3);
  for (const Piece& piece : {kServerSettings, request(0)}) {
    decoder->take(piece.from, piece.stream, piece.bytes, piece.fin);
  }
  EXPECT_THAT(decoder->problem(), IsEmpty());
  decoder->finish();
  EXPECT_THAT(decoder->problem(), HasSubstr("client, stream 0: header compression refers to"));
}

TEST_F(Http3Table, WaitingIsBounded) {
  const auto decoder = make_dns_carriage(Carriage::kDoh3);
  const Piece waiting = request(0);
  decoder->take(End::kClient, 0, waiting.bytes, false);
  const Bytes more = frame(kGrease, Bytes(10000, 0));
  for (int count = 0; count < 30; ++count) decoder->take(End::kClient, 0, more, false);
  EXPECT_EQ(decoder->problem(), "client, stream 0: too much waits for header compression");
}

TEST_F(Http3Table, LargerTableThanIsFollowedIsAProblem) {
  const Piece settings = {End::kServer, 3, Bytes{0} + frame(4, {1, 0xc0, 0, 0, 1, 0, 0, 0, 0}),
                          false};
  EXPECT_THAT(decode(Carriage::kDoh3, {settings, request(0)}).problem,
              HasSubstr("QPACK table of 4294967296 bytes"));
}

Bytes answer_section(std::string status = "200") {
  return Encoder(0).section(
      0, {{":status", std::move(status)}, {"content-type", std::string(transport::kDnsMediaType)}});
}

TEST(Http3Carriage, UnknownFramesAndStreamsArePassedOver) {
  const Bytes grease = frame(kGrease, Bytes(300, 1));
  const Bytes informational = frame(kHeaders, answer_section("103"));
  const Bytes headers = frame(kHeaders, answer_section());
  const Bytes wire = answer_wire();
  const Bytes first = frame(kData, Bytes(wire.begin(), wire.begin() + 100));
  const Bytes second = frame(kData, Bytes(wire.begin() + 100, wire.end()));
  const Decoded decoded =
      decode(Carriage::kDoh3,
             {kServerSettings,
              {End::kServer, 0, grease + informational + headers + first + grease + second, true},
              {End::kServer, 7, Bytes{0x40, 0x21} + Bytes(50, 0xff), false},  // GREASE, of one way
              {End::kServer, 11, Bytes{1, 0} + Bytes(50, 0xff), false},       // pushed
              {End::kServer, 1, Bytes(50, 0xff), true}});  // opened by the server, of both ways
  EXPECT_THAT(decoded.problem, IsEmpty());
  ASSERT_EQ(decoded.messages.size(), 1U);
  EXPECT_EQ(decoded.messages[0].wire, wire);
  const std::uint64_t start = grease.size() + informational.size();
  const std::uint64_t gap = start + headers.size() + first.size();
  const std::uint64_t gap_end = gap + grease.size();
  EXPECT_THAT(decoded.messages[0].ranges,
              ElementsAre(ByteRange{.first = start, .end = gap},
                          ByteRange{.first = gap_end, .end = gap_end + second.size()}));
}

TEST(Http3Carriage, ResetStreamHasNoMessage) {
  const auto decoder = make_dns_carriage(Carriage::kDoh3);
  decoder->take(End::kServer, 0, frame(kHeaders, answer_section()), false);
  decoder->reset(End::kServer, 0);
  decoder->take(End::kServer, 4, frame(kHeaders, answer_section()) + frame(kData, answer_wire()),
                true);
  EXPECT_THAT(decoder->problem(), IsEmpty());
  const auto messages = decoder->take_messages();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].stream, 4U);
}

TEST(Http3Carriage, DoctoredStreamsAreProblems) {
  const auto problem = [](std::uint64_t stream, const Bytes& bytes) {
    return decode(Carriage::kDoh3, {{End::kServer, stream, bytes, true}}).problem;
  };
  const Bytes headers = frame(kHeaders, answer_section());
  EXPECT_THAT(problem(0, frame(kData, {1})),
              HasSubstr("server, stream 0: body without a header; the capture may begin within"));
  EXPECT_THAT(problem(3, Bytes{0} + frame(kGrease, {})),
              HasSubstr("server: the control stream does not begin with SETTINGS"));
  EXPECT_THAT(problem(3, Bytes{0} + frame(4, {1})), HasSubstr("does not begin with SETTINGS"));
  EXPECT_THAT(problem(0, headers + Bytes{0, 9}), "server, stream 0: ends within a frame");
  EXPECT_THAT(problem(0, frame(kHeaders, {})), "server, stream 0: header section is empty");
  EXPECT_THAT(problem(0, frame(kHeaders, {0, 0, 0xff})), HasSubstr("server, stream 0: ERR_QPACK"));
  Bytes large = headers;
  for (int count = 0; count < 5; ++count) large = large + frame(kData, Bytes(16000, 0));
  EXPECT_THAT(problem(0, large), "server, stream 0: body is longer than a DNS message");
  // Entries where the client has allowed none.
  EXPECT_THAT(decode(Carriage::kDoh3, {{End::kClient, 2, Bytes{0} + frame(4, {}), false},
                                       {End::kServer, 7, {2, 0x3f, 0xff, 0x01}, false}})
                  .problem,
              HasSubstr("server: ERR_QPACK_ENCODER_STREAM"));
}

TEST(Http3Carriage, OneBadStreamLeavesTheOthers) {
  const Decoded decoded = decode(
      Carriage::kDoh3,
      {{End::kServer, 0, frame(kHeaders, {0, 0, 0xff}), true},
       {End::kServer, 4, frame(kHeaders, answer_section()) + frame(kData, answer_wire()), true}});
  EXPECT_THAT(decoded.problem, HasSubstr("stream 0"));
  EXPECT_EQ(decoded.messages.size(), 1U);
}

}  // namespace
}  // namespace analysis
