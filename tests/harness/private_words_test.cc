// What must not be handed on is replaced where it is a word or path of its own, and nowhere else.

#include "harness/private_words.hh"

#include <gtest/gtest.h>

#include <cstdlib>

namespace harness {
namespace {

PrivateWords some_words() {
  return PrivateWords({{"/home/ada", "HOME"},
                       {"/home/ada/labrun/runs/x", "FOLDER"},
                       {"ada", "USER"},
                       {"10.1.2.3", "ADDRESS"}});
}

TEST(PrivateWords, AreReplacedTheLongestFirst) {
  EXPECT_EQ(some_words().removed_from("in /home/ada/labrun/runs/x/plan.json of ada"),
            "in FOLDER/plan.json of USER");
  EXPECT_EQ(some_words().removed_from("/home/ada/other and \"ada\": 10.1.2.3:53"),
            "HOME/other and \"USER\": ADDRESS:53");
}

TEST(PrivateWords, ArePartsOfNoOtherWord) {
  const std::string text = "adapter ada_x ada-y nada 10.1.2.30 110.1.2.3 /home/adams";
  EXPECT_EQ(some_words().removed_from(text), text);
  EXPECT_EQ(some_words().found_in(text), "");
}

TEST(PrivateWords, AreFoundInBytesOfAnyKind) {
  EXPECT_EQ(some_words().found_in(std::string_view("\0\x01/home/ada\0", 12)), "/home/ada");
  EXPECT_EQ(some_words().found_in("nothing"), "");
}

TEST(PrivateWords, OfThisMachineKnowTheHomeDirectoryAndWhatIsAdded) {
  ::setenv("HOME", "/home/somebody-nobody-is", 1);
  const PrivateWords words = PrivateWords::of_this_machine({"/srv/lab/root", "/", "/tmp"});
  EXPECT_EQ(words.removed_from("/home/somebody-nobody-is/a /srv/lab/root/b /tmp/c"),
            "HOME/a FOLDER/b /tmp/c");
}

}  // namespace
}  // namespace harness
