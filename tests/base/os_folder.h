#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace spoor::os {

/// A temporary folder of a test.
class Folder {
 public:
  Folder() {
    std::string made = (std::filesystem::temp_directory_path() / "spoor-os-XXXXXX").string();
    REQUIRE(::mkdtemp(made.data()) != nullptr);
    path_ = std::filesystem::canonical(made);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

  void write(const std::string& name, const std::string& text, bool append = false) const {
    std::ofstream file(path_ / name, append ? std::ios::app : std::ios::trunc);
    file << text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace spoor::os
