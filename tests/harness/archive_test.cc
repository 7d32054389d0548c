// tar.zst files: what is packed comes back, and what others made is refused with a reason.

#include "harness/archive.hh"

#include "base/file_descriptor.hh"
#include "base/temporary_folder.hh"
#include "harness/scenario_error.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <archive.h>
#include <archive_entry.h>
#include <string>
#include <utility>
#include <vector>

namespace harness {
namespace {

using testing::HasSubstr;

class Archive : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "a.tar.zst"; }

  // An archive such as labrun would never write: (path, type) each.
  void write_foreign(const std::vector<std::pair<std::string, unsigned>>& entries) const {
    archive* to = ::archive_write_new();
    ::archive_write_set_format_pax_restricted(to);
    ::archive_write_add_filter_zstd(to);
    ::archive_write_open_filename(to, file().c_str());
    for (const auto& [path, type] : entries) {
      archive_entry* entry = ::archive_entry_new();
      ::archive_entry_set_pathname(entry, path.c_str());
      ::archive_entry_set_filetype(entry, type);
      if (type == AE_IFLNK) ::archive_entry_set_symlink(entry, "/etc/passwd");
      ::archive_entry_set_size(entry, 0);
      ::archive_write_header(to, entry);
      ::archive_entry_free(entry);
    }
    ::archive_write_free(to);
  }

  std::string refusal() const {
    try {
      read_archive(file());
    } catch (const BadInput& problem) {
      return problem.what();
    }
    return "accepted";
  }

  base::TemporaryFolder folder_;
};

TEST_F(Archive, GivesBackWhatWasPacked) {
  const ArchiveFiles files{{"README.md", "# words\n"},
                           {"captures/0-client.pcapng", std::string("\0\x0a\xff", 3)},
                           {"empty", ""}};
  write_archive(file(), "run", files);
  EXPECT_EQ(read_archive(file()), files);
}

TEST_F(Archive, OfEqualFilesIsEqual) {
  const ArchiveFiles files{{"a", "1"}, {"b", std::string(100'000, 'x')}};
  write_archive(file(), "run", files);
  write_archive(folder_.path() / "again", "run", files);
  EXPECT_EQ(base::read_file(file()), base::read_file(folder_.path() / "again"));
  // Behind compressed bytes nothing may follow.
  EXPECT_LT(base::read_file(file()).size(), 1000U);
}

TEST_F(Archive, RefusesPathsThatLeadOutOfIt) {
  for (const char* path : {"/etc/passwd", "../x", "run/../../x", "./run/x"}) {
    write_foreign({{path, AE_IFREG}});
    EXPECT_THAT(refusal(), HasSubstr("leads out of it")) << path;
  }
}

TEST_F(Archive, RefusesLinksTwinsAndSecondFolders) {
  write_foreign({{"run/link", AE_IFLNK}});
  EXPECT_THAT(refusal(), HasSubstr("link is no plain file"));
  write_foreign({{"run/a", AE_IFREG}, {"run/a", AE_IFREG}});
  EXPECT_THAT(refusal(), HasSubstr("a is in it twice"));
  write_foreign({{"run/a", AE_IFREG}, {"other/a", AE_IFREG}});
  EXPECT_THAT(refusal(), HasSubstr("more than one folder"));
}

TEST_F(Archive, RefusesWhatIsNone) {
  EXPECT_THAT(refusal(), HasSubstr("is no file"));
  base::write_file_atomically(file(), "plain words");
  EXPECT_THAT(refusal(), HasSubstr("is no bundle of labrun"));
  write_foreign({});
  EXPECT_THAT(refusal(), HasSubstr("it is empty"));
}

TEST_F(Archive, RefusesOneThatWasCutShort) {
  write_archive(file(), "run", {{"a", std::string(1000, 'x')}, {"b", "words"}});
  const std::string whole = base::read_file(file());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    base::write_file_atomically(file(), whole.substr(0, length));
    EXPECT_NE(refusal(), "accepted") << length;
  }
}

}  // namespace
}  // namespace harness
