#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/session.h"

namespace spoor::cli {

/// The text of an argument: itself, or all of standard input for `-`, byte for byte.
Result<std::string> text_argument(Session& session, const std::string& argument);

/// What a command made on a branch.
struct Made {
  std::string branch;
  std::optional<Oid> before;
  Oid after;
};

/// `main: 3f2a91c4 -> 9be01d77 (undo: spoor branch --force main 3f2a91c4)`, or
/// with `--json` `{branch, before, hash}`.
void print_made(Session& session, const Workspace& workspace, const Made& made, bool as_json);

}  // namespace spoor::cli
