#include "cli/store_path.h"

#include <filesystem>
#include <system_error>

#include "cli/git/work_tree.h"

namespace spoor::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = ".spoor";

bool is_folder(const fs::path& path) {
  std::error_code problem;
  return fs::is_directory(path, problem);
}

bool is_file(const fs::path& path) {
  std::error_code problem;
  return fs::is_regular_file(path, problem);
}

}  // namespace

std::string user_store(const Environment& environment) {
  const std::string home = data_home(environment);
  return home.empty() ? home : (fs::path(home) / kFileName).string();
}

std::string named_store(const Environment& environment, const std::string& given) {
  std::string path = given;
  if (path.empty())
    path = expand_home(environment, environment.variable("SPOOR_STORE").value_or(""));
  if (path.empty()) return path;
  fs::path full = fs::path(environment.directory()) / path;
  if (is_folder(full)) full /= kFileName;
  fs::path shown;  // Without `.`; what `..` means depends on links.
  for (const fs::path& part : full) {
    if (part != ".") shown /= part;
  }
  return shown.string();
}

std::string find_store(const Environment& environment, const std::string& given) {
  if (std::string named = named_store(environment, given); !named.empty()) return named;
  fs::path folder = environment.directory();
  while (!is_file(folder / kFileName)) {
    if (!folder.has_parent_path() || folder == folder.parent_path()) {
      std::string own = user_store(environment);
      return is_file(own) ? own : std::string();
    }
    folder = folder.parent_path();
  }
  return (folder / kFileName).string();
}

std::string project_folder(const Environment& environment) {
  const auto tree = git::find_work_tree(environment.directory());
  return tree ? tree->folder : environment.directory();
}

std::string new_store_path(const Environment& environment, const std::string& given) {
  fs::path full = fs::path(environment.directory()) / given;
  if (given.empty() || is_folder(full)) full /= kFileName;
  return full.lexically_normal().string();
}

}  // namespace spoor::cli
