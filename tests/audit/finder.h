#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compile/json/writer.h"
#include "tests/audit/corpus.h"

// Many secrets looked for in the files of a folder, in every form in which they might lie about.
namespace spoor::audit {

namespace fs = std::filesystem;

/// A folder that is gone when the test is.
struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "spoor-disk-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

inline std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Which of many texts stand in others: by their first eight bytes.
class Finder {
 public:
  void add(const std::string& needle, std::size_t owner) {
    if (needle.size() >= kKey) needles_[needle.substr(0, kKey)].push_back({needle, owner});
  }

  // The owners of the needles in `hay`.
  std::vector<std::size_t> find(std::string_view hay) const {
    std::vector<std::size_t> owners;
    for (std::size_t i = 0; i + kKey <= hay.size(); ++i) {
      const auto found = needles_.find(std::string(hay.substr(i, kKey)));
      if (found == needles_.end()) continue;
      for (const auto& [needle, owner] : found->second) {
        if (hay.substr(i, needle.size()) == needle) owners.push_back(owner);
      }
    }
    return owners;
  }

 private:
  static constexpr std::size_t kKey = 8;
  std::unordered_map<std::string, std::vector<std::pair<std::string, std::size_t>>> needles_;
};

/// A secret in every form in which it might lie about: as it is, as JSON escapes it, and as base64
/// has it, wherever in a group of three bytes it begins.
inline void add_forms(Finder& finder, const std::string& secret, std::size_t owner) {
  finder.add(secret, owner);
  std::string escaped;
  compile::json::append_escaped_repaired(escaped, secret);
  finder.add(escaped, owner);
  for (std::size_t shift = 0; shift < 3; ++shift) {
    const std::string coded = base64_of(std::string(shift, 'x') + secret);
    const std::size_t whole = coded.size() / 4 * 4 - 4;
    finder.add(coded.substr(4, whole - 4), owner);
  }
}

/// Looks for all secrets at once.
class SecretFinder {
 public:
  explicit SecretFinder(const std::vector<Told>& secrets) : secrets_(secrets) {
    for (std::size_t i = 0; i < secrets.size(); ++i) add_forms(finder_, secrets[i].secret, i);
  }

  /// `store-wal: aws-key` for each that is in a file below `folder`.
  std::vector<std::string> found_in(const fs::path& folder) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      for (const std::size_t i : finder_.find(bytes_of(entry.path()))) {
        found.push_back(entry.path().filename().string() + ": " + secrets_[i].kind + " " +
                        std::to_string(i) + ": " + secrets_[i].text);
      }
    }
    return found;
  }

 private:
  const std::vector<Told>& secrets_;
  Finder finder_;
};

}  // namespace spoor::audit
