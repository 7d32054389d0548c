#include "harness/process_log.hh"

#include "base/file_descriptor.hh"
#include "base/temporary_folder.hh"

#include <gtest/gtest.h>

namespace harness {
namespace {

class ProcessLog : public testing::Test {
 protected:
  base::TemporaryFolder folder_;
  std::filesystem::path log_ = folder_.path() / "server.log";
};

TEST_F(ProcessLog, OfNothingSaysNothing) {
  EXPECT_EQ(end_of_log(log_), "nothing");
  base::write_file_atomically(log_, "\n");
  EXPECT_EQ(end_of_log(log_), "nothing");
}

TEST_F(ProcessLog, EndIsShortAndPrintable) {
  base::write_file_atomically(log_, std::string(5000, 'x') + "\xff\x1b[31m\nlast\n");
  const std::string end = end_of_log(log_);
  EXPECT_LE(end.size(), 2000U);
  EXPECT_TRUE(end.ends_with("x??[31m\nlast")) << end;
}

TEST_F(ProcessLog, NotesFollowWhatIsThere) {
  base::write_file_atomically(log_, "said\n");
  note_in_log(log_, "started again");
  EXPECT_EQ(base::read_file(log_), "said\n[labrun: started again]\n");
}

}  // namespace
}  // namespace harness
