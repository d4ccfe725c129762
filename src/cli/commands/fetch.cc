#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "cli/begin_head.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/settings/store_path.h"
#include "cli/transfer/syncing.h"
#include "cli/views/times.h"
#include "graph/merge.h"
#include "store/ancestry.h"
#include "store/postgres/address.h"
#include "sync/journal.h"
#include "sync/ref_names.h"
#include "sync/spool.h"

namespace spoor::cli {

using store::Oid;

namespace {

namespace fs = std::filesystem;

constexpr const char* kOrigin = "origin";

constexpr std::array kFetchOptions = {
    Option{"remote", "REMOTE", "the store to fetch from (default: origin)"},
    Option{"--accept-rewind", "", "take it as it is, although its log lost what it had"},
};
constexpr std::array kPullOptions = {
    Option{"remote", "REMOTE", "the store to pull from (default: origin)"},
    Option{"branch", "BRANCH", "its branch (default: that of the same name)"},
    Option{"--ff-only", "", "fail if the branch has commits that are not there"},
};
constexpr std::array kCloneOptions = {
    Option{"source", "URL",
           "the store to copy: a path, ssh://HOST/PATH, https://HOST/PATH or folder:PATH", 0,
           Takes::path, Count::one},
    Option{"path", "PATH", "the folder that gets a .spoor, made if need be (default: here)", 0,
           Takes::path},
};

Result<void> run_fetch(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  TRY(fetch_from(session, workspace, arguments.text("remote", kOrigin),
                 {.accepts_rewind = arguments.has("--accept-rewind")}));
  return {};
}

Result<void> run_pull(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const std::string remote = arguments.text("remote", kOrigin);
  const std::string branch = TRY(workspace.branch_for_writing());
  TRY(fetch_from(session, workspace, remote));
  const std::string theirs = arguments.text("branch", branch);
  const auto source =
      TRY(workspace.store().ref(sync::tracking_ref(remote, store::branch_ref(theirs))));
  if (!source) {
    return not_found(fmt::format("'{}' has no branch '{}'", remote, theirs),
                     fmt::format("name another: spoor pull {} BRANCH", remote));
  }
  const auto tip = TRY(workspace.store().ref(store::branch_ref(branch)));
  if (tip && TRY(store::is_ancestor(workspace.reader(), *source, *tip))) {
    session.out().print(fmt::format("{}: has all of {}/{}\n", branch, remote, theirs));
    return {};
  }
  const bool is_forward = !tip || TRY(store::is_ancestor(workspace.reader(), *tip, *source));
  if (!is_forward && arguments.has("--ff-only")) {
    return conflict(fmt::format("'{}' has commits that {} does not have", branch, remote),
                    "merge them: without --ff-only");
  }
  graph::Merged merged;
  const Made made = TRY(write_on_branch(
      workspace, "pull", [&](graph::Draft& draft, const std::string& ref) -> Result<Oid> {
        if (is_forward) {
          TRY(draft.move(ref, *source));
          return *source;
        }
        graph::MergeRequest request;
        request.by.author = workspace.repository().author();
        merged = TRY(graph::merge(draft, workspace.reader(), workspace.repository().folder(), ref,
                                  *source, request));
        return merged.tip;
      }));
  print_made(session, workspace, made, false,
             is_forward ? ", fast-forward" : fmt::format(", merged {}/{}", remote, theirs));
  if (!merged.conflicts.empty()) {
    session.out().print(fmt::format("  {}: resolve each with 'spoor edit' or 'spoor annotate'\n",
                                    counted(merged.conflicts.size(), "conflict")));
  }
  return {};
}

// Makes the branch that HEAD begins on: the other store's `head`, main, or the first one.
Result<std::string> begin_branch(Session& session, Workspace& workspace, const std::string& head) {
  const std::string prefix = sync::tracking_ref(kOrigin, store::branch_ref(""));
  const auto branches = TRY(workspace.store().refs(prefix));
  if (branches.empty()) return std::string();
  const store::Ref* chosen = &branches.front();
  for (const std::string& wanted : {store::branch_ref("main"), head}) {
    for (const store::Ref& each : branches) {
      if (store::branch_ref(each.name.substr(prefix.size())) == wanted) chosen = &each;
    }
  }
  const std::string branch = chosen->name.substr(prefix.size());
  const std::string objection =
      TRY(sync::name_objection(workspace.store(), store::branch_ref(branch)));
  if (!objection.empty()) {
    session.err().print(fmt::format("spoor: no branch was made: {}\n", objection));
    return std::string();
  }
  TRY(workspace.repository().transact("clone", graph::OnConflict::fail, [&](graph::Draft& draft) {
    return draft.move(store::branch_ref(branch), chosen->target);
  }));
  TRY(begin_head(workspace, store::branch_ref(branch)));
  return branch;
}

// Makes the folder of the new store, unless its file is named. Returns its path if it is new.
Result<fs::path> make_folder(const Environment& environment, const std::string& given) {
  fs::path path = fs::path(environment.directory()) / given;
  if (given.ends_with(".spoor") || store::postgres::is_address(given)) return fs::path();
  if (!path.has_filename()) path = path.parent_path();
  std::error_code problem;
  if (!fs::create_directories(path, problem)) path.clear();
  if (!problem) return path;
  return io_error(fmt::format("cannot make the folder '{}': {}", given, problem.message()));
}

// Makes the store at `path`, or opens the one that an earlier clone of `url` made there before it
// was cut.
Result<Workspace*> clone_at(Session& session, const std::string& path, const std::string& url,
                            bool& goes_on) {
  auto made = session.create_workspace(path);
  if (made || made.error().code != Error::Code::conflict) return made;
  const Error exists = made.error();
  session.use_store(path);
  auto opened = session.workspace();
  if (!opened) return exists;
  const store::Store& store = (*opened)->store();
  const auto origin = sync::known_remote(store, kOrigin);
  goes_on = origin && origin->url == url && TRY(store.refs("refs/heads/")).empty();
  return goes_on ? opened : exists;
}

Result<void> run_clone(Session& session, const Arguments& arguments) {
  session.config().pass_over_wrong();
  const Environment& environment = session.environment();
  const std::string url = TRY(full_address(environment, arguments.text("source")));
  auto link = TRY(open_link(session, url));  // Nothing is made if there is no store.
  const std::string given =
      arguments.text("path", named_store(environment, arguments.text("--store")));
  const auto new_folder = TRY(make_folder(environment, given));
  const std::string path = new_store_path(environment, given);
  bool goes_on = false;
  Workspace& workspace = *TRY(clone_at(session, path, url, goes_on));
  const auto made = [&]() -> Result<sync::Fetched> {
    if (!goes_on) TRY(sync::add_remote(workspace.store(), {kOrigin, url}));
    return fetch_from(session, workspace, kOrigin, {.link = std::move(link)});
  }();
  if (!made) {
    const Error::Code code = made.error().code;
    if (!sync::has_spools(workspace.files())) {
      TRY(session.discard_workspace());
      std::error_code ignored;
      fs::remove(new_folder, ignored);  // If it is empty.
      return made.error();
    }
    return Error{code, made.error().message, "to go on, run the same command again"};
  }
  const std::string branch = TRY(begin_branch(session, workspace, made->head));
  session.out().print(fmt::format("made a new store: {}", shown_store(path)));
  session.out().print(branch.empty() ? "\n" : fmt::format(", on branch {}\n", branch));
  return {};
}

constexpr std::array kFetchExamples = {
    Example{"spoor fetch", "what origin has"},
    Example{"spoor log origin/main", "its branch, as last seen"},
};
constexpr std::array kPullExamples = {
    Example{"spoor pull", "fetch from origin, and merge its branch of the same name"},
};
constexpr std::array kCloneExamples = {
    Example{"spoor clone /srv/team/.spoor", "into ./.spoor"},
    Example{"spoor clone ssh://example.org/srv/team/.spoor mine", "into mine/.spoor"},
};

}  // namespace

extern const Command kFetch{
    .name = "fetch",
    .summary = "Get what another store has, without changing a branch",
    .options = kFetchOptions,
    .run = run_fetch,
    .group = Group::history,
    .details =
        "Its branch main becomes origin/main here. Its tags that are new here become tags, and\n"
        "its runs and notes go forward. Everything is verified before any of it is stored. If\n"
        "the transfer is cut, the next one goes on after the last whole part.\n"
        "\n"
        "A store whose log no longer has what it had at the last fetch was restored from a\n"
        "backup or rewritten, and is refused. If its owner signs checkpoints, the log is\n"
        "verified to begin with the one before (docs/proofs.md).",
    .examples = kFetchExamples,
};

extern const Command kPull{
    .name = "pull",
    .summary = "Fetch from another store and merge its branch into this one",
    .options = kPullOptions,
    .run = run_pull,
    .group = Group::history,
    .details =
        "If the branch has no commits of its own it moves forward; else the other's turns are\n"
        "merged in mode append ('spoor help merge').",
    .examples = kPullExamples,
};

extern const Command kClone{
    .name = "clone",
    .summary = "Copy a store",
    .options = kCloneOptions,
    .run = run_clone,
    .group = Group::start,
    .details =
        "The new store has all that the refs of the other one lead to, its remote is origin, and\n"
        "HEAD is on the branch of the other's HEAD. The operation log, settings and keys are not\n"
        "copied. If the transfer is cut, the same command goes on.",
    .examples = kCloneExamples,
    .is_callable = false,
};

}  // namespace spoor::cli
