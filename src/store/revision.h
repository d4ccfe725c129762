#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/reader.h"

namespace spoor::store {

/// The context for reading a revision. The caller provides HEAD, the current time, and every lookup
/// that reads contents.
struct RevisionContext {
  std::optional<Oid> head;  ///< nullopt: HEAD names no commit yet
  std::string head_ref;     ///< the full name of the current branch; empty: none

  std::optional<Timestamp> now;  ///< nullopt: only absolute times are accepted

  bool is_session = false;  ///< the name is that of a session: `@{time}` counts its turns' times

  /// Finds the commit for `:/TEXT`, `type:WORD`, or `tag:WORD` if no tag has that name. Empty:
  /// Code::invalid for all of them.
  std::function<Result<Oid>(std::string_view name)> find;

  /// Finds the commit for `^{WORD}` from a commit. Empty: Code::invalid.
  std::function<Result<Oid>(const Oid& from, std::string_view word)> inside;
};

/// One step away from a named commit.
struct RevisionStep {
  enum class Kind { first_parent, nth_parent, inside };
  Kind kind = Kind::first_parent;
  /// `~n`: n first parents back; `^n`: the n-th parent, where 0 is the commit itself.
  std::uint64_t count = 1;
  std::string word;  ///< of `^{word}`; an empty word and `commit` are the commit itself

  bool operator==(const RevisionStep&) const = default;
};

/// `name[@{when}](~n|^n|^{word})*` or `:/text`, taken apart.
struct Revision {
  /// HEAD, a branch, a tag, a hexadecimal prefix, `type:WORD`, `tag:WORD` or `:/TEXT`.
  std::string name;
  std::optional<std::string> at;  ///< the text in `@{…}`: a time, or a number of moves back
  std::vector<RevisionStep> steps;

  bool operator==(const Revision&) const = default;
};

/// Parses a revision. Code::invalid if `text` is malformed. `@{…}` alone applies to HEAD.
Result<Revision> parse_revision(std::string_view text);

/// Returns the commit that a revision names. Tries in order: `HEAD`, a full ref name, a branch, a
/// tag, a branch of a remote (`origin/main`), a prefix of 4 digits or more. `@{n}` is the value of
/// a ref n moves ago, `@{time}` (when.h) its value at that time. For a time of day (`11:40`), and
/// for a session, it is the newest commit that is not later by its own time. `A...B` is the only
/// merge base of both. Code::not_found, Code::ambiguous (the hint lists the candidates), or
/// Code::invalid (malformed, or `@{…}` holds neither a time nor a number).
Result<Oid> resolve(const Reader& reader, std::string_view text, const RevisionContext& context);

/// A range of commits. `A..B`: the commits that B has and A has not. `A...B`: the commits that only
/// one of them has. An empty side is HEAD.
struct RevisionRange {
  std::string from;
  std::string to;
  bool is_symmetric = false;  ///< written with three dots
};

/// Returns the two sides of a range; nullopt if `text` is a single revision. Ignores dots within
/// braces and after `:/`.
std::optional<RevisionRange> split_range(std::string_view text);

/// Returns the shortest prefix of `oid` that no other commit shares, at least `at_least` digits.
Result<std::string> abbreviate(const Store& store, const Oid& oid, std::size_t at_least = 8);

}  // namespace spoor::store
