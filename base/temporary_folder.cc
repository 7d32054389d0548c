#include "base/temporary_folder.hh"

#include "base/errors.hh"

#include <system_error>

#include <stdlib.h>
#include <string>

namespace base {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "labrun-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) check_syscall(-1, "create a folder like {}", name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // nothing that a person could do about it
  if (!kept_) fs::remove_all(path_, ignored);
}

}  // namespace base
