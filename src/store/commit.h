#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/timestamp.h"
#include "store/oid.h"

namespace spoor::store {

/// The change that a commit makes to the prompt.
enum class Op : std::uint8_t { append, edit, annotate, compress, merge };

/// The kind of an appended turn.
enum class Type : std::uint8_t {
  system,
  user,
  assistant,
  tool,
  reasoning,
  artifact,
  summary,
  config,
  decision,
  note
};

/// The way a merge includes the other side.
enum class Mode : std::uint8_t { append, digest, pick, ours };

/// The priority of a message in the prompt.
enum class Priority : std::uint8_t { skip, normal, pinned };

std::string_view name_of(Op op);
std::string_view name_of(Type type);
std::string_view name_of(Mode mode);
std::string_view name_of(Priority priority);
std::optional<Op> op_from(std::string_view word);
std::optional<Type> type_from(std::string_view word);
std::optional<Mode> mode_from(std::string_view word);
std::optional<Priority> priority_from(std::string_view word);

/// The name of a content, with its media type (RFC 6838), for example `text/plain`.
struct Content {
  Oid oid;
  std::string media_type = "text/plain";

  bool operator==(const Content&) const = default;
};

/// Limits of the format.
constexpr std::size_t kMaxCommitBody = 1'048'576;
constexpr std::size_t kMaxMeta = 4'096;
constexpr std::size_t kMaxAuthor = 128;
constexpr std::size_t kMaxTargetLines = 256;

/// One turn or directive of a history, as parsed from its strict text (docs/format.md). A value:
/// only serialize() and parse_commit() check its rules. `fields`, `extra` and `meta` are opaque to
/// this layer.
struct Commit {
  Op op = Op::append;
  std::optional<Type> type;  ///< append only
  std::optional<Mode> mode;  ///< merge only
  std::vector<Oid> parents;  ///< 0 or 1; 2 on merge; the chain follows the first
  std::uint64_t depth = 0;   ///< first parent's + 1
  std::uint64_t gen = 0;     ///< 1 + the largest of all parents'
  std::optional<Oid> skip;   ///< first-parent ancestor at skip_height(depth)
  std::optional<Content> content;
  std::optional<Oid> fields;  ///< like raw and prompt: on commits that add a text, and on an edit
  std::vector<Content> raw;   ///< the provider's items, in order
  std::string meta;           ///< one line of canonical JSON, or empty
  std::optional<Oid> extra;
  std::vector<Content> attach;
  std::optional<Oid> prompt;
  std::vector<Oid> target;           ///< at most kMaxTargetLines; if more, `targets` instead
  std::optional<Oid> targets;        ///< a blob of 32-byte names
  std::vector<Oid> about;            ///< note and decision only
  std::optional<Priority> priority;  ///< annotate only
  std::string author;                ///< empty if the source names none
  std::optional<Timestamp> time;
  std::string change;  ///< 32 digits, on a copy only

  bool operator==(const Commit&) const = default;
};

/// Returns the depth of the ancestor that `skip` names, for `depth` 2 and more. Any ancestor is
/// then O(log n) hops away.
std::uint64_t skip_height(std::uint64_t depth);

/// Returns whether the way from a commit at `depth` to its ancestor at `goal`, which is not deeper,
/// goes on to what it names as `skip`; otherwise to its first parent.
bool skips_toward(std::uint64_t depth, std::uint64_t goal);

/// Returns the only valid text of a commit. Code::invalid, naming the line, if it breaks a rule of
/// the format, so serialized text always parses.
Result<std::string> serialize(const Commit& commit);

/// Parses the text of a commit. Code::corrupt unless serialize() returns the same bytes.
Result<Commit> parse_commit(std::string_view body);

/// Returns the change id: the commit's own `change`, or else the first 32 digits of `oid`.
std::string change_of(const Commit& commit, const Oid& oid);

/// Returns whether `text` is a valid author: 1–128 bytes of UTF-8, without control characters,
/// U+2028/2029 or leading or trailing spaces.
bool is_author(std::string_view text);

/// Returns whether `text` is `type/subtype`: printable ASCII without spaces, at most 127 bytes.
bool is_media_type(std::string_view text);

}  // namespace spoor::store
