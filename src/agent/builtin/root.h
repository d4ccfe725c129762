#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/builtin/protected_paths.h"
#include "agent/builtin/store_guard.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace spoor::agent::builtin {

/// The parts below a root that are closed: the store, and paths that may not be written.
struct Closed {
  StoreGuard store = {};
  ProtectedPaths written = ProtectedPaths();
};

/// Returns the current absolute path of an open folder, without symbolic links. Returns Code::io if
/// the system cannot tell, such as Linux without /proc.
Result<std::string> path_of(int descriptor);

/// The folder that tools are confined to. It is opened once; renaming it or replacing it with a
/// symbolic link has no effect on an open Root.
///
/// On Linux the kernel resolves every path below it, in one step without races: openat2(2) with
/// RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS (Linux 5.6). `..` and symbolic links are followed as
/// long as they stay below. If the kernel has no openat2, or a filter forbids it, each component is
/// opened separately and symbolic links are not followed; the error states this. Elsewhere each
/// component is opened separately, too, and links are followed (base/os/beneath.h).
///
/// Paths are relative to the root; one that begins with the root's own path is made relative. At
/// most kMaxPath bytes. By any path, files of the store (store_guard.h) cannot be opened, and no
/// place is given in write-protected files (protected_files.h). Errors: Code::denied for a path
/// that leads out, is not readable or is not a regular file; Code::not_found; Code::invalid for a
/// malformed path; Code::io.
///
/// Immutable; thread-safe.
class Root {
 public:
  /// `kernel`: base/os/beneath.h; `walk`: without it.
  enum class Way { kernel, walk };

  /// `path` may contain symbolic links. `way` is for tests; nullopt: the best available.
  static Result<Root> open(const std::string& path, std::optional<Way> way = {}) {
    return open(path, Closed(), way);
  }
  static Result<Root> open(const std::string& path, Closed closed, std::optional<Way> way = {});

  /// Opens a regular file for reading. Never waits for the other end of a pipe.
  Result<Descriptor> file(std::string_view path) const;

  /// Opens a folder for listing.
  Result<Descriptor> folder(std::string_view path) const;

  /// The place of a file to write: an open folder, and a name in it without a slash. With
  /// `make_parents`, missing folders on the way are made, also below the root; a refusal leaves
  /// none of them behind.
  struct WriteTarget {
    Descriptor folder;
    std::string name;
  };
  Result<WriteTarget> place(std::string_view path, bool make_parents) const;

  /// Normalises a path: relative to the root, without `.` and empty components; `.` for the root
  /// itself. It may still contain `..` and symbolic links.
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

  int open_beneath(const std::string& path, int flags) const;  // Returns -1 and sets errno.
  int stat_beneath(const std::string& path, struct stat& found) const;  // As above.
  int walk(const std::string& path, int flags) const;
  class MadeFolders;
  Result<Descriptor> made_folder(const std::string& path, MadeFolders& made) const;
  Result<void> check_writable(const Descriptor& folder, const std::string& name,
                              std::string_view path) const;
  Error refusal(std::string_view path, int problem) const;

  Descriptor folder_;
  std::vector<std::string> names_;  // Absolute paths of the root, without a final slash.
  Closed closed_;
  Way way_;
};

}  // namespace spoor::agent::builtin
