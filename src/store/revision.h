#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/reader.h"

namespace spoor::store {

/// Where a revision is read: what HEAD and the present are is the caller's business,
/// and so is everything that looks inside contents.
struct RevisionContext {
  std::optional<Oid> head;  ///< nothing: HEAD names no commit yet
  std::string head_ref;     ///< the full name of the branch HEAD is on; empty: none

  std::optional<Timestamp> now;  ///< nothing: a time must be absolute

  /// The commit that `:/TEXT`, `type:WORD`, or `tag:WORD` where no tag is called so,
  /// names. Empty: Code::invalid for all of them.
  std::function<Result<Oid>(std::string_view name)> find;

  /// Where `^{WORD}` leads from a commit. Empty: Code::invalid.
  std::function<Result<Oid>(const Oid& from, std::string_view word)> inside;
};

/// One step away from a named commit.
struct RevisionStep {
  enum class Kind { first_parent, nth_parent, inside };
  Kind kind = Kind::first_parent;
  /// `~n`: n first parents back; `^n`: the n-th parent, 0 the commit itself.
  std::uint64_t count = 1;
  std::string word;  ///< of `^{word}`; nothing and `commit` are the commit itself

  bool operator==(const RevisionStep&) const = default;
};

/// `name[@{when}](~n|^n|^{word})*` or `:/text`, taken apart.
struct Revision {
  /// HEAD, a branch, a tag, a hexadecimal prefix, `type:WORD`, `tag:WORD` or `:/TEXT`.
  std::string name;
  std::optional<std::string> at;  ///< what stands in `@{…}`: a time, or moves back
  std::vector<RevisionStep> steps;

  bool operator==(const Revision&) const = default;
};

/// Code::invalid when `text` is not of that form. `@{…}` alone is that of HEAD.
Result<Revision> parse_revision(std::string_view text);

/// The commit that a revision names. Names come before prefixes: `HEAD`, a full
/// ref name, a branch, a tag, then a prefix of 4 digits or more. `@{n}` is where a
/// ref was n moves ago, `@{time}` (when.h) where it was then. `A...B` is the one merge
/// base of both.
/// Code::not_found, Code::ambiguous (the hint lists the candidates), or
/// Code::invalid (malformed, or `@{…}` holds neither a time nor a number).
Result<Oid> resolve(const Reader& reader, std::string_view text, const RevisionContext& context);

/// `A..B`: what B has and A has not. `A...B`: what only one of them has. Either side
/// may be empty and is HEAD then.
struct RevisionRange {
  std::string from;
  std::string to;
  bool is_symmetric = false;  ///< written with three dots
};

/// The two sides of a range; nothing when `text` is a single revision. Dots within
/// braces and behind `:/` part nothing.
std::optional<RevisionRange> split_range(std::string_view text);

/// The shortest prefix of `oid`, at least `at_least` digits, that no other commit shares.
Result<std::string> abbreviate(const Store& store, const Oid& oid, std::size_t at_least = 8);

}  // namespace spoor::store
