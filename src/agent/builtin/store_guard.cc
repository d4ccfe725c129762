#include "agent/builtin/store_guard.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "base/os/beneath.h"
#include "base/text.h"
#include "store/sqlite/schema.h"

namespace spoor::agent::builtin {
namespace {

bool is_name_of(std::string_view store, std::string_view name) {
  const std::string small = lowered(name);
  return small == store || (small.starts_with(store) && small[store.size()] == '-');
}

// SQLite files consist of whole pages of at least 512 bytes.
constexpr off_t kLeastPage = 512;

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

StoreGuard::StoreGuard(const std::string& path) {
  if (path.empty()) return;
  std::error_code ignored;
  std::filesystem::path real = std::filesystem::weakly_canonical(path, ignored);
  if (real.empty()) real = std::filesystem::absolute(path, ignored);
  folder_ = real.parent_path().string();
  name_ = lowered(real.filename().string());
}

bool StoreGuard::Files::hold(const struct stat& file) const {
  return std::any_of(identities_.begin(), identities_.end(), [&](const Identity& one) {
    return one.device == file.st_dev && one.inode == file.st_ino;
  });
}

bool StoreGuard::is_other(const Files& files, int folder, const std::string& path) {
  struct stat found {};
  if (::fstatat(folder, path.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(found.st_mode) || found.st_size == 0 || found.st_size % kLeastPage != 0 ||
      files.hold(found)) {
    return false;
  }
  const Descriptor file(
      ::openat(folder, path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  std::array<char, store::sqlite::kHeaderSize> header{};
  return file && ::read(file.number(), header.data(), header.size()) == std::ssize(header) &&
         store::sqlite::is_store_header({header.data(), header.size()});
}

bool StoreGuard::is_of_other(const Files& files, int folder, const std::string& name) {
  if (is_name_of(".spoor", name) || is_other(files, folder, name)) return true;
  for (std::size_t end = name.find('-', 1); end != std::string::npos;
       end = name.find('-', end + 1)) {
    if (is_other(files, folder, name.substr(0, end))) return true;
  }
  return false;
}

StoreGuard::Files StoreGuard::files() const {
  Files files;
  if (folder_.empty()) return files;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder_.c_str()), ::closedir);
  if (!stream) return files;
  while (const dirent* entry = ::readdir(stream.get())) {
    struct stat found {};
    if (!is_name_of(name_, entry->d_name) ||
        ::fstatat(::dirfd(stream.get()), entry->d_name, &found, 0) != 0 || S_ISDIR(found.st_mode)) {
      continue;
    }
    files.identities_.push_back({found.st_dev, found.st_ino});
    files.has_links_ = files.has_links_ || found.st_nlink > 1;
  }
  return files;
}

bool StoreGuard::covers(const Files& files, int folder, std::string_view name) const {
  if (folder_.empty()) return false;
  struct stat found {};
  if (::fstatat(folder, std::string(name).c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
      files.hold(found)) {
    return true;
  }
  if (!is_name_of(name_, name)) return false;
  struct stat here {};
  struct stat stores {};
  return ::fstat(folder, &here) == 0 && ::stat(folder_.c_str(), &stores) == 0 &&
         is_same(here, stores);
}

Result<void> StoreGuard::check_outside(const std::vector<std::string>& folders) const {
  if (folder_.empty()) return {};
  if (files().has_links_) {
    return denied("a file of the store has a second name, by which a command could reach it",
                  "find it with 'find -samefile', and remove it");
  }
  Descriptor here(::open(folder_.c_str(), os::kFolderFlags | O_CLOEXEC));
  while (here) {
    struct stat found {};
    if (::fstat(here.number(), &found) != 0) break;
    for (const std::string& folder : folders) {
      struct stat outer {};
      if (::stat(folder.c_str(), &outer) != 0 || !is_same(found, outer)) continue;
      return denied(
          fmt::format("the store lies in '{}', where a command could reach it", folder),
          "keep the record elsewhere with --store, or name a folder without it with --root");
    }
    Descriptor above(::openat(here.number(), "..", os::kFolderFlags | O_CLOEXEC));
    struct stat next {};
    if (!above || ::fstat(above.number(), &next) != 0) break;
    if (is_same(found, next)) return {};
    here = std::move(above);
  }
  return io_error(fmt::format("cannot tell where the store's folder '{}' lies", folder_));
}

Error StoreGuard::refusal(std::string_view path) {
  return denied(fmt::format("'{}' belongs to the store that this run is recorded in", path),
                "the record is not for tools");
}

Error StoreGuard::refusal_of_other(std::string_view path) {
  return denied(fmt::format("'{}' belongs to a spoor store", path),
                "only the user can allow a tool to write it, with --allow-write");
}

}  // namespace spoor::agent::builtin
