#include <array>

#include <fmt/format.h>

#include "api/operations/garbage.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/views/times.h"

namespace spoor::cli {

using api::JsonWriter;
using api::kRetention;
using api::TurnView;

namespace {

constexpr std::array kOptions = {
    Option{"--prune", "", "remove what it finds; without this, only list it"},
    Option{"--retention", "SPAN",
           "how far back the operation log protects objects (default: '30 days')"},
    Option{"--upgrade", "", "convert the store to the newest file format"},
    Option{"--vacuum", "", "return free space in the file to the system"},
    Option{"--verbose", "", "with --prune: also list the commits"},
    kJson,
};

// A commit that goes, as it is listed.
struct Gone {
  std::string id;
  std::string kind;
  std::string time;
  Style style = Style::plain;
  std::string summary;
};

Gone gone_of(const Workspace& workspace, const TurnView& view) {
  return {workspace.short_id(view.oid), std::string(view.kind()),
          view.commit->time ? plain_time(*view.commit->time) : "-",
          view.is_reasoning() ? Style::reasoning : Style::plain, view.summary()};
}

void print_commit(Output& out, const Gone& gone) {
  out.print("  ").print(Style::commit, gone.id);
  out.print(fmt::format(" {:<11} {:<20}  ", gone.kind, gone.time));
  out.print(gone.style, gone.summary).newline();
}

// Returns "3 commits, 4 contents and 1 other object, 1.2 KiB".
std::string amount(const store::Garbage& garbage) {
  const auto of = [&](store::Kind kind) {
    return garbage.objects.at(static_cast<std::size_t>(kind));
  };
  const std::uint64_t contents = of(store::Kind::blob) + of(store::Kind::chunks);
  const std::uint64_t others = garbage.object_count() - contents - of(store::Kind::commit);
  std::string text = fmt::format("{}, {}", counted(of(store::Kind::commit), "commit"),
                                 counted(contents, "content"));
  if (others > 0) text += ", " + counted(others, "other object");
  return text + ": " + byte_size(garbage.bytes);
}

bool is_clean(const store::Garbage& garbage) {
  return garbage.object_count() == 0 && garbage.operations == 0;
}

// Removed objects stay removed.
Error not_packed(Error error) {
  error.message += ", so the rest was not packed";
  error.hint = "free some space, then run 'spoor store gc --vacuum'";
  return error;
}

void print_summary(Session& session, const store::Garbage& garbage, bool pruned) {
  Output& out = session.out();
  if (is_clean(garbage)) {
    out.print("nothing to remove\n");
    return;
  }
  out.print(pruned ? "removed " : "would remove ").print(amount(garbage)).newline();
  if (garbage.operations > 0) {
    out.print(pruned ? "folded " : "would fold ");
    out.print(counted(garbage.operations, "operation") + " of the log into one checkpoint\n");
  }
}

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const bool prunes = arguments.has("--prune");
  const bool vacuums = arguments.has("--vacuum");
  const bool upgrades = arguments.has("--upgrade");
  const bool lists = !(prunes || upgrades) || arguments.has("--verbose");
  const bool as_json = arguments.has("--json");

  const Cancellable cancellable;
  Progress progress(session.terminal(), "searching for unneeded objects");
  store::GcOptions options =
      TRY(gc_options(workspace, TRY(session.author()), arguments.text("--retention", kRetention),
                     session.clock().now()));
  options.progress = [&](std::uint64_t objects) {
    progress.update(0, 0, counted(objects, "object"));
  };
  options.is_cancelled = [] { return is_interrupted(); };

  // Printed when other programs may write again: a reader may be slow.
  std::vector<Gone> gone;
  JsonWriter json;
  const auto show = [&](const store::Garbage& garbage) -> Result<void> {
    progress.clear();
    if (as_json) {
      json.object();
      TRY(add_garbage(workspace, garbage, json));
    } else if (lists) {
      TRY(for_each_commit(workspace, garbage,
                          [&](const TurnView& view) { gone.push_back(gone_of(workspace, view)); }));
    }
    return {};
  };
  store::Garbage garbage;
  if (prunes) {
    garbage = TRY(workspace.repository().gc(options, show));
  } else {
    if (!upgrades) garbage = TRY(store::find_garbage(workspace.store(), options));
    TRY(show(garbage));
  }
  for (const Gone& each : gone) print_commit(session.out(), each);
  const bool is_upgraded = upgrades && TRY(workspace.store().upgrade());
  if (!as_json && (!upgrades || prunes)) print_summary(session, garbage, prunes);
  session.out().flush();
  store::Store::Packing packing;
  if (prunes || vacuums) {
    auto packed = workspace.store().pack([] { return is_interrupted(); });
    if (!packed && prunes) return not_packed(std::move(packed).error());
    packing = TRY(std::move(packed));
  }
  if (vacuums) TRY(workspace.store().compact());

  if (as_json) {
    json.member("pruned", prunes).member("vacuumed", vacuums).member("upgraded", is_upgraded);
    json.key("packed").object().member("rows", packing.rows);
    json.member("before", packing.before).member("after", packing.after).end();
    json.end();
    session.out().verbatim(json.take());
    return {};
  }
  if (upgrades) {
    session.out().print(is_upgraded ? "the store now has the newest format\n"
                                    : "the store already has the newest format\n");
  }
  if (packing.rows > 0) {
    session.out().print(fmt::format("packed {}: {} became {}\n", counted(packing.rows, "row"),
                                    byte_size(packing.before), byte_size(packing.after)));
  }
  session.out().flush();
  if (!prunes && !upgrades && !is_clean(garbage)) {
    session.err()
        .print(Style::hint, "hint:")
        .print(" to remove them: spoor store gc --prune\n")
        .flush();
  }
  return {};
}

constexpr std::array kExamples = {
    Example{"spoor store gc", "list what would be removed"},
    Example{"spoor store gc --prune", "remove it"},
    Example{"spoor store gc --prune --retention now --vacuum",
            "remove all that can be removed, and shrink the file"},
    Example{"spoor store gc --upgrade", "convert a store of an earlier spoor"},
};

}  // namespace

extern const Command kGc{
    .name = "store gc",
    .summary = "Remove objects that nothing needs any more",
    .options = kOptions,
    .run = run,
    .group = Group::care,
    .pages = true,
    .details =
        "Keeps all that a branch, a tag, a note or another ref leads to, HEAD and its\n"
        "previous place, every place a ref had within the retention, and what those need:\n"
        "parents, texts, summarised turns, the subjects of notes. Everything else is\n"
        "removed and cannot be restored by undo. The operation log before the retention\n"
        "becomes one checkpoint, so undo and branch@{time} reach back that far.\n"
        "\n"
        "--upgrade converts a store of an earlier spoor to the newest format, in one\n"
        "transaction; earlier versions then cannot open it. Stores are never upgraded\n"
        "otherwise.\n"
        "\n"
        "Without --prune, --vacuum or --upgrade nothing is changed. The first two also\n"
        "compress what was stored since the last time; a program that has written much does\n"
        "this when it ends. Freed space is reused by later writes; --vacuum shrinks the\n"
        "file at once, by rewriting it. With --retention now, no other program may write to\n"
        "the store: an import under way loses what it has stored.",
    .examples = kExamples,
};

}  // namespace spoor::cli
