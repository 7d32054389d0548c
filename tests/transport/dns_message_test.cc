#include "transport/dns_message.hh"

#include "base/errors.hh"
#include "base/rng.hh"
#include "transport/dns_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace transport {
namespace {

using testing::HasSubstr;

Bytes from_hex(std::string_view hex) {
  Bytes bytes;
  std::string digits(hex);
  std::erase(digits, ' ');
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(digits.substr(at, 2), nullptr, 16)));
  }
  return bytes;
}

DnsMessage full_answer() {
  DnsMessage message =
      make_response(make_query(0xbeef, {"www.a.lab.test", RecordType::kA}), Rcode::kNoError);
  message.authoritative = true;
  message.answers = {parse_record("www.a.lab.test 60 CNAME b.lab.test").value(),
                     parse_record("b.lab.test 60 A 192.0.2.1").value()};
  message.authorities = {
      parse_record("lab.test 5 SOA ns.lab.test admin.lab.test 1 2 3 4 5").value()};
  message.additionals = {parse_record("ns.lab.test 5 AAAA 2001:db8::1").value()};
  message.edns->options = {{kOptionTcpKeepalive, {0, 100}}};
  return message;
}

TEST(DnsMessage, QueryHasTheBytesOfRfc1035) {
  EXPECT_EQ(encode_dns_message(make_query(0x1234, {"a.lab.test", RecordType::kA}, 1232)),
            from_hex("1234 0100 0001 0000 0000 0001 0161 036c6162 0474657374 00 0001 0001 00 0029 "
                     "04d0 00000000 0000"));
}

TEST(DnsMessage, EncodedMessageIsReadBackEqual) {
  const DnsMessage message = full_answer();
  const auto read = parse_dns_message(encode_dns_message(message));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, message);
}

TEST(DnsMessage, ExtendedRcodeUsesTheOptRecord) {
  DnsMessage message = make_response(make_query(1, {"a.lab.test"}), Rcode::kBadVers);
  const auto read = parse_dns_message(encode_dns_message(message));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->rcode, Rcode::kBadVers);
  message.edns.reset();
  EXPECT_THROW(encode_dns_message(message), base::LabError);
}

TEST(DnsMessage, OwnerNamesAreCompressed) {
  const Bytes wire = encode_dns_message(full_answer());
  // The second owner shares "lab.test" with the question: "b" and a pointer to offset 12 + "www" +
  // "a".
  EXPECT_FALSE(std::ranges::search(wire, from_hex("0162c012")).empty());
  EXPECT_EQ(std::ranges::count(wire, 'w'), 3);
}

TEST(DnsMessage, PaddingFillsTheBlock) {
  for (const std::size_t block : {kQueryPaddingBlock, kResponsePaddingBlock}) {
    for (std::size_t length = 1; length <= 63; ++length) {
      const DnsMessage query = make_query(0, {std::string(length, 'x') + ".lab.test"});
      const Bytes wire = encode_dns_message(query, block);
      EXPECT_EQ(wire.size() % block, 0U);
      const auto read = parse_dns_message(wire);
      ASSERT_TRUE(read) << read.error();
      EXPECT_TRUE(read->edns->has_option(kOptionPadding));
      // Padding that is there already is replaced, never added to.
      EXPECT_EQ(encode_dns_message(*read, block), wire);
    }
  }
}

TEST(DnsMessage, CompressedRecordDataIsStoredUncompressed) {
  // Question a.test; answer: CNAME b.<pointer to "test">.
  const auto read =
      parse_dns_message(from_hex("0000 8000 0001 0001 0000 0000 0161 0474657374 00 0005 0001 c00c "
                                 "0005 0001 0000003c 0004 0162c00e"));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(to_string(read->answers.at(0)), "a.test. 60 IN CNAME b.test.");
  EXPECT_EQ(read->answers[0].rdata, encode_name("b.test"));
}

struct MalformedRow {
  const char* name;
  std::string hex;
  const char* error;
};

class Malformed : public testing::TestWithParam<MalformedRow> {};

TEST_P(Malformed, IsRefusedWithAReason) {
  const auto read = parse_dns_message(from_hex(GetParam().hex));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error(), HasSubstr(GetParam().error));
}

const std::string kOneQuestion = "0000 0000 0001 0000 0000 0000";
const std::string kTwoAdditionals = "0000 0000 0000 0000 0000 0002";
const std::string kOpt = "00 0029 04d0 00000000 0000";
const std::string kLabel63 = "3f" + std::string(126, '6');

INSTANTIATE_TEST_SUITE_P(
    DnsMessage, Malformed,
    testing::Values(
        MalformedRow{"nothing", "", "byte 0: message ends early"},
        MalformedRow{"half_header", "000000000001", "message ends early"},
        MalformedRow{"no_question", kOneQuestion, "name ends early"},
        MalformedRow{"pointer_to_itself", kOneQuestion + "c00c 0001 0001", "backwards"},
        MalformedRow{"pointer_forwards", kOneQuestion + "c00e 0161 00 0001 0001", "backwards"},
        // A label and then a pointer to that label would repeat for ever.
        MalformedRow{"pointer_loop", kOneQuestion + "0161c00c 0001 0001", "backwards"},
        MalformedRow{"half_pointer", kOneQuestion + "c0", "pointer ends early"},
        MalformedRow{"label_type_01", kOneQuestion + "4161 00 0001 0001", "unknown kind of label"},
        MalformedRow{"label_too_long_for_message", kOneQuestion + "0561", "label ends early"},
        MalformedRow{"name_of_257_bytes",
                     kOneQuestion + kLabel63 + kLabel63 + kLabel63 + kLabel63 + "00 0001 0001",
                     "255"},
        MalformedRow{"trailing_byte", kOneQuestion + "00 0001 0001 00", "after the message"},
        MalformedRow{"two_opt", kTwoAdditionals + kOpt + kOpt, "second OPT"},
        MalformedRow{"opt_not_at_root", "0000 0000 0000 0000 0000 0001 0161" + kOpt,
                     "not at the root"},
        MalformedRow{"opt_as_answer", "0000 8000 0000 0001 0000 0000" + kOpt,
                     "outside the additional"},
        MalformedRow{"rdata_too_long",
                     "0000 8000 0000 0001 0000 0000 00 0001 0001 00000000 0005 c0000201",
                     "data ends early"},
        MalformedRow{"cname_shorter_than_rdata",
                     "0000 8000 0000 0001 0000 0000 00 0005 0001 00000000 0002 0000",
                     "does not fill"}),
    [](const auto& row) { return row.param.name; });

TEST(DnsMessage, EveryPrefixOfAMessageIsRefused) {
  const Bytes wire = encode_dns_message(full_answer());
  for (std::size_t length = 0; length < wire.size(); ++length) {
    EXPECT_FALSE(parse_dns_message(ByteSpan(wire).first(length))) << length;
  }
}

TEST(DnsMessage, RandomDamageNeverBreaksTheParser) {
  const Bytes original = encode_dns_message(full_answer(), 128);
  base::Rng rng(1);
  for (int round = 0; round < 4'000; ++round) {
    Bytes wire = original;
    for (int change = 0; change < 3; ++change) {
      wire[rng.below(wire.size())] = static_cast<std::uint8_t>(rng.below(256));
    }
    const auto read = parse_dns_message(wire);
    if (!read) continue;
    const auto again = parse_dns_message(encode_dns_message(*read));
    ASSERT_TRUE(again) << again.error();
    ASSERT_EQ(*again, *read);
  }
}

TEST(DnsMessage, HeaderOfAMalformedQueryCanBeAnswered) {
  Bytes wire = encode_dns_message(make_query(0x4242, {"a.lab.test"}));
  wire.pop_back();
  const auto salvaged = salvage_dns_header(wire);
  ASSERT_TRUE(salvaged);
  EXPECT_EQ(salvaged->id, 0x4242);
  EXPECT_EQ(salvaged->questions.at(0).name, "a.lab.test");
  EXPECT_FALSE(salvage_dns_header(ByteSpan(wire).first(11)));
  // Answering answers would let two servers play ping-pong.
  EXPECT_FALSE(salvage_dns_header(encode_dns_message(full_answer())));
}

TEST(DnsName, TextAndWireAgree) {
  EXPECT_EQ(encode_name("a.b"), from_hex("0161016200"));
  EXPECT_EQ(encode_name("a.b."), encode_name("a.b"));
  EXPECT_EQ(encode_name("."), from_hex("00"));
  EXPECT_EQ(encode_name("a\\.b\\032.c"), from_hex("04612e6220016300"));
  for (const char* text : {"", "..", ".a", "a..b", "a\\", "a\\25", "a\\256", "a\\2x3"}) {
    EXPECT_FALSE(is_domain_name(text)) << text;
  }
  EXPECT_TRUE(is_domain_name(std::string(63, 'a')));
  EXPECT_FALSE(is_domain_name(std::string(64, 'a')));
}

TEST(DnsName, ComparesWithoutCaseAndByLabels) {
  EXPECT_TRUE(same_name("A.Lab.Test", "a.lab.test."));
  EXPECT_FALSE(same_name("a.lab.test", "b.lab.test"));
  EXPECT_TRUE(is_within("x.LAB.test", "lab.test"));
  EXPECT_TRUE(is_within("lab.test", "lab.test"));
  EXPECT_TRUE(is_within("anything", "."));
  EXPECT_FALSE(is_within("xlab.test", "lab.test"));
  EXPECT_FALSE(is_within("test", "lab.test"));
}

}  // namespace
}  // namespace transport
