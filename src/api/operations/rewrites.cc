// The operations that copy commits onto other parents, and those that revert steps.
#include <array>

#include "api/operations/commit_ranges.h"
#include "api/operations/operation_json.h"
#include "api/operations/operations.h"
#include "api/operations/taking_back.h"
#include "api/operations/write_support.h"
#include "graph/restore.h"
#include "graph/rewrite.h"

namespace spoor::api::operations {
namespace {

using graph::Draft;
using graph::Rewritten;

constexpr std::array kRebaseMembers = {
    Member{"onto", Holds::revision, true},
    Member{"branch", Holds::text},
};
constexpr std::array kTargetsMembers = {
    Member{"targets", Holds::revisions, true},
    Member{"branch", Holds::text},
};
constexpr std::array kAmendMembers = {
    Member{"target", Holds::revision}, Member{"text", Holds::text},
    Member{"message", Holds::text},    Member{"author", Holds::text},
    Member{"branch", Holds::text},
};
constexpr std::array kResetMembers = {
    Member{"to", Holds::revision, true},
    Member{"branch", Holds::text},
};
constexpr auto kRestoreMembers = with_common({
    {"target", Holds::revision, true},
    {"version", Holds::integer, true},
});

constexpr std::array kStepMembers = {Member{"operation", Holds::text}};

void answer_rewrite(Context& context, const BranchTip& place, const Request& request,
                    const Rewritten& done, JsonWriter& json) {
  if (request.has("as")) context.names[request.text("as")] = done.tip;
  json.object().member("hash", done.tip).member("branch", place.branch);
  json.member("before", place.tip);
  write_copies(json, done.copies);
  json.list("dropped");
  for (const Oid& each : done.dropped) json.value(each);
  json.end().end();
}

Result<std::vector<Oid>> targets_of(Context& context, const BranchTip& place,
                                    const Request& request) {
  return named_commits(
      context.workspace.reader(), request.texts("targets"),
      [&](const std::string& target) { return context.resolve(target, place.tip); });
}

Result<void> rebase(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  const BranchTip place = TRY(branch_tip(context, draft, request));
  const Oid onto = TRY(context.resolve(request.text("onto"), place.tip));
  const auto& reader = context.workspace.reader();
  answer_rewrite(context, place, request, TRY(graph::rebase(draft, reader, place.ref, onto)), json);
  return {};
}

Result<void> cherry_pick(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  const BranchTip place = TRY(branch_tip(context, draft, request));
  const auto targets = TRY(targets_of(context, place, request));
  const auto& reader = context.workspace.reader();
  answer_rewrite(context, place, request,
                 TRY(graph::cherry_pick(draft, reader, place.ref, targets)), json);
  return {};
}

Result<void> abandon(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  const BranchTip place = TRY(branch_tip(context, draft, request));
  const auto targets = TRY(targets_of(context, place, request));
  const Repository& repository = context.repository();
  answer_rewrite(
      context, place, request,
      TRY(graph::abandon(draft, repository.reader(), repository.folder(), place.ref, targets)),
      json);
  return {};
}

Result<void> amend(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  const BranchTip place = TRY(branch_tip(context, draft, request));
  const Oid target = TRY(context.resolve(request.text("target", "HEAD"), place.tip));
  graph::Amendment amendment;
  if (request.has("text")) amendment.text = request.text("text");
  if (request.has("message")) amendment.message = request.text("message");
  if (request.has("author")) amendment.author = request.text("author");
  const auto& reader = context.workspace.reader();
  answer_rewrite(context, place, request,
                 TRY(graph::amend(draft, reader, place.ref, target, amendment)), json);
  return {};
}

Result<void> reset(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  const BranchTip place = TRY(branch_tip(context, draft, request));
  const Oid to = TRY(context.resolve(request.text("to"), place.tip));
  TRY(draft.move(place.ref, to));
  answer(context, place, request, to, json);
  return {};
}

Result<void> restore(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  const BranchTip place = TRY(branch_tip(context, draft, request));
  const Oid target = TRY(context.resolve(request.text("target"), place.tip));
  const std::int64_t version = request.integer("version").value_or(0);
  if (version < 0) return invalid("'version' must be 0 or more", "see 'spoor versions'");
  const Repository& repository = context.repository();
  const graph::Signed by = TRY(signed_by(request));
  const Oid made = TRY(graph::restore(draft, repository.reader(), repository.folder(), place.ref,
                                      target, static_cast<std::size_t>(version), by));
  answer(context, place, request, made, json);
  return {};
}

// Not allowed in a transaction: an operation reverts operations in the log.
Result<void> undo(Context& context, const Request& request, JsonWriter& json) {
  const graph::Step step = TRY(step_to_undo(context.workspace, request.text("operation")));
  TRY(take_back(context.workspace, graph::kUndo, step));
  write_taken_back(json, step);
  return {};
}

Result<void> redo(Context& context, const Request& request, JsonWriter& json) {
  const graph::Step step = TRY(step_to_redo(context.workspace, request.text("operation")));
  TRY(take_back(context.workspace, graph::kRedo, step));
  write_taken_back(json, step);
  return {};
}

constexpr std::array kRewrites = {
    Operation{"rebase", "move the commits of a branch onto another", kRebaseMembers, nullptr,
              rebase},
    Operation{"cherry_pick", "copy commits to the end", kTargetsMembers, nullptr, cherry_pick},
    Operation{"abandon", "remove commits", kTargetsMembers, nullptr, abandon},
    Operation{"amend", "replace a commit", kAmendMembers, nullptr, amend},
    Operation{"reset", "move a branch to a commit", kResetMembers, nullptr, reset},
    Operation{"restore", "restore an earlier text of a turn", kRestoreMembers, nullptr, restore},
    Operation{"undo", "undo an operation", kStepMembers, nullptr, nullptr, undo},
    Operation{"redo", "redo an undone operation", kStepMembers, nullptr, nullptr, redo},
};

}  // namespace

std::span<const Operation> rewriting_operations() { return kRewrites; }

}  // namespace spoor::api::operations
