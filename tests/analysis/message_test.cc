#include "analysis/message.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace analysis {
namespace {

using enum MessageKind;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(MessageMap, SaysWhatOfEachMessageLiesInARange) {
  MessageMap map;
  map.add({.kind = kServerHello, .begin = 0, .end = 10});
  map.add({.kind = kCertificate, .begin = 10, .end = 40});
  map.add({.kind = kFinished, .begin = 50, .end = 60});  // what lies between is no message
  EXPECT_THAT(map.parts(5, 55),
              ElementsAre(MessagePart{.kind = kServerHello, .total = 10, .offset = 5, .length = 5},
                          MessagePart{.kind = kCertificate, .total = 30, .offset = 0, .length = 30},
                          MessagePart{.kind = kFinished, .total = 10, .offset = 0, .length = 5}));
  EXPECT_THAT(map.parts(40, 50), IsEmpty());
  EXPECT_THAT(map.parts(60, 100), IsEmpty());
  const MessagePart middle = map.parts(20, 30).at(0);
  EXPECT_FALSE(middle.whole() || middle.first() || middle.last());
  EXPECT_TRUE(map.parts(30, 40).at(0).last());
}

TEST(MessageMap, EmptyRangeHoldsNothing) {
  MessageMap map;
  map.add({.kind = kCertificate, .begin = 10, .end = 40});
  EXPECT_THAT(map.parts(20, 20), IsEmpty());
  EXPECT_THAT(map.parts(10, 10), IsEmpty());
}

TEST(MessageMap, KeepsNoMoreThanItsLimit) {
  MessageMap map;
  for (std::uint64_t index = 0; index < MessageMap::kMaxMessages + 5; ++index)
    map.add({.kind = kAlert, .begin = index, .end = index + 1});
  EXPECT_EQ(map.messages().size(), MessageMap::kMaxMessages);
}

TEST(MessageKind, HasAName) {
  EXPECT_EQ(to_string(kClientHello), "ClientHello");
  EXPECT_EQ(to_string(kDnsAnswer), "DNS answer");
  EXPECT_TRUE(is_handshake(kFinished));
  EXPECT_FALSE(is_handshake(kNewSessionTicket));  // comes long after the handshake
  EXPECT_FALSE(is_handshake(kChangeCipherSpec));
}

}  // namespace
}  // namespace analysis
