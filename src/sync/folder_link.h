#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/timestamp.h"
#include "sync/local_link.h"
#include "sync/server.h"

namespace spoor::sync {

/// A link to a folder of files, where no program answers: on a stick, on a share, in a folder that
/// some service synchronises. Each push is a file, `push-00000001` and so on: three lines that say
/// by whom and when, and the request with its archive. The next number belongs to whoever makes
/// its file first.
///
/// Requests are answered by a mirror: a store of this machine that has taken all pushes of the
/// folder. It can be made again at any time, and is then the same.
class FolderLink final : public Link {
 public:
  /// Opens the mirror's store, or makes it anew, empty.
  using OpenMirror = std::function<Result<std::unique_ptr<store::Store>>(bool anew)>;

  /// Opens a link; waits for other processes that use the mirror, which is in a file at `path`.
  /// The mirror is made anew if it does not agree with the folder: a push was cut, or files were
  /// replaced. `actor`: of pushes. `clock` must outlive the link. Code::not_found if there is no
  /// folder.
  static Result<std::unique_ptr<FolderLink>> open(const std::string& folder,
                                                  const std::string& path,
                                                  const OpenMirror& open_mirror, const Clock& clock,
                                                  const std::string& actor,
                                                  std::function<bool()> is_cancelled = {});
  ~FolderLink() override;

  Result<ByteSource> ask(const std::function<Result<void>(const ByteSink&)>& write) override;

 private:
  class Impl;
  explicit FolderLink(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace spoor::sync
