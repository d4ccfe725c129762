#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "agent/builtin/builtin.h"

namespace spoor::agent::builtin {

/// A folder with a root in it and a place outside, for one test.
class Stage {
 public:
  explicit Stage(const std::filesystem::path& beneath = std::filesystem::temp_directory_path()) {
    std::string name = (beneath / "spoor-tools-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = std::filesystem::canonical(name);
    std::filesystem::create_directory(root());
    std::filesystem::create_directory(outside());
    settings.root = root().string();
    settings.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  }
  ~Stage() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  std::filesystem::path root() const { return folder_ / "root"; }
  std::filesystem::path outside() const { return folder_ / "outside"; }

  /// Writes a file beneath the root, with the folders on the way.
  void put(const std::string& path, const std::string& bytes) const {
    std::filesystem::create_directories((root() / path).parent_path());
    std::ofstream(root() / path, std::ios::binary) << bytes;
  }

  std::string get(const std::string& path) const { return bytes_of(root() / path); }

  static std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Tool tool(const std::string& name) const {
    const std::vector<std::string> names = {name};
    return make_tools(names, settings).value().front();
  }

  ToolResult call(const std::string& name, const nlohmann::json& arguments,
                  const ToolContext& context = {}) const {
    return tool(name).run(arguments.dump(), context);
  }

  Settings settings;

 private:
  std::filesystem::path folder_;
};

}  // namespace spoor::agent::builtin
