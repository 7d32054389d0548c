#pragma once

// The folder that a run leaves behind (docs/run-directory.md). Everything in it is written so that
// a kill at any moment leaves a folder that says it is incomplete, with the finished blocks
// readable.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace harness {

// Who shall own what we write: under sudo the user who called it, otherwise nobody in particular.
struct Owner {
  uid_t user = 0;
  gid_t group = 0;
};
std::optional<Owner> invoking_user();

class RunDirectory {
 public:
  // Creates the folder and what it always holds. `chosen` must not exist yet, or be empty; without
  // it the name is runs/<name>-<utc>. Throws LabError that says what to do where it cannot be
  // written.
  static RunDirectory create(const std::optional<std::filesystem::path>& chosen,
                             std::string_view scenario_name);

  // One that create() made and whose work was interrupted.
  static RunDirectory reopen(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path captures() const { return path_ / "captures"; }
  std::filesystem::path logs() const { return path_ / "logs"; }
  // Where a block's own process writes; emptied into the other folders when the block is done.
  std::filesystem::path block(std::uint32_t index) const;
  // The lab kernels' own bookkeeping; gone when the run ends.
  std::filesystem::path scratch(std::uint32_t index) const;

  void write(std::string_view name, std::string_view bytes) const;
  void append(std::string_view name, std::string_view bytes) const;
  // Takes the working folders away and gives everything to the invoking user. Never throws: a run
  // that could not be handed over is still a run.
  void hand_over() const noexcept;

 private:
  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  void create_folders() const;
  std::filesystem::path path_;
};

}  // namespace harness
