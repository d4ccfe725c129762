#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "api/workspace.h"

namespace spoor::api {

using store::Oid;

/// The names that point at commits, as shown after their ids.
class Decorations {
 public:
  /// Reads branches, tags and HEAD as they are now. With `past_bookkeeping`, a name that points at
  /// an annotation or a setting is shown at the nearest earlier commit of another kind: for
  /// listings that hide these.
  static Result<Decorations> read(const Workspace& workspace, bool past_bookkeeping = false);

  /// Also marks the commit being viewed, in the interactive session.
  void mark_view(const View& view);

  /// Returns the names at a commit, HEAD first: "HEAD -> main", "tag: v1", "topic".
  std::vector<std::string> at(const Oid& commit) const;

  /// A name at a commit, with its kind.
  struct Label {
    enum class Kind { head, branch, tag, remote, view };
    Kind kind;
    std::string text;
  };

  /// Returns the names at a commit with their kinds, HEAD first. Valid as long as this object.
  const std::vector<Label>& labels(const Oid& commit) const;

 private:
  static Result<Oid> shown_at(const Workspace& workspace, Oid commit);

  std::unordered_map<Oid, std::vector<Label>> labels_;
};

}  // namespace spoor::api
