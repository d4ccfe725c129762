// annotate, pin and skip: set the priority of an earlier turn in the prompt.
#include <array>

#include "cli/change_turn.h"
#include "cli/common_options.h"
#include "cli/session.h"

namespace spoor::cli {
namespace {

constexpr Option kTarget{"revision", "REV", "the turn", 0, Takes::revision, Count::one};
constexpr Option kReason{"reason", "REASON", "the reason, for later readers", 0, Takes::prose};

constexpr std::array kAnnotateOptions = {
    kTarget,
    Option{"--priority", "PRIORITY", "skip hides it, pinned keeps it, normal does neither", 0,
           Takes::choice, Count::optional, "skip|normal|pinned"},
    kReason,
    kAuthor,
    kJson,
};
constexpr std::array kOptions = {kTarget, kReason, kAuthor, kJson};

Result<void> set_priority(Session& session, const Arguments& arguments, store::Priority priority) {
  return change_turn(session, arguments, "annotate",
                     [&](graph::Draft& draft, const std::string& ref, const Oid& target) {
                       return draft.annotate(ref, target, priority, arguments.text("reason"),
                                             signed_by(arguments));
                     });
}

Result<void> annotate(Session& session, const Arguments& arguments) {
  if (!arguments.has("--priority")) {
    return session.usage_error("'spoor annotate' needs --priority skip, normal or pinned");
  }
  return set_priority(session, arguments, *store::priority_from(arguments.text("--priority")));
}

Result<void> pin(Session& session, const Arguments& arguments) {
  return set_priority(session, arguments, store::Priority::pinned);
}

Result<void> skip(Session& session, const Arguments& arguments) {
  return set_priority(session, arguments, store::Priority::skip);
}

}  // namespace

extern const Command kAnnotate{
    .name = "annotate",
    .summary = "Set the priority of a turn in the prompt",
    .options = kAnnotateOptions,
    .run = annotate,
    .group = Group::write,
    .details =
        "The turn does not change; the annotation is a separate commit, and the last one on\n"
        "the branch applies.",
};
extern const Command kPin{
    .name = "pin",
    .summary = "Keep a turn in every prompt, whatever the window or budget",
    .options = kOptions,
    .run = pin,
    .group = Group::write,
};
extern const Command kSkip{
    .name = "skip",
    .summary = "Leave a turn out of the prompt",
    .options = kOptions,
    .run = skip,
    .group = Group::write,
};

}  // namespace spoor::cli
