#include <array>

#include "cli/common_options.h"
#include "cli/moves.h"
#include "cli/replaced.h"
#include "cli/session.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    Option{"revision", "REV", "the turn", 0, Takes::revision, Count::one},
    Option{"text", "TEXT", "its new text; - reads standard input", 0, Takes::prose, Count::one},
    kAuthor,
    kMessage,
    kTag,
    kMetadata,
    kJson,
};

Result<void> run(Session& session, const Arguments& arguments) {
  graph::Edit edit;
  edit.text = TRY(text_to_keep(session, arguments.text("text")));
  Workspace& workspace = *TRY(session.workspace());
  const std::string name = TRY(workspace.branch_for_writing());
  const Oid target = TRY(workspace.resolve(arguments.text("revision")));
  graph::Branch branch = workspace.repository().branch(name);
  const std::optional<Oid> before = TRY(branch.tip());
  std::optional<Oid> after;
  const auto body = [&](graph::Draft& draft) -> Result<void> {
    after = TRY(draft.edit(branch.ref(), target, edit, signed_by(arguments)));
    return {};
  };
  TRY(workspace.repository().transact("edit", graph::OnConflict::reparent, body));
  print_made(session, workspace, {name, before, *after}, arguments.has("--json"));
  return warn_if_replaced(session, workspace, *after, target);
}

}  // namespace

extern const Command kEdit{
    .name = "edit",
    .summary = "Replace the text of an earlier turn",
    .options = kOptions,
    .run = run,
    .group = Group::write,
    .details =
        "The turn keeps its place, its role and its tool calls; what it said before stays in\n"
        "the history. The edit is a commit of its own.",
};

}  // namespace spoor::cli
