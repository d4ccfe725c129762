#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "store/lines.h"
#include "store/store.h"

namespace spoor::sync {

using store::Oid;

inline constexpr std::string_view kHeads = "refs/heads/";
inline constexpr std::string_view kTags = "refs/tags/";

/// Refs by full name; nullopt: it was removed.
using RefValues = std::map<std::string, std::optional<Oid>, std::less<>>;

/// The refs of a store as of an operation.
struct RefNews {
  std::optional<Oid> operation;  ///< the newest; nullopt if nothing was ever logged
  bool is_full = false;          ///< `values` are all refs; else those that moved
  bool is_rewound = false;       ///< the log has not got the operation that was asked for
  RefValues values;

  bool operator==(const RefNews&) const = default;
};

/// Returns whether other stores see the ref: a branch, a tag, or records about them. They do not
/// see refs about another store (refs/remotes, refs/mirrors) or a process (refs/requests), nor any
/// of other folders.
bool is_shared(std::string_view ref);

/// Returns the shared refs that operations after `since` moved; all of them without `since`, if
/// that operation was folded or was never in the log, or if many operations were logged since. The
/// name of a folded log is that of the operation that it stands for. The log must have `pushed`,
/// too.
Result<RefNews> refs_since(const store::Store& store, const std::optional<Oid>& since,
                           const std::optional<Oid>& pushed = {});

/// Write and read the lines of a RefNews, which end a text. Code::corrupt for malformed ones.
std::string write_news(const RefNews& news);
Result<RefNews> take_news(store::LineReader& lines);

/// Returns the name under which a store keeps another one's ref: refs/heads/a of `origin` is
/// refs/remotes/origin/a, and refs/tags/a is refs/mirrors/origin/tags/a.
std::string tracking_ref(std::string_view remote, std::string_view ref);

/// Returns the other store's refs, by the names they have there, as they were when last seen.
Result<RefValues> tracked_refs(const store::Store& store, std::string_view remote);

}  // namespace spoor::sync
