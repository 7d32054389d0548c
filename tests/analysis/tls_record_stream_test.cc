// Records cut anywhere, and a whole TLS 1.3 conversation of our own transport taken apart.

#include "analysis/tls_record_stream.hh"

#include "base/file_descriptor.hh"
#include "tests/analysis/sealing.hh"
#include "tests/analysis/tls_talk.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

namespace analysis {
namespace {

using enum MessageKind;
using base::as_byte_span;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using transport::Bytes;
using transport::ByteSpan;

Bytes operator+(Bytes left, const Bytes& right) {
  transport::append(left, right);
  return left;
}

TlsTalk talk(std::string_view group = "X25519", std::size_t certificate_bytes = 0) {
  const ByteSpan question = as_byte_span("question");
  const ByteSpan answer = as_byte_span("answer");
  return tls_talk({.group = group,
                   .certificate_bytes = certificate_bytes,
                   .question = {question.begin(), question.end()},
                   .answer = {answer.begin(), answer.end()}});
}

// Both directions of a talk through their record streams.
struct Reading {
  explicit Reading(std::string_view keylog) { secrets.add(keylog); }

  void read(const TlsTalk& talk, std::size_t largest = 100'000) {
    for (const Turn& turn : talk.turns) {
      for (std::size_t at = 0; at < turn.bytes.size(); at += largest) {
        const std::size_t size = std::min(largest, turn.bytes.size() - at);
        const bool client_sends = turn.from == End::kClient;
        const Bytes ready =
            (client_sends ? client : server).add(ByteSpan(turn.bytes).subspan(at, size));
        (client_sends ? client_said : server_said) += base::as_text(ready);
        (client_sends ? client_bytes : server_bytes) += size;
      }
    }
  }
  // Each neighbour once.
  static std::vector<MessageKind> kinds(const TlsRecordStream& stream, std::uint64_t bytes) {
    std::vector<MessageKind> found;
    for (const MessagePart& part : stream.parts(0, bytes)) found.push_back(part.kind);
    return found;
  }

  SecretStore secrets;
  HandshakeFacts facts;
  TlsRecordStream client{End::kClient, secrets, facts};
  TlsRecordStream server{End::kServer, secrets, facts};
  std::string client_said, server_said;
  std::uint64_t client_bytes = 0, server_bytes = 0;
};

TEST(TlsRecordStream, ReadsAConversationToItsEnd) {
  const TlsTalk whole = talk();
  for (const std::size_t largest : {100'000U, 700U, 3U, 1U}) {
    Reading reading(whole.keylog);
    reading.read(whole, largest);
    EXPECT_EQ(reading.client_said, "question");
    EXPECT_EQ(reading.server_said, "answer");
    EXPECT_THAT(Reading::kinds(reading.client, reading.client_bytes),
                ElementsAre(kClientHello, kChangeCipherSpec, kFinished, kHttp, kAlert));
    EXPECT_THAT(Reading::kinds(reading.server, reading.server_bytes),
                ElementsAre(kServerHello, kChangeCipherSpec, kEncryptedExtensions, kCertificate,
                            kCertificateVerify, kFinished, kNewSessionTicket, kHttp));
    for (const TlsRecordStream* stream : {&reading.client, &reading.server}) {
      EXPECT_EQ(stream->undecrypted(), 0U);
      EXPECT_THAT(stream->sight_ends(), IsEmpty());
      EXPECT_THAT(stream->problem(), IsEmpty());
    }
    EXPECT_EQ(reading.facts.alpn, "dot");
    EXPECT_EQ(reading.facts.server_name, transport::kServerName);
    EXPECT_EQ(reading.facts.version, 0x0304);
    EXPECT_TRUE(reading.facts.finished_by_client && reading.facts.finished_by_server);
  }
}

TEST(TlsRecordStream, RetryRequestComesBeforeTheServerHello) {
  const TlsTalk whole = talk("X25519MLKEM768");
  Reading reading(whole.keylog);
  reading.read(whole);
  EXPECT_TRUE(reading.facts.hello_retry_request);
  EXPECT_EQ(reading.server_said, "answer");
  const auto kinds = Reading::kinds(reading.server, reading.server_bytes);
  EXPECT_EQ(kinds.front(), kHelloRetryRequest);
  EXPECT_THAT(kinds, testing::Contains(kServerHello));
}

// Its cipher is the earlier session's, and nothing in this one says which before it is needed.
TEST(TlsRecordStream, ReadsEarlyDataOfAnyCipher) {
  const ByteSpan question = as_byte_span("question");
  const ByteSpan answer = as_byte_span("answer");
  for (const char* cipher :
       {"TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"}) {
    const TlsTalk whole = tls_talk({.question = {question.begin(), question.end()},
                                    .answer = {answer.begin(), answer.end()},
                                    .early = true,
                                    .cipher = cipher});
    Reading reading(whole.keylog);
    reading.read(whole, 100);
    EXPECT_EQ(reading.client_said, "question") << cipher;
    EXPECT_EQ(reading.server_said, "answer") << cipher;
    EXPECT_EQ(reading.client.undecrypted(), 0U) << cipher;
    EXPECT_TRUE(reading.facts.offered_early_data && reading.facts.finished_by_client) << cipher;
  }
}

TEST(TlsRecordStream, CertificateOverSeveralRecordsIsOneMessage) {
  const TlsTalk whole = talk("X25519", 40'000);
  Reading reading(whole.keylog);
  reading.read(whole);
  EXPECT_EQ(reading.server_said, "answer");
  EXPECT_GT(reading.facts.certificate_bytes, 40'000U);
  std::uint64_t bytes = 0;
  for (const MessagePart& part : reading.server.parts(0, reading.server_bytes))
    if (part.kind == kCertificate) bytes += part.length;
  EXPECT_EQ(bytes, reading.facts.certificate_bytes);
}

// Headers, tags and padding are no message, but a message cannot be read without them.
TEST(TlsRecordStream, EveryByteOfARecordBelongsToAMessage) {
  const TlsTalk whole = talk("X25519", 40'000);
  Reading reading(whole.keylog);
  reading.read(whole);
  for (std::uint64_t at = 0; at < reading.server_bytes; ++at) {
    const auto parts = reading.server.parts(at, at + 1);
    ASSERT_EQ(parts.size(), 1U) << at;
    ASSERT_EQ(parts[0].length, 1U) << at;
    ASSERT_LT(parts[0].offset, parts[0].total) << at;
  }
  EXPECT_THAT(reading.server.parts(7, 7), IsEmpty());
}

TEST(TlsRecordStream, WithoutKeysItSaysWhereSightEnds) {
  const TlsTalk whole = talk();
  Reading reading("");
  reading.read(whole);
  EXPECT_EQ(reading.server.sight_ends(), "no keys of this connection in the capture");
  EXPECT_GT(reading.server.undecrypted(), 0U);
  EXPECT_THAT(reading.server.problem(), IsEmpty());
  EXPECT_THAT(reading.server_said, IsEmpty());
  const auto kinds = Reading::kinds(reading.server, reading.server_bytes);
  EXPECT_EQ(kinds.front(), kServerHello);
  EXPECT_EQ(kinds.back(), kEncryptedRecord);
  EXPECT_TRUE(reading.facts.client_random && reading.facts.cipher_suite);
}

TEST(TlsRecordStream, OneMissingKeyIsNamed) {
  TlsTalk whole = talk();
  const std::size_t at = whole.keylog.find("SERVER_TRAFFIC_SECRET_0");
  ASSERT_NE(at, std::string::npos);
  whole.keylog.replace(at, 6, "XERVER");
  Reading reading(whole.keylog);
  reading.read(whole);
  EXPECT_EQ(reading.client_said, "question");
  EXPECT_THAT(reading.server_said, IsEmpty());
  EXPECT_TRUE(reading.facts.finished_by_server);
  EXPECT_EQ(reading.server.sight_ends(), "a key is not among those in the capture");
}

TEST(TlsRecordStream, CaptureFromTheMiddleIsNotRead) {
  const TlsTalk whole = talk();
  Reading reading(whole.keylog);
  reading.read({.turns = {whole.turns.begin() + 1, whole.turns.end()}, .keylog = {}});
  EXPECT_EQ(reading.server.sight_ends(), "the ClientHello is not in the capture");
}

TEST(TlsRecordStream, ChangedRecordStaysClosed) {
  TlsTalk whole = talk();
  whole.turns.back().bytes.back() ^= 1U;
  Reading reading(whole.keylog);
  reading.read(whole);
  EXPECT_EQ(reading.client.undecrypted(), 1U);
  EXPECT_EQ(reading.client.sight_ends(), "records that its keys do not open");
  EXPECT_EQ(Reading::kinds(reading.client, reading.client_bytes).back(), kEncryptedRecord);
}

TEST(TlsRecordStream, OtherProtocolsAreAProblem) {
  Reading reading("");
  reading.client.add(as_byte_span("GET / HTTP/1.1"));
  EXPECT_EQ(reading.client.problem(), "byte 0 of the client's stream: not a TLS record");
  EXPECT_THAT(reading.client.parts(0, 100), IsEmpty());
  reading.server.add(Bytes{21, 3, 3, 0, 2, 2, 40} + Bytes{22, 3, 3, 0x41, 1});
  EXPECT_EQ(reading.server.problem(), "byte 7 of the server's stream: not a TLS record");
  EXPECT_THAT(Reading::kinds(reading.server, 7), ElementsAre(kAlert));
}

TEST(TlsRecordStream, FirstSegmentOfAClientHelloIsKnown) {
  Reading reading("");
  reading.client.add(Bytes{22, 3, 1, 2, 0});
  EXPECT_THAT(reading.client.parts(0, 5), IsEmpty());
  reading.client.add(Bytes{1, 0, 1});
  EXPECT_THAT(
      reading.client.parts(0, 8),
      ElementsAre(MessagePart{.kind = kClientHello, .total = 517, .offset = 0, .length = 8}));
}

// What another end's TLS may do and OpenSSL does not: padded, empty and many small records.
TEST(TlsRecordStream, PaddingAndEmptyRecordsAreNoData) {
  const std::string random(64, '7');
  const std::string digits(64, '5');
  Reading reading(
      std::format("SERVER_HANDSHAKE_TRAFFIC_SECRET {0} {1}\n"
                  "SERVER_TRAFFIC_SECRET_0 {0} {2}\n",
                  random, digits, std::string(64, '6')));
  reading.facts.client_random.emplace().fill(0x77);
  reading.facts.cipher_suite = 0x1302;
  const auto record = [&](std::string_view secret, std::uint64_t sequence, std::uint8_t type,
                          const Bytes& content, std::size_t padding) {
    return seal_record(CipherSuite::kAes256Gcm, from_hex(secret), sequence, type, content, padding);
  };
  const Bytes finished{20, 0, 0, 2, 1, 2};
  const std::string traffic(64, '6');
  const Bytes bytes = record(digits, 0, 22, {20, 0, 0}, 40) + record(digits, 1, 22, {2, 1, 2}, 0) +
                      record(traffic, 0, 23, {}, 10) + record(traffic, 1, 23, {'a', 'b'}, 99) +
                      record(traffic, 2, 23, {'c'}, 0);
  EXPECT_EQ(reading.server.add(bytes), (Bytes{'a', 'b', 'c'}));
  EXPECT_TRUE(reading.facts.finished_by_server);
  EXPECT_EQ(reading.server.undecrypted(), 0U);
  reading.server.label_application(kDnsAnswer, 1, 3);
  const auto kinds = Reading::kinds(reading.server, bytes.size());
  EXPECT_THAT(kinds, ElementsAre(kFinished, kFinished, kHttp, kDnsAnswer, kDnsAnswer));
}

TEST(TlsRecordStream, OlderVersionsAreNotOpened) {
  Reading reading("");
  reading.facts.version = 0x0303;
  reading.server.add(Bytes{23, 3, 3, 0, 20} + Bytes(20, 7));
  EXPECT_THAT(reading.server.sight_ends(), HasSubstr("TLS before 1.3"));
  EXPECT_EQ(reading.server.undecrypted(), 1U);
}

}  // namespace
}  // namespace analysis
