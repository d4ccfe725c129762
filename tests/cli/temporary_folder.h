#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace spoor::test {

/// An empty folder of its own that goes with the test.
struct TemporaryFolder {
  std::string path;

  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "spoor-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;  // A folder that stays behind fails no test.
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

}  // namespace spoor::test
