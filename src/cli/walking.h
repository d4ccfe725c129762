#pragma once

#include <optional>
#include <string>

#include "api/workspace.h"

namespace spoor::cli {

using api::Workspace;
using store::Oid;

/// A line of first parents that one walks along: the branch that ends it (empty
/// when HEAD is detached there) and its newest commit.
struct WalkedLine {
  std::string branch;
  Oid end;
};

/// The line that `commit` lies on: that of `wanted`, else of HEAD, else of the first
/// branch that fits. Nothing when no branch's first parents lead there.
Result<std::optional<WalkedLine>> line_through(const Workspace& workspace, const Oid& commit,
                                               const std::string& wanted);

/// The next turn along the line, nearer to its end; nothing at the end. As in the
/// log, annotations and settings are stepped over.
Result<std::optional<Oid>> turn_after(const Workspace& workspace, const Oid& commit,
                                      const WalkedLine& line);

/// The turn before, by first parents; nothing at the first.
Result<std::optional<Oid>> turn_before(const Workspace& workspace, const Oid& commit);

/// The branch that a revision like `topic~3` begins with; empty when it is none.
std::string branch_named_by(const Workspace& workspace, std::string_view revision);

}  // namespace spoor::cli
