#include <array>

#include "cli/branch_writes.h"
#include "cli/change_turn.h"
#include "cli/common_options.h"
#include "cli/session.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    Option{"revision", "REV", "the turn", 0, Takes::revision, Count::one},
    Option{"text", "TEXT", "the new text; - reads standard input", 0, Takes::prose, Count::one},
    kAuthor,
    kMessage,
    kTag,
    kMetadata,
    kJson,
};

Result<void> run(Session& session, const Arguments& arguments) {
  graph::Edit edit;
  edit.text = TRY(text_to_keep(session, arguments.text("text")));
  return change_turn(session, arguments, "edit",
                     [&](graph::Draft& draft, const std::string& ref, const Oid& target) {
                       return draft.edit(ref, target, edit, signed_by(arguments));
                     });
}

}  // namespace

extern const Command kEdit{
    .name = "edit",
    .summary = "Replace the text of an earlier turn",
    .options = kOptions,
    .run = run,
    .group = Group::write,
    .details =
        "The turn keeps its place, its role and its tool calls; its earlier text stays in\n"
        "the history. The edit is a separate commit.",
};

}  // namespace spoor::cli
