#include "analysis/byte_stream.hh"

#include "base/rng.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace analysis {
namespace {

using transport::Bytes;
using transport::ByteSpan;

// The byte that every sender of these tests has at `position`.
std::uint8_t byte_at(std::uint64_t position) {
  return static_cast<std::uint8_t>(position * 37 >> 2U);
}

Bytes piece(std::uint64_t begin, std::uint64_t end) {
  Bytes bytes;
  for (std::uint64_t position = begin; position < end; ++position)
    bytes.push_back(byte_at(position));
  return bytes;
}

TEST(ByteStream, GivesWhatBecomesContiguous) {
  ByteStream stream;
  EXPECT_EQ(stream.add(0, piece(0, 10)), piece(0, 10));
  EXPECT_TRUE(stream.add(20, piece(20, 30)).empty());
  EXPECT_TRUE(stream.has_hole());
  EXPECT_EQ(stream.highest(), 30U);
  EXPECT_EQ(stream.contiguous(), 10U);
  EXPECT_EQ(stream.add(10, piece(10, 20)), piece(10, 30));
  EXPECT_FALSE(stream.has_hole());
}

TEST(ByteStream, RepeatsGiveNothing) {
  ByteStream stream;
  stream.add(0, piece(0, 10));
  EXPECT_TRUE(stream.add(0, piece(0, 10)).empty());
  EXPECT_TRUE(stream.add(3, piece(3, 7)).empty());
  EXPECT_TRUE(stream.add(4, {}).empty());
  EXPECT_EQ(stream.add(5, piece(5, 15)), piece(10, 15));
}

TEST(ByteStream, WhatWasGivenDoesNotChange) {
  ByteStream stream;
  stream.add(0, Bytes{1, 1});
  EXPECT_EQ(stream.add(0, Bytes{2, 2, 2}), Bytes{2});
}

TEST(ByteStream, LongerCopyOfAWaitingPieceCounts) {
  ByteStream stream;
  stream.add(5, piece(5, 6));
  stream.add(5, piece(5, 9));
  stream.add(5, piece(5, 7));
  EXPECT_EQ(stream.add(0, piece(0, 5)), piece(0, 9));
}

TEST(ByteStream, ForgetsWhatIsTooMuchToKeep) {
  ByteStream stream;
  const Bytes large(ByteStream::kMaxWaitingBytes - 1, 7);
  EXPECT_TRUE(stream.add(2, large).empty());
  EXPECT_TRUE(stream.add(2 + large.size(), Bytes{8, 9}).empty());  // one byte too many
  EXPECT_EQ(stream.add(0, Bytes{1, 2}).size(), 2 + large.size());
  EXPECT_TRUE(stream.has_hole());
  // There is room again.
  EXPECT_TRUE(stream.add(10 + large.size(), Bytes(100, 1)).empty());
  EXPECT_EQ(stream.add(2 + large.size(), Bytes(8, 2)).size(), 108U);
}

TEST(ByteStream, AnyOrderOfAnyPiecesGivesTheStream) {
  base::Rng rng(1);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t size = 1 + rng.below(200);
    std::vector<bool> seen(size);
    ByteStream stream;
    Bytes given;
    while (given.size() < size) {
      const std::uint64_t begin = rng.below(size + 1);
      const std::uint64_t end = begin + rng.below(std::min<std::uint64_t>(size - begin, 20) + 1);
      std::fill(seen.begin() + static_cast<std::ptrdiff_t>(begin),
                seen.begin() + static_cast<std::ptrdiff_t>(end), true);
      transport::append(given, stream.add(begin, piece(begin, end)));
      const auto hole = std::ranges::find(seen, false) - seen.begin();
      ASSERT_EQ(given.size(), static_cast<std::size_t>(hole));
      ASSERT_EQ(stream.contiguous(), given.size());
    }
    EXPECT_EQ(given, piece(0, size));
  }
}

}  // namespace
}  // namespace analysis
