#include "harness/server_end.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace harness {
namespace {

using testing::HasSubstr;
using testing::Not;

nlohmann::json end(std::string arm, std::string query, std::string said, int block) {
  nlohmann::json entry = to_json({.arm = std::move(arm),
                                  .program = "unbound",
                                  .query = std::move(query),
                                  .how = "ended (signal 11 (Segmentation fault)) during a query",
                                  .log = "logs/0-unbound-0.log",
                                  .said = std::move(said)});
  entry["block"] = block;
  return entry;
}

TEST(ServerEnds, AreOneLineForEachKind) {
  const nlohmann::json ends{end("", "do53:5", "oh\nno", 0), end("", "do53:11", "again", 1),
                            end("x", "x/do53:1", "nothing", 0)};
  EXPECT_EQ(server_ends_text(ends),
            "unbound ended (signal 11 (Segmentation fault)) during a query (2 times, first at "
            "do53:5); it said: oh no; see logs/0-unbound-0.log\n"
            "unbound of x ended (signal 11 (Segmentation fault)) during a query (at x/do53:1); it "
            "said: nothing; see logs/0-unbound-0.log");
}

TEST(ServerEnds, WithoutAQueryNameTheBlock) {
  EXPECT_THAT(server_ends_text(nlohmann::json::array({end("", "", "x", 7)})),
              HasSubstr("(in block 7)"));
}

TEST(ServerEnds, KeepLongWordsShort) {
  const std::string text =
      server_ends_text(nlohmann::json::array({end("", "", std::string(5000, 'x'), 0)}));
  EXPECT_THAT(text, Not(HasSubstr(std::string(61, 'x'))));
}

}  // namespace
}  // namespace harness
