#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace fuzz {

/// A folder for one run of a target, in memory where the system keeps one there. It goes with the
/// process; one that dies leaves it behind.
class Folder {
 public:
  Folder() {
    std::error_code problem;
    const bool has_memory = std::filesystem::is_directory("/dev/shm", problem);
    std::string pattern =
        (has_memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) +
        "/spoor-fuzz-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Removes an SQLite file and what lies beside it.
inline void remove_database(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal", "-lock", "-mark"}) {
    std::filesystem::remove(path + suffix, ignored);
  }
}

}  // namespace fuzz
