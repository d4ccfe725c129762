#include "cli/transfer/syncing.h"

#include <fmt/format.h>

#include "cli/terminal/interrupt.h"
#include "cli/transfer/watched_link.h"
#include "cli/views/times.h"
#include "sync/journal.h"

namespace spoor::cli {
namespace {

constexpr std::size_t kShown = 12;

std::string place_of(const Workspace& workspace, const std::optional<store::Oid>& at) {
  return at ? workspace.short_id(*at) : "nothing";
}

// Returns a ref as people write it; empty for those of the record, which are counted.
std::string shown_name(const std::string& ref) {
  constexpr std::string_view kRemotes = "refs/remotes/";
  constexpr std::string_view kTags = "refs/tags/";
  if (ref.starts_with(kRemotes)) return ref.substr(kRemotes.size());
  if (ref.starts_with(kTags)) return "tag " + ref.substr(kTags.size());
  return {};
}

// Prints what a fetch moved.
void print_fetched(Session& session, const Workspace& workspace, const std::string& remote,
                   const sync::Fetched& fetched) {
  Output& out = session.out();
  const store::ArchiveCount& count = fetched.count;
  out.print(fmt::format("{}: ", remote));
  if (fetched.moves.empty()) {
    out.print("nothing new\n");
  } else if (count.objects == 0) {
    out.print(counted(fetched.moves.size(), "ref") + "\n");
  } else {
    out.print(fmt::format("{}, {}, {}: verified\n", counted(count.commits, "commit"),
                          counted(count.objects, "object"), byte_size(count.bytes)));
  }
  if (fetched.left_out > 0) {
    out.print(fmt::format("  {} left out: erased here\n", counted(fetched.left_out, "content")));
  }
  std::size_t shown = 0;
  std::size_t others = 0;
  for (const store::RefMove& move : fetched.moves) {
    const std::string name = shown_name(move.name);
    if (name.empty() || ++shown > kShown) {
      if (!move.name.starts_with("refs/mirrors/")) ++others;  // Each is of a ref that is counted.
      continue;
    }
    out.print("  ").print(Style::branch, name);
    out.print(fmt::format(": {} -> {}\n", place_of(workspace, move.before),
                          place_of(workspace, move.after)));
  }
  if (others > 0) out.print(fmt::format("  and {}\n", counted(others, "other ref")));
  for (const std::string& ref : fetched.not_forward) {
    out.print(fmt::format("  {} differs here and was left as it is\n", ref));
  }
  for (const auto& [ref, why] : fetched.not_named) {
    out.print(fmt::format("  {} was not made here: {}\n", ref, why));
  }
}

}  // namespace

Result<sync::Fetched> fetch_from(Session& session, Workspace& workspace, const std::string& name,
                                 Fetching fetching) {
  TRY(session.require_writing());
  const Cancellable cancellable;
  const sync::KnownRemote remote = TRY(sync::known_remote(workspace.store(), name));
  if (!fetching.link) fetching.link = TRY(open_link(session, remote.url));
  auto fetched = TRY([&]() -> Result<sync::Fetched> {
    WatchedLink link(session.terminal(), name, *fetching.link);
    return sync::fetch(workspace.store(), link, remote, TRY(intake_of(session, workspace)),
                       session.clock().now(), fetching.accepts_rewind);
  }());
  workspace.repository().drop_caches();
  TRY(sync::note_seen(workspace.store(), name, fetched.seen));
  print_fetched(session, workspace, name, fetched);
  return fetched;
}

}  // namespace spoor::cli
