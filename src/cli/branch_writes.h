#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/session.h"

namespace spoor::cli {

using store::Oid;

/// Returns the text of an argument: itself, or all of standard input for `-`, byte for byte.
Result<std::string> text_argument(Session& session, const std::string& argument);

/// Like text_argument(), for a text that will be stored: checks that the store can be written
/// before it reads standard input (Session::require_writing).
Result<std::string> text_to_keep(Session& session, const std::string& argument);

/// A branch moved by a command.
struct Made {
  std::string branch;
  std::optional<Oid> before;
  Oid after;
};

/// Prints `main: 3f2a91c4 -> 9be01d77 (undo: spoor undo)`, or with `--json` `{branch, before,
/// hash}`. `says`, such as `, 3 commits copied`, is printed before the parenthesis.
void print_made(Session& session, const Workspace& workspace, const Made& made, bool as_json,
                std::string_view says = {});

/// Returns Code::invalid if the view is on an earlier turn, since the user may expect a new turn to
/// follow that turn.
Result<void> check_view(const Workspace& workspace, const std::string& branch);

/// Runs `body` on HEAD's branch, as one transaction under the name of a command. The transaction
/// fails if another writer was first. `body` moves the branch and returns its new tip.
Result<Made> write_on_branch(
    Workspace& workspace, std::string_view command,
    const std::function<Result<Oid>(graph::Draft&, const std::string& ref)>& body);

}  // namespace spoor::cli
