#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/builtin/descriptor.h"
#include "agent/builtin/protected_paths.h"
#include "agent/builtin/store_guard.h"
#include "base/result.h"

namespace spoor::agent::builtin {

/// What is beneath a root and yet not for tools.
struct Closed {
  StoreGuard store = {};
  ProtectedPaths written = ProtectedPaths();
};

/// Where an open file or folder lies now: an absolute path without symbolic links. Code::io without
/// /proc.
Result<std::string> path_of(int descriptor);

/// The folder that tools are confined to. It is opened once: renaming it, or putting a symbolic
/// link in its place, changes nothing for who holds it.
///
/// Every path is resolved beneath it by the kernel, in one step that nothing can race: openat2(2)
/// with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS (Linux 5.6). `..` and symbolic links are followed
/// as long as they stay beneath. Where the kernel has no openat2, or a filter forbids it, each
/// component is opened by itself and no symbolic link is followed at all: the error says so.
///
/// Paths are relative to the root; one that begins with the root's own path is taken as relative.
/// At most kMaxPath bytes. Files of the store (store_guard.h) are not opened, and places in what is
/// write-protected (protected_files.h) are not given, whatever path leads there. Failures:
/// Code::denied for what leads out, is not ours to read or is no regular file, not_found, invalid
/// for what is no path, io.
///
/// Immutable; safe to use from any thread.
class Root {
 public:
  enum class Way { kernel, walk };

  /// `path` may lead through symbolic links. `way` is for tests; nothing: the best there is.
  static Result<Root> open(const std::string& path, std::optional<Way> way = {}) {
    return open(path, Closed(), way);
  }
  static Result<Root> open(const std::string& path, Closed closed, std::optional<Way> way = {});

  /// A regular file, for reading. Never waits for the other end of a pipe.
  Result<Descriptor> file(std::string_view path) const;

  /// A folder, for reading what is in it.
  Result<Descriptor> folder(std::string_view path) const;

  /// Where a file to be written lies or is to lie: an open folder and a name in it without a slash.
  /// With `make_parents` folders that are missing on the way are made, beneath the root as well.
  struct Place {
    Descriptor folder;
    std::string name;
  };
  Result<Place> place(std::string_view path, bool make_parents) const;

  /// How a path is written: relative to the root, without `.` and empty components; `.` for the
  /// root itself. What is a file may lie behind `..` and symbolic links all the same.
  Result<std::string> relative(std::string_view path) const;

  Way way() const { return way_; }
  const Closed& closed() const { return closed_; }

  static constexpr std::size_t kMaxPath = 4095;

 private:
  Root(Descriptor folder, std::vector<std::string> names, Closed closed, Way way)
      : folder_(std::move(folder)),
        names_(std::move(names)),
        closed_(std::move(closed)),
        way_(way) {}

  int open_beneath(const std::string& path, int flags) const;  // -1 and errno.
  int walk(const std::string& path, int flags) const;
  Result<Descriptor> made_folder(const std::string& path) const;
  Result<void> check_writable(const Descriptor& folder, const std::string& name,
                              std::string_view path) const;
  Error refusal(std::string_view path, int problem) const;

  Descriptor folder_;
  std::vector<std::string> names_;  // Absolute paths that are the root, without a slash at the end.
  Closed closed_;
  Way way_;
};

}  // namespace spoor::agent::builtin
