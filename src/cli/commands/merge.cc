#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/views/times.h"
#include "graph/merge.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

constexpr std::array kOptions = {
    Option{"source", "REV", "the branch or commit to merge", 0, Takes::revision, Count::one},
    Option{"--mode", "MODE", "how to merge its turns (default: append)", 0, Takes::choice,
           Count::optional, "append|digest|pick|ours"},
    Option{"--digest", "TEXT", "with --mode digest: the summary; - reads standard input"},
    Option{"--pick", "REV", "with --mode pick: a turn to keep; may be given again", 0,
           Takes::revision, Count::many},
    Option{"--no-ff", "", "create a merge even if the branch could fast-forward"},
    Option{"--strict", "", "fail if both sides changed one turn differently"},
    kMessage,
    kAuthor,
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor merge what-if", "merge what was tried there"},
    Example{"spoor merge what-if --mode digest --digest 'Tried A; it failed.'",
            "its turns skipped, a summary after them"},
};

std::string_view name_of(compile::Conflict::Kind kind) {
  return kind == compile::Conflict::Kind::edit ? "edit" : "priority";
}

void print_conflicts(Session& session, const Workspace& workspace,
                     const std::vector<compile::Conflict>& conflicts) {
  for (const compile::Conflict& each : conflicts) {
    session.out().print(fmt::format("  conflict, {} of {}: ours {} shows, theirs is {}\n",
                                    name_of(each.kind), workspace.short_id(each.target),
                                    workspace.short_id(each.ours),
                                    workspace.short_id(each.theirs)));
  }
}

void print_json(Session& session, const Made& made, const graph::Merged& merged) {
  JsonWriter json;
  json.object().member("branch", made.branch).member("before", made.before);
  json.member("hash", made.after).member("fast_forward", merged.is_fast_forward);
  json.list("conflicts");
  for (const compile::Conflict& each : merged.conflicts) {
    json.object().member("kind", name_of(each.kind)).member("target", each.target);
    json.member("ours", each.ours).member("theirs", each.theirs).end();
  }
  session.out().verbatim(json.end().end().take());
}

Result<graph::MergeRequest> request_of(Session& session, const Workspace& workspace,
                                       const Arguments& arguments) {
  graph::MergeRequest request;
  request.mode = *store::mode_from(arguments.text("--mode", "append"));
  request.no_fast_forward = arguments.has("--no-ff");
  for (const std::string& revision : arguments.all("--pick")) {
    request.targets.push_back(TRY(workspace.resolve(revision)));
  }
  if (arguments.has("--digest")) {
    request.digest = compile::Turn{.type = store::Type::summary};
    request.digest->text = TRY(text_to_keep(session, arguments.text("--digest")));
  }
  request.by = signed_by(arguments);
  return request;
}

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const Oid source = TRY(workspace.resolve(arguments.text("source")));
  const graph::MergeRequest request = TRY(request_of(session, workspace, arguments));
  graph::Merged merged;
  const Made made = TRY(write_on_branch(
      workspace, "merge", [&](graph::Draft& draft, const std::string& ref) -> Result<Oid> {
        merged = TRY(graph::merge(draft, workspace.reader(), workspace.repository().folder(), ref,
                                  source, request));
        if (arguments.has("--strict") && !merged.conflicts.empty()) {
          return conflict(
              fmt::format("both sides changed {} differently",
                          counted(merged.conflicts.size(), "turn")),
              "nothing was written; without --strict, ours is shown and the conflict is recorded");
        }
        return merged.tip;
      }));
  if (arguments.has("--json")) {
    print_json(session, made, merged);
    return {};
  }
  print_made(session, workspace, made, false, merged.is_fast_forward ? ", fast-forward" : "");
  print_conflicts(session, workspace, merged.conflicts);
  if (!merged.conflicts.empty()) {
    session.out().print("  resolve each with 'spoor edit' or 'spoor annotate'\n");
  }
  return {};
}

}  // namespace

extern const Command kMerge{
    .name = "merge",
    .summary = "Merge another branch into this one",
    .options = kOptions,
    .run = run,
    .group = Group::history,
    .details =
        "append brings them in as one block; digest skips them and puts a summary after them;\n"
        "pick skips all but those named; ours skips them and changes nothing else.",
    .examples = kExamples,
};

}  // namespace spoor::cli
