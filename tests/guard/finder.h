#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json/writer.h"
#include "tests/guard/corpus.h"
#include "tests/store/temp_dir.h"

// Many secrets looked for in the files of a folder, in every form in which they might lie about.
namespace spoor::guard {

namespace fs = std::filesystem;

/// A folder that is gone when the test is.
struct Folder {
  std::string store() const { return temporary / "store"; }

  const store::TempDir temporary;
  const fs::path path = temporary.path();
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

/// As JSON has it in a string.
inline std::string escaped(const std::string& text) {
  std::string out;
  json::append_escaped_repaired(out, text);
  return out;
}

/// Every form in which a text might lie about: as it is, as JSON escapes it, and as base64 has it,
/// wherever in a group of three bytes it begins.
inline std::vector<std::string> forms_of(const std::string& text) {
  std::vector<std::string> forms = {text, escaped(text)};
  for (std::size_t shift = 0; shift < 3; ++shift) {
    const std::string coded = base64_of(std::string(shift, 'x') + text);
    forms.push_back(coded.substr(4, coded.size() / 4 * 4 - 8));
  }
  return forms;
}

inline void add_forms(Finder& finder, const std::string& secret, std::size_t owner) {
  for (const std::string& form : forms_of(secret)) finder.add(form, owner);
}

/// `store-wal: TEXT` for each of `texts` that is in a file of the folder.
inline std::vector<std::string> found_in(const Folder& folder,
                                         const std::vector<std::string>& texts) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder.path)) {
    const std::string bytes = bytes_of(entry.path());
    for (const std::string& text : texts) {
      if (bytes.find(text) == std::string::npos) continue;
      found.push_back(entry.path().filename().string() + ": " + text);
    }
  }
  return found;
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

}  // namespace spoor::guard
