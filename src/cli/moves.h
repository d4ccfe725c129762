#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/session.h"

namespace spoor::cli {

using store::Oid;

/// The text of an argument: itself, or all of standard input for `-`, byte for byte.
Result<std::string> text_argument(Session& session, const std::string& argument);

/// The same, of a text that the store is to keep: whether it may be written is asked before
/// standard input is read (Session::require_writing).
Result<std::string> text_to_keep(Session& session, const std::string& argument);

/// What a command made on a branch.
struct Made {
  std::string branch;
  std::optional<Oid> before;
  Oid after;
};

/// `main: 3f2a91c4 -> 9be01d77 (undo: spoor undo)`, or with `--json` `{branch, before, hash}`.
/// `says`, if there is any, stands before the parenthesis: `, 3 commits copied`.
void print_made(Session& session, const Workspace& workspace, const Made& made, bool as_json,
                std::string_view says = {});

/// Code::invalid when the view is on an earlier turn: whoever looks at that may believe that what
/// is written comes behind it.
Result<void> check_view(const Workspace& workspace, const std::string& branch);

/// Runs `body` on the branch that HEAD is on, as one transaction under the name of a command, which
/// fails when another writer was first. `body` answers where the branch is to be, which it has
/// moved.
Result<Made> write_on_branch(
    Workspace& workspace, std::string_view command,
    const std::function<Result<Oid>(graph::Draft&, const std::string& ref)>& body);

}  // namespace spoor::cli
