#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/reader.h"

namespace spoor::store {

/// Where a revision is read: what HEAD means is the caller's business.
struct RevisionContext {
  std::optional<Oid> head;  ///< nothing: HEAD names no commit yet
};

/// One step away from a named commit.
struct RevisionStep {
  enum class Kind { first_parent, nth_parent };
  Kind kind = Kind::first_parent;
  std::uint64_t count =
      1;  ///< `~n`: n first parents back; `^n`: the n-th parent, 0 the commit itself

  bool operator==(const RevisionStep&) const = default;
};

/// `name[@{time}](~n|^n)*`, taken apart.
struct Revision {
  std::string name;               ///< HEAD, a branch, a tag, or a hexadecimal prefix
  std::optional<std::string> at;  ///< what stands in `@{…}`
  std::vector<RevisionStep> steps;

  bool operator==(const Revision&) const = default;
};

/// Code::invalid when `text` is not of that form.
Result<Revision> parse_revision(std::string_view text);

/// The commit that a revision names. Names come before prefixes: `HEAD`, a full
/// ref name, a branch, a tag, then a prefix of 4 digits or more.
/// Code::not_found, Code::ambiguous (the hint lists the candidates), or
/// Code::invalid (malformed, or `@{…}` holds no time).
Result<Oid> resolve(const Reader& reader, std::string_view text, const RevisionContext& context);

/// `A..B`: what B has and A has not. Either side may be empty and is HEAD then.
struct RevisionRange {
  std::string from;
  std::string to;
};

/// The two sides of `A..B`; nothing when `text` is a single revision.
std::optional<RevisionRange> split_range(std::string_view text);

/// The shortest prefix of `oid`, at least `at_least` digits, that no other commit shares.
Result<std::string> abbreviate(const Store& store, const Oid& oid, std::size_t at_least = 8);

}  // namespace spoor::store
