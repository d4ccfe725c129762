#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/interrupt.h"
#include "cli/transfer/carried_refs.h"
#include "cli/transfer/syncing.h"
#include "cli/transfer/watched_link.h"
#include "cli/views/times.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    Option{"remote", "REMOTE", "the store to push to (default: origin)"},
    Option{"name", "NAME", "a branch or a tag (default: the current branch)", 0, Takes::revision,
           Count::many},
    Option{"--all", "", "push all branches and tags"},
    Option{"--delete", "", "remove these branches or tags there"},
    Option{"--force-with-lease", "",
           "move a branch to where it does not lead, if it is still where it was last fetched"},
};

// Returns the full names of what is to be removed there, which need not be here.
Result<std::vector<std::string>> names_there(const Workspace& workspace, const std::string& remote,
                                             const std::vector<std::string>& names) {
  std::vector<std::string> full;
  for (const std::string& name : names) {
    const auto find = [&](const std::string& ref) -> Result<bool> {
      return TRY(workspace.repository().store().ref(sync::tracking_ref(remote, ref))).has_value();
    };
    if (TRY(find(store::branch_ref(name)))) {
      full.push_back(store::branch_ref(name));
    } else if (TRY(find(store::tag_ref(name)))) {
      full.push_back(store::tag_ref(name));
    } else {
      return not_found(fmt::format("'{}' has no branch or tag '{}'", remote, name),
                       fmt::format("see what it has: spoor fetch {}", remote));
    }
  }
  return full;
}

Result<std::vector<sync::Pushing>> chosen(Workspace& workspace, const Arguments& arguments,
                                          const std::string& remote) {
  std::vector<std::string> names = arguments.all("name");
  std::vector<sync::Pushing> pushing;
  if (arguments.has("--delete")) {
    for (std::string& ref : TRY(names_there(workspace, remote, names))) {
      pushing.push_back({std::move(ref), std::nullopt, true});
    }
    return pushing;
  }
  if (arguments.has("--all")) {
    for (const std::string& folder : {store::branch_ref(""), store::tag_ref("")}) {
      for (const store::Ref& ref : TRY(workspace.store().refs(folder))) names.push_back(ref.name);
    }
  } else if (names.empty()) {
    const api::Head head = TRY(workspace.head());
    if (head.is_detached())
      return invalid("HEAD is on no branch", "name one: spoor push origin NAME");
    names.push_back(head.branch);
  }
  if (names.empty()) return pushing;
  const bool is_leased = arguments.has("--force-with-lease");
  for (store::Ref& ref : TRY(refs_with_company(workspace, names))) {
    pushing.push_back({std::move(ref.name), ref.target, is_leased});
  }
  return pushing;
}

std::string short_name(const std::string& ref) {
  const std::string heads = store::branch_ref("");
  const std::string tags = store::tag_ref("");
  if (ref.starts_with(heads)) return ref.substr(heads.size());
  if (ref.starts_with(tags)) return "tag " + ref.substr(tags.size());
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  TRY(session.require_writing());
  Workspace& workspace = *TRY(session.workspace());
  if (arguments.has("--delete") && arguments.all("name").empty()) {
    return session.usage_error("nothing to remove", "spoor push --delete REMOTE NAME");
  }
  const sync::KnownRemote remote =
      TRY(sync::known_remote(workspace.store(), arguments.text("remote", "origin")));
  auto pushing = TRY(chosen(workspace, arguments, remote.name));
  const Cancellable cancellable;
  const auto link = TRY(open_link(session, remote.url));
  const auto pushed = TRY([&]() -> Result<sync::Pushed> {
    WatchedLink watched(session.terminal(), remote.name, *link);
    return sync::push(workspace.store(), watched, remote, std::move(pushing),
                      TRY(intake_of(session, workspace)), session.clock().now());
  }());
  TRY(sync::note_seen(workspace.store(), remote.name, pushed.seen));
  Output& out = session.out();
  if (pushed.moves.empty()) {
    out.print(fmt::format("{}: has all of it\n", remote.name));
    return {};
  }
  out.print(fmt::format("{}: ", remote.name));
  if (pushed.count.objects == 0) {
    out.print(counted(pushed.moves.size(), "ref") + "\n");
  } else {
    out.print(fmt::format("{}, {}, {}\n", counted(pushed.count.commits, "commit"),
                          counted(pushed.count.objects, "object"), byte_size(pushed.count.bytes)));
  }
  if (pushed.left_out > 0) {
    out.print(fmt::format("  {} left out: erased there\n", counted(pushed.left_out, "content")));
  }
  std::size_t others = 0;
  for (const store::RefMove& move : pushed.moves) {
    const std::string name = short_name(move.name);
    if (name.empty()) ++others;
    if (name.empty()) continue;
    out.print("  ").print(Style::branch, name);
    out.print(fmt::format(": {} -> {}\n", move.before ? move.before->hex(8) : "nothing",
                          move.after ? move.after->hex(8) : "nothing"));
  }
  if (others > 0) out.print(fmt::format("  and {}\n", counted(others, "other ref")));
  return {};
}

constexpr std::array kExamples = {
    Example{"spoor push", "the current branch, to origin"},
    Example{"spoor push team what-if", "another branch, to another store"},
    Example{"spoor push --delete origin what-if", "remove a branch there"},
};

}  // namespace

extern const Command kPush{
    .name = "push",
    .summary = "Send branches to another store",
    .options = kOptions,
    .run = run,
    .group = Group::history,
    .details =
        "The runs that end on a branch go with it. All of it is verified there, and then moved as\n"
        "one change, or refused as a whole. A branch only moves forward: 'spoor pull' first if it\n"
        "has commits there that are not here. The branch of the other store's HEAD moves like any\n"
        "other, since nothing is checked out.",
    .examples = kExamples,
};

}  // namespace spoor::cli
