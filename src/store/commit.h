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

/// What a commit does to the prompt.
enum class Op : std::uint8_t { append, edit, annotate, compress, merge };

/// What an appended turn is.
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

/// How a merge brings the other side in.
enum class Mode : std::uint8_t { append, digest, pick, ours };

/// How strongly a message is held in the prompt.
enum class Priority : std::uint8_t { skip, normal, pinned };

std::string_view name_of(Op op);
std::string_view name_of(Type type);
std::string_view name_of(Mode mode);
std::string_view name_of(Priority priority);
std::optional<Op> op_from(std::string_view word);
std::optional<Type> type_from(std::string_view word);
std::optional<Mode> mode_from(std::string_view word);
std::optional<Priority> priority_from(std::string_view word);

/// A content by name, with its media type (RFC 6838), for example `text/plain`.
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

/// One turn or directive of a history, as its strict text says it
/// (docs/format.md). A value: its rules are checked by serialize() and
/// parse_commit() alone. `fields`, `extra` and `meta` are opaque to this layer.
struct Commit {
  Op op = Op::append;
  std::optional<Type> type;  ///< append only
  std::optional<Mode> mode;  ///< merge only
  std::vector<Oid> parents;  ///< 0 or 1; 2 on merge; the first is the chain
  std::uint64_t depth = 0;   ///< first parent's + 1
  std::uint64_t gen = 0;     ///< 1 + the largest of all parents'
  std::optional<Oid> skip;   ///< first-parent ancestor at skip_height(depth)
  std::optional<Content> content;
  std::optional<Oid> fields;  ///< as raw and prompt: where a text is brought in, and on an edit
  std::vector<Content> raw;   ///< the provider's items, in order
  std::string meta;           ///< one line of canonical JSON, or empty
  std::optional<Oid> extra;
  std::vector<Content> attach;
  std::optional<Oid> prompt;
  std::vector<Oid> target;           ///< at most kMaxTargetLines; more are `targets`
  std::optional<Oid> targets;        ///< a blob of 32-byte names
  std::vector<Oid> about;            ///< note and decision only
  std::optional<Priority> priority;  ///< annotate only
  std::string author;                ///< empty where the source names none
  std::optional<Timestamp> time;
  std::string change;  ///< 32 digits, on a copy only

  bool operator==(const Commit&) const = default;
};

/// The depth of the ancestor that `skip` names, for depth 2 and more: any
/// ancestor is then O(log n) hops away.
std::uint64_t skip_height(std::uint64_t depth);

/// The one text of a commit. Code::invalid, naming the line, when it breaks a
/// rule of the format, so what was serialized always parses back.
Result<std::string> serialize(const Commit& commit);

/// Code::corrupt unless serialize() gives the same bytes back.
Result<Commit> parse_commit(std::string_view body);

/// The change id: the commit's own `change`, else the first 32 digits of `oid`.
std::string change_of(const Commit& commit, const Oid& oid);

/// 1–128 bytes of UTF-8, without control characters, U+2028/2029 or outer spaces.
bool is_author(std::string_view text);

/// `type/subtype`, printable ASCII without spaces, at most 127 bytes.
bool is_media_type(std::string_view text);

}  // namespace spoor::store
