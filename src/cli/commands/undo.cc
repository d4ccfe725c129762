// undo, redo and oplog: the operation log as steps.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/operation_json.h"
#include "cli/session.h"
#include "cli/times.h"
#include "compile/undo.h"
#include "store/operation_walk.h"

namespace spoor::cli {
namespace {

using compile::Step;

constexpr std::array kOptions = {kJson};
constexpr std::array kLogOptions = {
    Option{"--limit", "N", "show at most N operations (default: 20)", 'n', Takes::number},
    kJson,
};

constexpr std::string_view kHeads = "refs/heads/";
constexpr std::string_view kTags = "refs/tags/";

// A ref as people write it.
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

// A step that made the branch HEAD is on takes HEAD with it; a detached HEAD stands in the way of
// moving any branch.
Result<std::optional<Head>> head_after(const Workspace& workspace, const Step& step) {
  const Head head = TRY(workspace.head());
  for (const store::RefMove& move : step.operation.refs) {
    if (!move.name.starts_with(kHeads)) continue;
    if (head.is_detached()) {
      return store::invalid("HEAD is detached, and that step moved a branch",
                            "go back to a branch with 'spoor switch' first");
    }
    if (move.name != store::branch_ref(head.branch) || move.before) continue;
    if (const auto previous = workspace.previous_head()) return std::optional(*previous);
  }
  return std::optional<Head>();
}

Result<void> take_back(Session& session, const Arguments& arguments, std::string_view command,
                       Result<Step> (*find)(const store::Store&), std::string_view other) {
  Workspace& workspace = *TRY(session.workspace());
  const Step step = TRY(find(workspace.store()));
  const auto head = TRY(head_after(workspace, step));
  TRY(workspace.repository().transact(
      command, compile::OnConflict::fail,
      [&](compile::Draft& draft) { return compile::take_back(draft, step); }));
  if (head) TRY(workspace.set_head(*head));
  if (arguments.has("--json")) {
    JsonWriter json;
    write_taken_back(json, step);
    session.out().verbatim(json.take());
    return {};
  }
  session.out().print(fmt::format("{} '{}' ({}: spoor {})\n",
                                  command == compile::kUndo ? "took back" : "did again",
                                  step.command, other, other));
  for (const store::RefMove& move : step.operation.refs) {
    session.out().print("  " + moved(workspace, move.name, move.after, move.before)).newline();
  }
  return {};
}

Result<void> run_undo(Session& session, const Arguments& arguments) {
  return take_back(session, arguments, compile::kUndo, compile::step_to_undo, compile::kRedo);
}

Result<void> run_redo(Session& session, const Arguments& arguments) {
  return take_back(session, arguments, compile::kRedo, compile::step_to_redo, compile::kUndo);
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
    Example{"spoor undo", "put branches and tags back to before the last step"},
};

}  // namespace

extern const Command kUndo{
    .name = "undo",
    .summary = "Take back the newest step that moved a branch or a tag",
    .options = kOptions,
    .run = run_undo,
    .group = Group::history,
    .details =
        "Each call goes one step further back; what was taken back stays stored. Moving HEAD is\n"
        "no step; see 'spoor switch -'.",
    .examples = kUndoExamples,
};
extern const Command kRedo{
    .name = "redo",
    .summary = "Do again what the last undo took back",
    .options = kOptions,
    .run = run_redo,
    .group = Group::history,
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
