#include "captures/keylog.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <format>

namespace captures {
namespace {

const std::string kFirst(64, 'a');
const std::string kSecond(64, 'b');
const std::string kSecret(64, '1');

std::string line(std::string_view label, std::string_view random, std::string_view secret) {
  return std::format("{} {} {}\n", label, random, secret);
}

TEST(KeylogLine, IsTakenInEitherCase) {
  const auto parsed =
      parse_keylog_line("CLIENT_TRAFFIC_SECRET_0 " + std::string(64, 'A') + " " + kSecret + "\r");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->label, "CLIENT_TRAFFIC_SECRET_0");
  EXPECT_EQ(parsed->client_random, kFirst);
  EXPECT_EQ(parsed->secret, kSecret);
}

TEST(KeylogLine, MalformedOnesAreRefused) {
  for (const std::string& text :
       {std::string(), std::string("# comment"), "X " + kFirst, "x " + kFirst + " " + kSecret,
        "X " + kFirst + " ", "X " + kFirst + " 123", "X " + kFirst.substr(1) + " " + kSecret,
        "X " + kFirst + " " + kSecret + " ", "X " + kFirst + " zz",
        "X " + kFirst + " " + std::string(130, '1')})
    EXPECT_FALSE(parse_keylog_line(text)) << text;
}

TEST(KeylogCollection, UnitesBothSidesOfAConnection) {
  KeylogCollection keys;
  keys.add(line("CLIENT_HANDSHAKE_TRAFFIC_SECRET", kFirst, kSecret));
  keys.add(line("CLIENT_HANDSHAKE_TRAFFIC_SECRET", kFirst, kSecret) +
           line("SERVER_TRAFFIC_SECRET_0", kFirst, kSecret));
  EXPECT_EQ(keys.lines_of(kFirst), line("CLIENT_HANDSHAKE_TRAFFIC_SECRET", kFirst, kSecret) +
                                       line("SERVER_TRAFFIC_SECRET_0", kFirst, kSecret));
  EXPECT_EQ(keys.lines_of(kSecond), "");
}

TEST(KeylogCollection, KeepsTheOrderOfConnections) {
  KeylogCollection keys;
  keys.add(line("A", kSecond, kSecret) + line("A", kFirst, kSecret) + line("B", kSecond, kSecret));
  EXPECT_THAT(keys.client_randoms(), testing::ElementsAre(kSecond, kFirst));
}

TEST(KeylogCollection, CountsWhatItCannotRead) {
  KeylogCollection keys;
  keys.add("\n# made by a test\nrubbish\nA b c\n");
  EXPECT_EQ(keys.malformed_lines(), 2U);
  EXPECT_TRUE(keys.client_randoms().empty());
}

}  // namespace
}  // namespace captures
