#include <array>

#include <fmt/format.h>

#include "api/turns/turn_json.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/turn_text.h"
#include "store/ancestry.h"

namespace spoor::cli {

using api::Head;
using api::JsonWriter;
using api::read_view;

namespace {

constexpr std::array kOptions = {
    Option{"name", "NAME", "the branch to create (default: list all)", 0, Takes::branch},
    Option{"revision", "REV", "where it begins (default: HEAD)", 0, Takes::revision},
    Option{"--force", "", "move a branch that exists; with --delete, an unmerged one too", 'f'},
    Option{"--delete", "", "delete the branch", 'd'},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor branch", "list the branches"},
    Example{"spoor branch what-if main~4", "create a branch four commits back"},
    Example{"spoor branch --force main 3f2a91c4", "move main back to an earlier commit"},
};

Result<void> list_json(Session& session, const Workspace& workspace, const Head& head) {
  JsonWriter json;
  json.object().list("branches");
  constexpr std::string_view kHeads = "refs/heads/";
  for (const store::Ref& ref : TRY(workspace.repository().store().refs(kHeads))) {
    const std::string name = ref.name.substr(kHeads.size());
    json.object().member("name", name).member("hash", ref.target);
    json.member("current", !head.is_detached() && name == head.branch).end();
  }
  session.out().verbatim(json.end().end().take());
  return {};
}

Result<void> list(Session& session, const Workspace& workspace) {
  Output& out = session.out();
  constexpr std::string_view kHeads = "refs/heads/";
  const Head head = TRY(workspace.head());
  const auto refs = TRY(workspace.repository().store().refs(kHeads));
  int width = 0;
  for (const store::Ref& ref : refs) {
    width = std::max(width, display_width(visible(ref.name.substr(kHeads.size()))));
  }
  if (head.is_detached()) {
    out.print("* ").print(Style::head, "(detached)").print(" ");
    out.print(Style::commit, workspace.short_id(*head.commit)).newline();
  }
  for (const store::Ref& ref : refs) {
    const std::string name = ref.name.substr(kHeads.size());
    const bool is_current = !head.is_detached() && name == head.branch;
    const TurnView view = TRY(read_view(workspace.reader(), ref.target));
    const ListedId id = listed_id(out, workspace, ref.target);
    out.print(is_current ? "* " : "  ");
    out.print(is_current ? Style::branch : Style::plain, padded(visible(name), width)).print(" ");
    print_id(out, workspace, id);
    out.print(" ");
    std::string summary = visible_line(view.summary());
    if (out.is_tty()) {
      summary = truncated(summary, std::max(out.width() - width - id.width() - 4, 8));
    }
    out.print(summary).newline();
  }
  return {};
}

Result<void> remove(Session& session, Workspace& workspace, const std::string& name, bool force) {
  const std::string ref = store::branch_ref(name);
  const auto tip = TRY(workspace.store().ref(ref));
  if (!tip) return not_found(fmt::format("no branch '{}'", name), "list them with 'spoor branch'");
  const Head head = TRY(workspace.head());
  if (!head.is_detached() && head.branch == name) {
    return conflict(fmt::format("HEAD is on '{}'", name),
                    "switch to another branch first: spoor switch NAME");
  }
  const auto here = TRY(workspace.head_commit());
  const bool is_merged = here && TRY(store::is_ancestor(workspace.reader(), *tip, *here));
  if (!is_merged && !force) {
    return conflict(fmt::format("'{}' has commits that are not in HEAD", name),
                    fmt::format("drop them with 'spoor branch --delete --force {}'", name));
  }
  TRY(workspace.repository().transact("branch", graph::OnConflict::fail, [&](graph::Draft& draft) {
    return draft.move(ref, std::nullopt);
  }));
  const std::string id = workspace.short_id(*tip);
  session.out().print(fmt::format("{}: deleted, was {} (undo: {})\n", name, id,
                                  session.typed(fmt::format("branch {} {}", name, id))));
  return {};
}

Result<void> place(Session& session, Workspace& workspace, const std::string& name,
                   const std::string& revision, bool force) {
  const Oid at = TRY(workspace.resolve(revision));
  const std::string ref = store::branch_ref(name);
  const auto before = TRY(workspace.store().ref(ref));
  const std::string id = workspace.short_id(at);
  if (!before || !force) {
    TRY(workspace.repository().create_branch(name, at));
    session.out().print(fmt::format("{}: made at {} (undo: {})\n", name, id,
                                    session.typed("branch --delete --force " + name)));
    return {};
  }
  if (*before == at) {
    session.out().print(fmt::format("{}: already at {}\n", name, id));
    return {};
  }
  TRY(workspace.repository().transact("branch", graph::OnConflict::fail,
                                      [&](graph::Draft& draft) { return draft.move(ref, at); }));
  const std::string was = workspace.short_id(*before);
  session.out().print(fmt::format("{}: {} -> {} (undo: {})\n", name, was, id,
                                  session.typed(fmt::format("branch --force {} {}", name, was))));
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const std::string name = arguments.text("name");
  if (!arguments.has("name")) {
    if (arguments.has("--delete") || arguments.has("--force")) {
      return session.usage_error("'spoor branch' needs a branch name");
    }
    if (arguments.has("--json")) return list_json(session, workspace, TRY(workspace.head()));
    return list(session, workspace);
  }
  if (arguments.has("--delete")) {
    return remove(session, workspace, name, arguments.has("--force"));
  }
  return place(session, workspace, name, arguments.text("revision", "HEAD"),
               arguments.has("--force"));
}

}  // namespace

extern const Command kBranch{
    .name = "branch",
    .summary = "List, make, move or delete branches",
    .options = kOptions,
    .run = run,
    .group = Group::history,
    .details = "A new branch is not checked out; use 'spoor switch'.",
    .examples = kExamples,
};

}  // namespace spoor::cli
