#include "transport/dns_text.hh"

#include "transport/base64url.hh"
#include "transport/dns_framing.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace transport {
namespace {

using testing::HasSubstr;

TEST(DnsText, RecordsAreReadAndWritten) {
  const std::pair<const char*, const char*> rows[] = {
      {"a.lab.test 60 A 192.0.2.1", "a.lab.test. 60 IN A 192.0.2.1"},
      {"a.lab.test. 60 IN aaaa 2001:db8:0:0::1", "a.lab.test. 60 IN AAAA 2001:db8::1"},
      {"a.lab.test 0 CNAME b", "a.lab.test. 0 IN CNAME b."},
      {"lab.test 5 NS ns.lab.test.", "lab.test. 5 IN NS ns.lab.test."},
      {"lab.test 5 SOA . admin.lab.test 1 2 3 4 4294967295",
       "lab.test. 5 IN SOA . admin.lab.test. 1 2 3 4 4294967295"},
      {"lab.test 5 MX 10 mail.lab.test", "lab.test. 5 IN MX 10 mail.lab.test."},
      {R"(t 5 TXT "two words" more "" "q\"\\\007")",
       R"(t. 5 IN TXT "two words" "more" "" "q\"\\\007")"},
      {"u 5 TYPE65 \\# 3 0a 0B0c", "u. 5 IN TYPE65 \\# 3 0a0b0c"},
      {"u 5 A \\# 4 c0000201", "u. 5 IN A 192.0.2.1"},
  };
  for (const auto& [line, text] : rows) {
    const auto record = parse_record(line);
    ASSERT_TRUE(record) << line << ": " << record.error();
    EXPECT_EQ(to_string(*record), text);
    EXPECT_EQ(parse_record(text).value(), *record);
  }
}

TEST(DnsText, MalformedRecordsAreRefusedWithAReason) {
  const std::pair<std::string, const char*> rows[] = {
      {"", "NAME TTL"},
      {"a 60 A", "takes 1 field, not 0"},
      {"a 60 IN", "type is missing"},
      {"a..b 60 A 192.0.2.1", "not a domain name"},
      {"a -1 A 192.0.2.1", "not a TTL"},
      {"a 60s A 192.0.2.1", "not a TTL"},
      {"a 60 B 192.0.2.1", "'B' is not a record type"},
      {"a 60 A 192.0.2.256", "not an address"},
      {"a 60 AAAA 192.0.2.1", "not an address"},
      {"a 60 A 192.0.2.1 192.0.2.2", "takes 1 field, not 2"},
      {"a 60 TXT \"open", "not closed"},
      {"a 60 TXT \\300", "escape"},
      {"a 60 TXT " + std::string(256, 'x'), "one string holds 255"},
      {"a 60 SOA a b 1 2 3 4", "takes 7 fields, not 6"},
      {"a 60 TYPE65 x", "\\# LENGTH HEX"},
      {"a 60 TYPE65 \\# 2 0a", "2 hexadecimal digits for 2 bytes"},
      {"a 60 TYPE65 \\# 1 0g", "not hexadecimal"},
      {"a 60 TYPE65536 \\# 0", "not a record type"},
  };
  for (const auto& [line, problem] : rows) {
    const auto record = parse_record(line);
    ASSERT_FALSE(record) << line;
    EXPECT_THAT(record.error(), HasSubstr(problem)) << line;
  }
}

TEST(DnsText, RecordDataThatDoesNotFitItsTypeIsShownRaw) {
  EXPECT_EQ(rdata_text({.name = "a", .type = RecordType::kA, .rdata = {1, 2, 3}}), "\\# 3 010203");
  EXPECT_EQ(rdata_text({.name = "a", .type = RecordType::kTxt, .rdata = {9, 'x'}}), "\\# 2 0978");
  EXPECT_EQ(rdata_text({.name = "a", .type = RecordType::kA, .rdata = {}}), "\\# 0");
}

TEST(DnsText, QuestionsHaveADefaultType) {
  EXPECT_EQ(parse_question("a.lab.test."), (DnsQuestion{"a.lab.test", RecordType::kA}));
  EXPECT_EQ(parse_question("a.lab.test AAAA"), (DnsQuestion{"a.lab.test", RecordType::kAaaa}));
  EXPECT_EQ(parse_question("."), (DnsQuestion{"."}));
  EXPECT_FALSE(parse_question("a b"));
  EXPECT_FALSE(parse_question("a A "));
  EXPECT_FALSE(parse_question(""));
}

TEST(DnsFraming, MessagesComeBackHoweverTheStreamIsCut) {
  const std::vector<Bytes> messages = {{1, 2, 3}, {}, Bytes(300, 7), {9}};
  Bytes stream;
  for (const Bytes& message : messages) append(stream, frame_message(message));
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    MessageDeframer deframer;
    std::vector<Bytes> taken;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      deframer.receive(ByteSpan(stream).subspan(at, std::min(piece, stream.size() - at)));
      while (auto message = deframer.next()) taken.push_back(*message);
    }
    EXPECT_EQ(taken, messages) << piece;
    EXPECT_EQ(deframer.pending(), 0U);
  }
}

TEST(DnsFraming, IncompleteMessageIsPending) {
  MessageDeframer deframer;
  deframer.receive(Bytes{0, 2, 1});
  EXPECT_FALSE(deframer.next());
  EXPECT_EQ(deframer.pending(), 3U);
}

TEST(Base64Url, FollowsTheVectorsOfRfc4648) {
  const std::pair<std::string, const char*> rows[] = {{"", ""},           {"f", "Zg"},
                                                      {"fo", "Zm8"},      {"foo", "Zm9v"},
                                                      {"foob", "Zm9vYg"}, {"\xfb\xff", "-_8"}};
  for (const auto& [plain, encoded] : rows) {
    const Bytes bytes(plain.begin(), plain.end());
    EXPECT_EQ(base64url_encode(bytes), encoded);
    EXPECT_EQ(base64url_decode(encoded), bytes);
  }
}

TEST(Base64Url, RefusesEverythingElse) {
  for (const char* text : {"Zg==", "Z", "Zg\n", "Zh", "Zm9", "+/8", "Zm9vY"}) {
    EXPECT_FALSE(base64url_decode(text)) << text;
  }
}

}  // namespace
}  // namespace transport
