#include "analysis/tls_handshake.hh"

#include "tests/analysis/sealing.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace analysis {
namespace {

using enum MessageKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using transport::Bytes;
using transport::ByteSpan;

// `value` behind its length in `size_bytes` bytes.
Bytes vector(std::size_t size_bytes, const Bytes& value) {
  Bytes bytes;
  for (std::size_t left = size_bytes; left > 0; --left)
    bytes.push_back(static_cast<std::uint8_t>(value.size() >> (8 * (left - 1))));
  transport::append(bytes, value);
  return bytes;
}

Bytes operator+(Bytes left, const Bytes& right) {
  transport::append(left, right);
  return left;
}

Bytes message(std::uint8_t type, const Bytes& body) {
  return Bytes{type} + vector(3, body);
}

Bytes extension(std::uint8_t type, const Bytes& value) {
  return Bytes{0, type} + vector(2, value);
}

Bytes client_hello(const Bytes& extensions) {
  return message(1, Bytes{3, 3} + Bytes(32, 0x77) + vector(1, {}) + vector(2, {0x13, 0x01}) +
                        vector(1, {0}) + vector(2, extensions));
}

Bytes server_hello(const Bytes& random, const Bytes& extensions) {
  return message(
      2, Bytes{3, 3} + random + vector(1, {}) + Bytes{0x13, 0x01, 0} + vector(2, extensions));
}

const Bytes kRetryRandom =
    from_hex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c");

std::vector<MessageKind> kinds(const HandshakeStream& stream) {
  std::vector<MessageKind> found;
  for (const Message& message : stream.map().messages()) found.push_back(message.kind);
  return found;
}

TEST(HandshakeStream, ClientHelloTellsWhatIsOffered) {
  const Bytes name = vector(2, Bytes{0} + vector(2, {'l', 'a', 'b'}));
  const Bytes alpn = vector(2, vector(1, {'h', '2'}) + vector(1, {'d', 'o', 't'}));
  const Bytes shares = vector(2, Bytes{0, 0x1d} + vector(2, Bytes(32, 9)));
  const Bytes parameters{0x01, 2, 0x40, 0x64, 0x0b, 1, 25, 0x0a, 1, 8};
  HandshakeFacts facts;
  HandshakeStream stream(End::kClient, facts);
  const Bytes hello = client_hello(
      extension(0, name) + extension(16, alpn) + extension(10, vector(2, {0x11, 0xec, 0, 0x1d})) +
      extension(51, shares) + extension(57, parameters) + extension(42, {}) + extension(41, {}));
  stream.add(hello);
  EXPECT_THAT(stream.problem(), IsEmpty());
  EXPECT_THAT(kinds(stream), ElementsAre(kClientHello));
  ASSERT_TRUE(facts.client_random);
  EXPECT_EQ(facts.client_random->front(), 0x77);
  EXPECT_EQ(facts.client_hello_bytes, hello.size());
  EXPECT_EQ(facts.server_name, "lab");
  EXPECT_THAT(facts.offered_alpn, ElementsAre("h2", "dot"));
  EXPECT_THAT(facts.offered_groups, ElementsAre(0x11ec, 0x001d));
  EXPECT_THAT(facts.key_shares, ElementsAre(0x001d));
  EXPECT_EQ(facts.client_max_ack_delay_ms, 25U);
  EXPECT_EQ(facts.client_ack_delay_exponent, 8U);
  EXPECT_TRUE(facts.offered_early_data && facts.offered_session_ticket);
}

TEST(HandshakeStream, CutExtensionsTellNothing) {
  HandshakeFacts facts;
  HandshakeStream stream(End::kClient, facts);
  stream.add(client_hello(extension(57, {0x0b, 4, 25}) + extension(16, {0, 4, 2, 'h', '2', 9}) +
                          extension(51, {0, 9, 0, 0x1d, 0, 32})));
  EXPECT_TRUE(facts.client_random);
  EXPECT_EQ(facts.client_max_ack_delay_ms, std::nullopt);
  EXPECT_EQ(facts.client_ack_delay_exponent, 3U);  // the default
  EXPECT_THAT(facts.offered_alpn, ElementsAre("h2"));
  EXPECT_THAT(facts.key_shares, IsEmpty());
}

TEST(HandshakeStream, NoCutClientHelloIsTrusted) {
  const Bytes whole = client_hello(extension(10, vector(2, {0, 0x1d})));
  const Bytes body(whole.begin() + 4, whole.end());
  for (std::size_t size = 0; size < body.size(); ++size) {
    HandshakeFacts facts;
    HandshakeStream stream(End::kClient, facts);
    stream.add(message(1, Bytes(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size))));
    EXPECT_EQ(facts.client_random.has_value(), size >= 34) << size;
    EXPECT_THAT(facts.offered_groups, IsEmpty()) << size;
  }
}

TEST(HandshakeStream, ServerHelloTellsWhatIsChosen) {
  HandshakeFacts facts;
  HandshakeStream stream(End::kServer, facts);
  const Bytes hello = server_hello(
      Bytes(32, 5), extension(43, {3, 4}) + extension(51, Bytes{0x11, 0xec} + vector(2, {1})));
  const Bytes encrypted_extensions =
      message(8, vector(2, extension(16, vector(2, vector(1, {'d', 'o', 'q'})))));
  stream.add(hello + encrypted_extensions + message(11, Bytes(100, 0)) + message(20, Bytes(32, 0)));
  EXPECT_THAT(kinds(stream),
              ElementsAre(kServerHello, kEncryptedExtensions, kCertificate, kFinished));
  EXPECT_EQ(facts.version, 0x0304);
  EXPECT_EQ(facts.cipher_suite, 0x1301);
  EXPECT_EQ(group_name(*facts.group), "X25519MLKEM768");
  EXPECT_EQ(facts.alpn, "doq");
  EXPECT_EQ(facts.server_hello_bytes, hello.size());
  EXPECT_EQ(facts.certificate_bytes, 104U);
  EXPECT_TRUE(facts.finished_by_server);
  EXPECT_FALSE(facts.finished_by_client || facts.hello_retry_request);
}

TEST(HandshakeStream, RetryRequestIsNoServerHello) {
  HandshakeFacts facts;
  HandshakeStream stream(End::kServer, facts);
  stream.add(server_hello(kRetryRandom, extension(51, {0, 0x1d})));
  EXPECT_THAT(kinds(stream), ElementsAre(kHelloRetryRequest));
  EXPECT_TRUE(facts.hello_retry_request);
  EXPECT_FALSE(facts.cipher_suite || facts.group);
  stream.add(server_hello(Bytes(32, 5), {}));
  EXPECT_THAT(kinds(stream), ElementsAre(kHelloRetryRequest, kServerHello));
  EXPECT_EQ(facts.cipher_suite, 0x1301);
}

TEST(HandshakeStream, MessagesMayComeByteByByte) {
  const Bytes hello = server_hello(kRetryRandom, {});
  const Bytes whole = hello + server_hello(Bytes(32, 5), {}) + message(24, {0});
  HandshakeFacts facts;
  HandshakeStream stream(End::kServer, facts);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    // Until its random is there, a ServerHello may be one or the other.
    EXPECT_EQ(stream.map().messages().empty(), at < 4 + 2 + 32) << at;
    stream.add(ByteSpan(whole).subspan(at, 1));
  }
  EXPECT_THAT(kinds(stream), ElementsAre(kHelloRetryRequest, kServerHello, kKeyUpdate));
  std::uint64_t end = 0;
  for (const Message& found : stream.map().messages()) {
    EXPECT_EQ(found.begin, end);
    end = found.end;
  }
  EXPECT_EQ(end, whole.size());
}

TEST(HandshakeStream, BeginningOfAMessageNamesIt) {
  HandshakeFacts facts;
  HandshakeStream stream(End::kServer, facts);
  stream.add(Bytes{11, 0, 0x20, 0, 1, 2, 3});
  EXPECT_THAT(stream.map().parts(0, 7),
              ElementsAre(MessagePart{
                  .kind = kCertificate, .total = 4 + 0x2000, .offset = 0, .length = 7}));
  EXPECT_EQ(facts.certificate_bytes, 0U);
}

TEST(HandshakeStream, OversizedMessageEndsIt) {
  HandshakeFacts facts;
  HandshakeStream stream(End::kServer, facts);
  stream.add(message(4, {}) + Bytes{11, 0x10, 0, 1});
  EXPECT_EQ(stream.problem(), "a handshake message of 1048577 bytes");
  EXPECT_THAT(kinds(stream), ElementsAre(kNewSessionTicket));
  stream.add(message(20, {}));
  EXPECT_THAT(stream.map().messages(), SizeIs(1));
}

TEST(HandshakeStream, OnlyTheRightEndSaysHello) {
  HandshakeFacts facts;
  HandshakeStream client(End::kClient, facts);
  HandshakeStream server(End::kServer, facts);
  client.add(server_hello(Bytes(32, 5), {}));
  server.add(client_hello({}));
  EXPECT_FALSE(facts.cipher_suite || facts.client_random);
}

TEST(GroupName, IsTheRegisteredOneOrANumber) {
  EXPECT_EQ(group_name(0x001d), "X25519");
  EXPECT_EQ(group_name(0x0017), "secp256r1");
  EXPECT_THAT(group_name(0x1234), HasSubstr("0x1234"));
}

}  // namespace
}  // namespace analysis
