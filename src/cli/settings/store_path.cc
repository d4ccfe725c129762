#include "cli/settings/store_path.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/git/work_tree.h"
#include "store/postgres/address.h"
#include "store/sha256.h"

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
  if (path.empty() || store::postgres::is_address(path)) return path;
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
  if (store::postgres::is_address(given)) return given;
  fs::path full = fs::path(environment.directory()) / given;
  if (given.empty() || is_folder(full)) full /= kFileName;
  return full.lexically_normal().string();
}

Result<std::string> files_of_store(const Environment& environment, const std::string& store) {
  if (!store::postgres::is_address(store)) return store;
  const std::string folder = TRY(require_state_home(environment)) + "/stores";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return io_error(fmt::format("cannot make '{}': {}", folder, error.message()));
  constexpr std::size_t kDigits = 16;
  return folder + "/" + store::sha256(shown_store(store)).hex(kDigits);
}

std::string shown_store(const std::string& store) {
  if (!store::postgres::is_address(store)) return store;
  // libpq reads a user and a password up to the first '@' before a '/'. One with an '@' of its own
  // is an error there, and is not shown either.
  const std::size_t begin = store.find("://") + 3;
  const std::size_t slash = std::min(store.find('/', begin), store.size());
  const std::size_t at = store.substr(0, slash).rfind('@');
  const std::size_t colon = store.find(':', begin);
  const bool has_password = at != store.npos && colon < at;
  std::string shown = has_password ? store.substr(0, colon) + store.substr(at) : store;
  // Keys may have a %-encoding, too.
  const std::size_t host = has_password ? colon : at == store.npos ? begin : at;
  std::size_t key = shown.find('?', host);
  while (key != shown.npos && ++key < shown.size()) {
    const std::size_t end = std::min(shown.find('&', key), shown.size());
    const std::size_t equals = std::min(shown.find('=', key), end);
    const std::string name = lowered(shown.substr(key, equals - key));
    const bool is_secret = name.find("password") != name.npos || name.find('%') != name.npos;
    if (is_secret && equals < end) shown.replace(equals + 1, end - equals - 1, "…");
    key = shown.find('&', key);
  }
  return shown;
}

}  // namespace spoor::cli
