#include "harness/archive.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/scenario_error.hh"

#include <sys/stat.h>

#include <archive.h>
#include <archive_entry.h>
#include <format>
#include <memory>
#include <optional>
#include <string_view>

namespace harness {
namespace {

using Writer = std::unique_ptr<archive, decltype(&archive_write_free)>;
using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;
using Entry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

void check(int code, archive* of, std::string_view what) {
  if (code != ARCHIVE_OK)
    throw base::LabError(std::format("{}: {}", what, ::archive_error_string(of)));
}

la_ssize_t append(archive*, void* bytes, const void* piece, std::size_t length) {
  static_cast<std::string*>(bytes)->append(static_cast<const char*>(piece), length);
  return static_cast<la_ssize_t>(length);
}

std::string packed(const std::string& folder, const ArchiveFiles& files) {
  std::string bytes;
  const Writer writer(::archive_write_new(), ::archive_write_free);
  archive* to = writer.get();
  check(::archive_write_set_format_pax_restricted(to), to, "write a tar archive");
  check(::archive_write_add_filter_zstd(to), to, "compress with zstd");
  check(::archive_write_set_options(to, "zstd:compression-level=19"), to, "compress with zstd");
  // Blocks of tapes would be filled up behind the compressed bytes.
  check(::archive_write_set_bytes_in_last_block(to, 1), to, "write an archive");
  check(::archive_write_open(to, &bytes, nullptr, append, nullptr), to, "write an archive");
  for (const auto& [name, text] : files) {
    const Entry entry(::archive_entry_new(), ::archive_entry_free);
    ::archive_entry_set_pathname(entry.get(), std::format("{}/{}", folder, name).c_str());
    ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
    ::archive_entry_set_filetype(entry.get(), AE_IFREG);
    ::archive_entry_set_perm(entry.get(), name.ends_with(".sh") ? 0755 : 0644);
    check(::archive_write_header(to, entry.get()), to, "pack " + name);
    if (::archive_write_data(to, text.data(), text.size()) != static_cast<la_ssize_t>(text.size()))
      throw base::LabError(std::format("pack {}: {}", name, ::archive_error_string(to)));
  }
  check(::archive_write_close(to), to, "write an archive");
  return bytes;
}

// Reads one archive, which anybody may have made.
class Unpacker {
 public:
  explicit Unpacker(const std::filesystem::path& file)
      : file_(file), reader_(::archive_read_new(), ::archive_read_free) {
    archive* from = reader_.get();
    ::archive_read_support_filter_zstd(from);
    ::archive_read_support_format_tar(from);
    constexpr std::size_t kBlock = 1U << 16U;
    if (::archive_read_open_filename(from, file.c_str(), kBlock) != ARCHIVE_OK) refuse_broken();
  }

  ArchiveFiles files() {
    ArchiveFiles files;
    while (archive_entry* entry = next()) {
      const std::string name = name_of(entry);
      if (::archive_entry_filetype(entry) == AE_IFDIR) continue;
      if (::archive_entry_filetype(entry) != AE_IFREG || ::archive_entry_hardlink(entry) != nullptr)
        refuse(name + " is no plain file");
      if (files.size() >= kMaxArchiveFiles) refuse("it holds too many files");
      if (!files.emplace(name, contents()).second) refuse(name + " is in it twice");
    }
    if (files.empty()) refuse("it is empty");
    return files;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw BadInput(std::format("labrun: {} is no bundle of labrun: {}", file_.string(), why));
  }
  [[noreturn]] void refuse_broken() const {
    const char* why = ::archive_error_string(reader_.get());
    refuse(why == nullptr ? "it cannot be read" : why);
  }

  archive_entry* next() {
    archive_entry* entry = nullptr;
    const int code = ::archive_read_next_header(reader_.get(), &entry);
    if (code == ARCHIVE_EOF) return nullptr;
    if (code != ARCHIVE_OK) refuse_broken();
    return entry;
  }

  // Without the folder that all have in common.
  std::string name_of(archive_entry* entry) {
    const char* text = ::archive_entry_pathname(entry);
    if (text == nullptr) refuse("a name in it cannot be read");
    const std::filesystem::path path = std::filesystem::path(text).lexically_normal();
    const bool below = path.is_relative() && path == std::filesystem::path(text) &&
                       *path.begin() != ".." && *path.begin() != ".";
    if (!below) refuse(std::format("the path {} leads out of it", text));
    if (!folder_) folder_ = *path.begin();
    if (*folder_ != *path.begin()) refuse("it holds more than one folder");
    return path.lexically_relative(*folder_).generic_string();
  }

  std::string contents() {
    std::string text;
    char piece[1U << 16U];
    for (;;) {
      const la_ssize_t count = ::archive_read_data(reader_.get(), piece, sizeof piece);
      if (count < 0) refuse_broken();
      if (count == 0) return text;
      total_ += static_cast<std::size_t>(count);
      if (total_ > kMaxArchiveBytes) refuse("it is too large");
      text.append(piece, static_cast<std::size_t>(count));
    }
  }

  std::filesystem::path file_;
  Reader reader_;
  std::optional<std::filesystem::path> folder_;
  std::size_t total_ = 0;
};

}  // namespace

void write_archive(const std::filesystem::path& file, const std::string& folder,
                   const ArchiveFiles& files) {
  base::write_file_atomically(file, packed(folder, files));
}

ArchiveFiles read_archive(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file))
    throw BadInput(std::format("labrun: {} is no file", file.string()));
  return Unpacker(file).files();
}

}  // namespace harness
