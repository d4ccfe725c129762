#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/near_miss.h"
#include "cli/command.h"
#include "cli/session.h"
#include "graph/refs.h"

namespace spoor::cli {

using api::Head;
using store::Oid;

namespace {

constexpr std::array kOptions = {
    Option{"branch", "BRANCH", "the branch to switch to; - is the previous position of HEAD", 0,
           Takes::branch},
    Option{"revision", "REV", "with --create: where it starts (default: HEAD)", 0, Takes::revision},
    Option{"--detach", "REV", "switch to a commit without a branch", 'd', Takes::revision},
    Option{"--create", "", "create the branch first", 'c'},
};

constexpr std::array kExamples = {
    Example{"spoor switch what-if", "switch to a branch"},
    Example{"spoor switch --detach main~4", "look at an earlier commit"},
    Example{"spoor switch -", "go back"},
};

std::string spoken(const Workspace& workspace, const Head& head) {
  return head.commit ? workspace.short_id(*head.commit) : head.branch;
}

// `operation` made the branch; reverting it also moves HEAD back.
Result<void> go(Session& session, Workspace& workspace, const Head& to,
                const std::optional<Oid>& operation = {}) {
  const Head from = TRY(workspace.head());
  if (from == to) {
    session.out().print(fmt::format("HEAD: already on {}\n", spoken(workspace, to)));
    return {};
  }
  TRY(operation ? workspace.set_head(to, *operation) : workspace.set_head(to));
  session.out().print(fmt::format("HEAD: {} -> {}{} (undo: {})\n", spoken(workspace, from),
                                  spoken(workspace, to), to.is_detached() ? ", detached" : "",
                                  session.typed("switch -")));
  return {};
}

// Checks that the branch exists, or that it is the one HEAD may return to before its first commit.
Result<void> check_branch(Session& session, const Workspace& workspace, const std::string& name) {
  if (TRY(workspace.repository().store().ref(store::branch_ref(name)))) return {};
  std::vector<std::string> names;
  for (const RefName& ref : session.ref_names(false)) names.push_back(ref.name);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string near = near_miss(name, known);
  if (!near.empty()) {
    return not_found(fmt::format("no branch '{}'", name), fmt::format("did you mean '{}'?", near));
  }
  return not_found(fmt::format("no branch '{}'", name),
                   fmt::format("create it with 'spoor switch --create {}'", name));
}

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const std::string name = arguments.text("branch");
  if (arguments.has("--detach")) {
    if (!name.empty()) return session.usage_error("name a branch or --detach, not both");
    const Oid commit = TRY(workspace.resolve(arguments.text("--detach")));
    return go(session, workspace, {{}, commit});
  }
  if (name.empty()) return session.usage_error("'spoor switch' needs a branch, --detach REV or -");
  if (name == "-") return go(session, workspace, TRY(workspace.previous_head()));
  if (arguments.has("--create")) {
    const Oid at = TRY(workspace.resolve(arguments.text("revision", "HEAD")));
    const auto made = TRY(workspace.repository().transact(
        "branch", graph::OnConflict::fail,
        [&](graph::Draft& draft) { return graph::create_branch(draft, name, at); }));
    return go(session, workspace, {name, std::nullopt}, made.operation);
  }
  if (arguments.has("revision")) return session.usage_error("REV needs --create");
  const bool is_branch = TRY(workspace.store().ref(store::branch_ref(name))).has_value();
  const auto meant = is_branch ? Result<std::string>(name) : workspace.find_branch(name);
  if (meant) return go(session, workspace, {meant.value(), std::nullopt});
  TRY(check_branch(session, workspace, name));
  return go(session, workspace, {name, std::nullopt});
}

}  // namespace

extern const Command kSwitch{
    .name = "switch",
    .summary = "Move HEAD to a branch or a commit",
    .options = kOptions,
    .run = run,
    .group = Group::history,
    .details =
        "Only HEAD moves. While it is detached nothing can be written; create a branch\n"
        "there first.",
    .examples = kExamples,
};

}  // namespace spoor::cli
