#include "cli/git/new_repository.h"

#include <filesystem>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/files.h"

namespace spoor::cli::git {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfig =
    "[core]\n"
    "\trepositoryformatversion = 0\n"
    "\tfilemode = true\n"
    "\tbare = true\n";

Error cannot_make(const std::string& path, const std::error_code& why) {
  return io_error(fmt::format("cannot make '{}': {}", path, why.message()),
                  "check the permissions of the folder");
}

}  // namespace

Result<NewRepository> NewRepository::open(const std::string& path) {
  std::error_code error;
  fs::path target = fs::path(path).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();  // `folder/` is `folder`.
  const fs::file_status there = fs::symlink_status(target, error);
  if (fs::exists(there)) {
    const bool is_folder = fs::is_directory(there);
    if (!is_folder || !fs::is_empty(target, error)) {
      return conflict(fmt::format("'{}' is {}", path, is_folder ? "not empty" : "not new"),
                      "name a new folder");
    }
    if (fs::equivalent(target, fs::current_path(error), error)) {
      return conflict(fmt::format("'{}' is the current folder", path), "name a new folder");
    }
  }
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (target.empty() || !fs::is_directory(parent, error)) {
    return not_found(fmt::format("no folder '{}' to create '{}' in", parent.string(), path),
                     "create it first, or name another one");
  }
  NewRepository repository(target.string(), fmt::format("{}.{}.new", target.string(), ::getpid()));
  if (auto made = repository.make_folders(); !made) return made.error();
  return repository;
}

NewRepository::NewRepository(NewRepository&& other) noexcept
    : path_(std::move(other.path_)), draft_(std::exchange(other.draft_, {})) {}

NewRepository::~NewRepository() {
  std::error_code ignored;
  if (!draft_.empty()) fs::remove_all(draft_, ignored);
}

Result<void> NewRepository::make_folders() {
  // Only the user may read it, as with the store, because a session may contain secrets.
  if (::mkdir(draft_.c_str(), 0700) != 0) {
    const Error error = cannot_make(draft_, {errno, std::generic_category()});
    draft_.clear();  // An existing folder belongs to another process.
    return error;
  }
  for (const char* folder : {"/objects/info", "/objects/pack", "/refs/heads", "/refs/tags"}) {
    std::error_code error;
    fs::create_directories(draft_ + folder, error);
    if (error) return cannot_make(draft_ + folder, error);
  }
  TRY(create_file(draft_ + "/config", kConfig, 0600));
  return create_file(draft_ + "/description", "written by 'spoor export --git'\n", 0600);
}

Result<void> NewRepository::finish(const std::map<std::string, RefTarget>& refs,
                                   const std::string& head) {
  // One file for all refs, so that names that differ only in case stay distinct on every disk.
  std::string packed = "# pack-refs with: peeled fully-peeled sorted \n";
  for (const auto& [name, target] : refs) {
    packed += fmt::format("{} {}\n", target.oid.hex(), name);
    if (target.peeled) packed += fmt::format("^{}\n", target.peeled->hex());
  }
  TRY(create_file(draft_ + "/packed-refs", packed, 0600));
  TRY(create_file(draft_ + "/HEAD", head + "\n", 0600));
  if (::rename(draft_.c_str(), path_.c_str()) != 0) {
    return cannot_make(path_, {errno, std::generic_category()});
  }
  draft_.clear();
  return {};
}

}  // namespace spoor::cli::git
