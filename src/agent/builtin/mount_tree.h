#pragma once

#include <string>
#include <vector>

namespace spoor::agent::builtin {

/// A tree of files made of parts of this machine's, for a process in a mount namespace of its own
/// (mount_namespaces(7)). What is not put into it does not exist there: no file, no socket.
///
/// It is planned beforehand and built by the process itself, which may come from a fork of a
/// process with several threads: build() allocates nothing.
class MountTree {
 public:
  enum class May { read, write };

  /// `at` is an empty folder over which it is built; it stays empty for everybody else.
  explicit MountTree(std::string at) : at_(std::move(at)) {}

  /// A file or folder, with what is mounted below it, at its own path or at another one. What was
  /// planned earlier is below it. `path` has no symbolic link in it.
  void bind(const std::string& path, May may) { bind(path, path, may); }
  void bind(const std::string& from, const std::string& to, May may);

  /// A device, such as `/dev/null`.
  void device(const std::string& path);

  /// A part of the tree, planned before, that shall not be written. It cannot be moved or removed
  /// either.
  void freeze(const std::string& path);

  /// A folder of the tree, planned before, that shall not be moved or removed. It stays writable;
  /// what is in it cannot be moved or linked out of it without being copied.
  void pin(const std::string& path);

  void folder(const std::string& path);
  void link(const std::string& to, const std::string& path);  ///< a symbolic link at `path`
  void memory(const std::string& path);                       ///< an empty folder in memory
  void processes(const std::string& path);  ///< those of the PID namespace, to read

  /// In a mount namespace of the caller's own, with the right to mount: makes the tree and makes it
  /// the process's root; its folder is `/`. 0, or the errno of what failed. Linux 5.12.
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
