#include "harness/trial_store.hh"

#include "analysis/trial_json.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "base/temporary_folder.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace harness {
namespace {

using namespace std::chrono_literals;
using analysis::End;
using analysis::LossPattern;
using analysis::Trial;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const LossPattern kNone;
const LossPattern kFirst{{.from = End::kClient, .ordinal = 1}};

Trial answered(LossPattern pattern, base::Nanoseconds time) {
  return {.pattern = std::move(pattern),
          .packets = {{.name = {.from = End::kClient, .ordinal = 1},
                       .at = 5us,
                       .bytes = 60,
                       .meaning = "DNS query",
                       .signature = "dns-query"}},
          .outcome = captures::Outcome::kAnswered,
          .time = time};
}

class TrialStoreTest : public testing::Test {
 protected:
  std::string text() const { return base::read_file(file); }
  void write(const std::string& text) const { base::write_file_atomically(file, text); }

  base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "trials.jsonl";
  const std::string lossless = to_json_line(answered(kNone, 40ms)) + '\n';
  const std::string first_lost = to_json_line(answered(kFirst, 1040ms)) + '\n';
};

TEST_F(TrialStoreTest, BeginsEmptyAndAppends) {
  TrialStore store(file);
  EXPECT_FALSE(store.take(kNone));
  store.add(answered(kNone, 40ms));
  EXPECT_EQ(text(), lossless);
  store.add(answered(kFirst, 1040ms));
  EXPECT_EQ(text(), lossless + first_lost);
  // What was run here is not asked for again.
  EXPECT_FALSE(store.take(kNone));
}

TEST_F(TrialStoreTest, GivesEachTrialOnce) {
  write(lossless + first_lost);
  TrialStore store(file);
  EXPECT_EQ(store.take(kFirst), answered(kFirst, 1040ms));
  EXPECT_FALSE(store.take(kFirst)) << "who asks again wants it run anew";
  EXPECT_EQ(store.take(kNone), answered(kNone, 40ms));
  EXPECT_EQ(text(), lossless + first_lost) << "the file keeps what was taken";
}

TEST_F(TrialStoreTest, TheLastOfEqualPatternsCounts) {
  write(lossless + to_json_line(answered(kNone, 41ms)) + '\n');
  EXPECT_EQ(TrialStore(file).take(kNone), answered(kNone, 41ms));
}

TEST_F(TrialStoreTest, TakesAwayALineThatWasCutShort) {
  for (const std::size_t left : {std::size_t{1}, first_lost.size() / 2, first_lost.size() - 1}) {
    write(lossless + first_lost.substr(0, left));
    TrialStore store(file);
    EXPECT_EQ(text(), lossless);
    EXPECT_FALSE(store.take(kFirst));
    EXPECT_TRUE(store.take(kNone));
    store.add(answered(kFirst, 1040ms));
    EXPECT_EQ(text(), lossless + first_lost);
  }
}

TEST_F(TrialStoreTest, TakesAwayAFirstLineThatWasCutShort) {
  write(lossless.substr(0, 20));
  TrialStore store(file);
  EXPECT_THAT(text(), IsEmpty());
  store.add(answered(kNone, 40ms));
  EXPECT_EQ(text(), lossless);
  EXPECT_TRUE(TrialStore(file).take(kNone));
}

TEST_F(TrialStoreTest, NamesALineThatCannotBeRead) {
  write(lossless + "{\"pattern\":[\"c0\"]}\n" + first_lost);
  try {
    const TrialStore store(file);
    ADD_FAILURE() << "accepted";
  } catch (const base::LabError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(file.string()), HasSubstr("line 2: pattern")));
  }
  EXPECT_THROW(static_cast<void>(read_trials(file)), base::LabError);
}

TEST_F(TrialStoreTest, ReadsAllTrialsInTheirOrder) {
  EXPECT_THAT(read_trials(file), IsEmpty());
  write(first_lost + lossless + first_lost + lossless.substr(0, 9));
  EXPECT_THAT(read_trials(file), ElementsAre(answered(kFirst, 1040ms), answered(kNone, 40ms),
                                             answered(kFirst, 1040ms)));
  EXPECT_EQ(text(), first_lost + lossless + first_lost + lossless.substr(0, 9))
      << "reading changes nothing";
}

}  // namespace
}  // namespace harness
