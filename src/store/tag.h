#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/timestamp.h"
#include "store/oid.h"

namespace spoor::store {

/// A permanent name for a commit, with author, time and note. A ref under `refs/tags/` points at a
/// tag object or at the commit itself.
struct Tag {
  Oid target;        ///< a commit
  std::string name;  ///< without `refs/tags/`
  std::string author;
  Timestamp time;
  std::optional<Oid> note;  ///< a content; absent when empty

  bool operator==(const Tag&) const = default;
};

/// Returns the only valid text of a tag. Code::invalid if it breaks a rule of docs/format.md.
Result<std::string> serialize(const Tag& tag);

/// Parses the text of a tag. Code::corrupt unless serialize() returns the same bytes.
Result<Tag> parse_tag(std::string_view body);

}  // namespace spoor::store
