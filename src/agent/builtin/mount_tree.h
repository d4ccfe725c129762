#pragma once

#include <string>
#include <vector>

namespace spoor::agent::builtin {

/// A tree of files assembled from parts of this machine's, for a process in its own mount namespace
/// (mount_namespaces(7)). Files and sockets that are not put into it do not exist there.
///
/// It is planned in advance and built by the process itself, which may come from a fork of a
/// process with several threads: build() allocates nothing.
class MountTree {
 public:
  enum class May { read, write };

  /// `at` is an empty folder on which the tree is built; it stays empty for all other processes.
  explicit MountTree(std::string at) : at_(std::move(at)) {}

  /// Adds a file or folder, with everything mounted below it, at its own path or at `to`. A bind
  /// covers what was planned earlier at its path. `path` contains no symbolic link.
  void bind(const std::string& path, May may) { bind(path, path, may); }
  void bind(const std::string& from, const std::string& to, May may);

  /// Adds a device, such as `/dev/null`.
  void device(const std::string& path);

  /// Makes a planned part of the tree read-only. It cannot be moved or removed either.
  void freeze(const std::string& path);

  /// Prevents a planned folder of the tree from being moved or removed. It stays writable; its
  /// contents can leave it only by copying.
  void pin(const std::string& path);

  void folder(const std::string& path);
  void link(const std::string& to, const std::string& path);  ///< a symbolic link at `path`
  void memory(const std::string& path);                       ///< an empty folder in memory
  void processes(const std::string& path);  ///< /proc of the PID namespace, read-only

  /// Builds the tree and makes it the process's root; the current folder becomes `/`. The caller
  /// needs its own mount namespace and the right to mount. Returns 0 or the errno of the failed
  /// step. Linux 5.12; elsewhere ENOSYS.
  int build() const noexcept;

 private:
  struct Step {
    enum class Kind { folder, file, link, bind, device, memory, processes };
    Kind kind;
    std::string from;
    std::string to;
    bool is_read_only = false;
  };

  static int take(const Step& step) noexcept;
  void way_to(const std::string& path);
  std::string inside(const std::string& path) const { return at_ + path; }

  std::string at_;
  std::vector<Step> steps_;
};

}  // namespace spoor::agent::builtin
