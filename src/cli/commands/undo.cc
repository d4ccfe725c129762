// undo, redo and oplog: the operation log as steps.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/operations/operation_json.h"
#include "api/operations/taking_back.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/views/times.h"
#include "graph/undo.h"
#include "store/operation_walk.h"

namespace spoor::cli {

using api::JsonWriter;
using store::Oid;

namespace {

using graph::Step;

constexpr std::array kUndoOptions = {
    Option{"operation", "OP", "the step to undo (default: the newest, if it is yours)"},
    kJson,
};
constexpr std::array kRedoOptions = {
    Option{"operation", "OP", "the step, or its undo (default: the newest undo, if it is yours)"},
    kJson,
};
constexpr std::array kLogOptions = {
    Option{"--limit", "N", "show at most N operations (default: 20)", 'n', Takes::number},
    kJson,
};

constexpr std::string_view kHeads = "refs/heads/";
constexpr std::string_view kTags = "refs/tags/";

// Returns the ref as people write it.
std::string short_name(std::string_view ref) {
  if (ref.starts_with(kHeads)) return std::string(ref.substr(kHeads.size()));
  if (ref.starts_with(kTags)) return "tag " + std::string(ref.substr(kTags.size()));
  return std::string(ref);
}

std::string place(const Workspace& workspace, const std::optional<Oid>& at) {
  return at ? workspace.short_id(*at) : "nothing";
}

std::string moved(const Workspace& workspace, std::string_view ref, const std::optional<Oid>& from,
                  const std::optional<Oid>& to) {
  return fmt::format("{}: {} -> {}", short_name(ref), place(workspace, from), place(workspace, to));
}

// Refuses to move a branch while HEAD is detached, since the user would not see it, unless HEAD
// moves too.
Result<void> check_head(const Workspace& workspace, const Step& step) {
  if (!TRY(workspace.head()).is_detached()) return {};
  if (TRY(workspace.head_before(step.name))) return {};
  const auto& moves = step.operation.refs;
  const bool moves_branch = std::any_of(
      moves.begin(), moves.end(), [](const auto& move) { return move.name.starts_with(kHeads); });
  if (!moves_branch) return {};
  return invalid("HEAD is detached, but the step moved a branch",
                 "switch to a branch first: spoor switch NAME");
}

void print_taken_back(Session& session, const Workspace& workspace, const Step& step,
                      std::string_view what, std::string_view other) {
  Output& out = session.out();
  out.print(fmt::format("{} '{}'", what, step.command));
  if (step.operation.actor != workspace.repository().author()) {
    out.print(" by ").print(visible_line(step.operation.actor));
  }
  out.print(fmt::format(" ({}: spoor {})\n", other, other));
  for (const store::RefMove& move : step.operation.refs) {
    if (move.name.starts_with("refs/imports/")) continue;  // Moves with its branch.
    out.print("  " + moved(workspace, move.name, move.after, move.before)).newline();
  }
}

Result<void> take_back(Session& session, const Arguments& arguments, Workspace& workspace,
                       const Step& step, bool is_undo) {
  TRY(check_head(workspace, step));
  TRY(api::take_back(workspace, is_undo ? graph::kUndo : graph::kRedo, step));
  if (arguments.has("--json")) {
    JsonWriter json;
    write_taken_back(json, step);
    session.out().verbatim(json.take());
    return {};
  }
  print_taken_back(session, workspace, step, is_undo ? "undid" : "redid",
                   is_undo ? graph::kRedo : graph::kUndo);
  return {};
}

Result<void> run_undo(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const Step step = TRY(step_to_undo(workspace, arguments.text("operation")));
  return take_back(session, arguments, workspace, step, true);
}

Result<void> run_redo(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const Step step = TRY(step_to_redo(workspace, arguments.text("operation")));
  return take_back(session, arguments, workspace, step, false);
}

void print_operation(Session& session, const Workspace& workspace,
                     const store::LoggedOperation& logged, const store::Operation& operation) {
  Output& out = session.out();
  const std::string when = out.is_tty() ? relative_time(operation.time, session.clock().now())
                                        : plain_time(operation.time);
  out.print(Style::commit, logged.name.hex(12)).print(" ").print(when).print(" ");
  out.print(operation.actor).print(" ").print(operation.command);
  if (operation.undo) out.print(" of ").print(Style::commit, operation.undo->hex(12));
  out.newline();
  for (const store::RefMove& move : operation.refs) {
    out.print("  " + moved(workspace, move.name, move.before, move.after)).newline();
  }
}

void add_json(JsonWriter& json, const store::LoggedOperation& logged,
              const store::Operation& operation) {
  json.object().member("operation", logged.name).member("number", logged.number);
  json.member("time", operation.time).member("actor", operation.actor);
  json.member("command", operation.command).member("undo", operation.undo);
  write_moves(json, operation.refs);
  write_copies(json, operation.map);
  json.end();
}

Result<void> run_oplog(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  const bool as_json = arguments.has("--json");
  auto left = arguments.number("--limit", 20);
  JsonWriter json;
  json.object().list("operations");
  if (left > 0) {
    TRY(store::walk_operations(
        workspace.repository().store(), [&](const store::LoggedOperation& logged) -> Result<bool> {
          const store::Operation operation = TRY(store::parse_operation(logged.body));
          if (as_json) {
            add_json(json, logged, operation);
          } else {
            print_operation(session, workspace, logged, operation);
          }
          return --left > 0;
        }));
  }
  if (as_json) session.out().verbatim(json.end().end().take());
  return {};
}

constexpr std::array kUndoExamples = {
    Example{"spoor undo", "move branches and tags back to before the last step"},
    Example{"spoor undo 3f2a91c4", "undo one step of the log, and no other"},
};

}  // namespace

extern const Command kUndo{
    .name = "undo",
    .summary = "Undo an operation",
    .options = kUndoOptions,
    .run = run_undo,
    .group = Group::history,
    .details =
        "Each call undoes one step more; undone commits stay stored. A step of another\n"
        "author is only undone by name: OP is an id of 'spoor oplog', at least 4 digits of\n"
        "it, or @{N}, N operations before the newest. A step whose branches and tags have\n"
        "moved since is refused, and nothing changes.\n"
        "\n"
        "Moving HEAD is not a step (see 'spoor switch -'), but HEAD is restored by undoing\n"
        "a step that moved it, such as 'switch --create'.",
    .examples = kUndoExamples,
};
extern const Command kRedo{
    .name = "redo",
    .summary = "Redo an undone operation",
    .options = kRedoOptions,
    .run = run_redo,
    .group = Group::history,
    .details =
        "Without OP, redoes the newest undo if no other step came after it; each call\n"
        "redoes one step more. OP is the same as for 'spoor undo'.",
};
extern const Command kOplog{
    .name = "oplog",
    .summary = "Show the operation log: what moved which ref, and when",
    .options = kLogOptions,
    .run = run_oplog,
    .group = Group::history,
    .pages = true,
};

}  // namespace spoor::cli
