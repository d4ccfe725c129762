#pragma once

#include <optional>
#include <string>

#include "api/workspace.h"

namespace spoor::cli {

using api::Workspace;
using store::Oid;

/// A line of first parents to walk along: the branch at its end (empty if HEAD is detached there)
/// and its newest commit.
struct WalkedLine {
  std::string branch;
  Oid end;
};

/// Returns the line that contains `commit`: that of `wanted`, else of HEAD, else of the first
/// branch that fits. Returns nullopt if no branch's first parents lead there.
Result<std::optional<WalkedLine>> line_through(const Workspace& workspace, const Oid& commit,
                                               const std::string& wanted);

/// Returns the next turn along the line, nearer to its end; nullopt at the end. Skips annotations
/// and settings, as the log does.
Result<std::optional<Oid>> turn_after(const Workspace& workspace, const Oid& commit,
                                      const WalkedLine& line);

/// Returns the previous turn, by first parents; nullopt at the first.
Result<std::optional<Oid>> turn_before(const Workspace& workspace, const Oid& commit);

/// Returns the branch that a revision like `topic~3` begins with; empty if it begins with another
/// word.
std::string branch_named_by(const Workspace& workspace, std::string_view revision);

}  // namespace spoor::cli
