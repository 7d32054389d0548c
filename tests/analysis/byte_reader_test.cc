#include "analysis/byte_reader.hh"

#include <gtest/gtest.h>

namespace analysis {
namespace {

using transport::Bytes;

TEST(ByteReader, ReadsIntegersVarintsAndVectors) {
  const Bytes bytes{1, 2, 3, 0x40, 0x25, 2, 'a', 'b', 9};
  ByteReader reader(bytes);
  EXPECT_EQ(reader.integer(1), 1U);
  EXPECT_EQ(reader.integer(2), 0x0203U);
  EXPECT_EQ(reader.varint(), 0x25U);
  EXPECT_EQ(reader.vector(1).size(), 2U);
  EXPECT_EQ(reader.at(), 8U);
  EXPECT_EQ(reader.left(), 1U);
  EXPECT_EQ(reader.rest().size(), 1U);
  EXPECT_TRUE(reader.rest().empty());
  EXPECT_FALSE(reader.failed());
}

// RFC 9000 section A.1.
TEST(ByteReader, ReadsThePublishedVarints) {
  const Bytes bytes{0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c,
                    0x9d, 0x7f, 0x3e, 0x7d, 0x7b, 0xbd, 0x25};
  ByteReader reader(bytes);
  EXPECT_EQ(reader.varint(), 151'288'809'941'952'652U);
  EXPECT_EQ(reader.varint(), 494'878'333U);
  EXPECT_EQ(reader.varint(), 15'293U);
  EXPECT_EQ(reader.varint(), 37U);
}

TEST(ByteReader, FirstFailureSticks) {
  const Bytes bytes{5, 1, 2};
  ByteReader reader(bytes);
  EXPECT_TRUE(reader.vector(1).empty());
  EXPECT_TRUE(reader.failed());
  EXPECT_EQ(reader.integer(1), 0U);
  EXPECT_EQ(reader.varint(), 0U);
  EXPECT_EQ(reader.left(), 0U);
  EXPECT_TRUE(reader.rest().empty());
  EXPECT_TRUE(reader.failed());
  ByteReader cut(Bytes{});
  EXPECT_EQ(cut.varint(), 0U);
  EXPECT_TRUE(cut.failed());
}

TEST(ByteReader, NoLengthIsTooLarge) {
  const Bytes bytes{1, 2, 3};
  ByteReader reader(bytes);
  reader.integer(1);
  EXPECT_TRUE(reader.span(~std::uint64_t{0}).empty());
  EXPECT_TRUE(reader.failed());
}

}  // namespace
}  // namespace analysis
