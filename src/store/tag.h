#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/timestamp.h"
#include "store/oid.h"

namespace spoor::store {

/// A name that someone gave a commit for good, with who, when and why. A ref
/// under `refs/tags/` may point at one of these, or at the commit itself.
struct Tag {
  Oid target;        ///< a commit
  std::string name;  ///< without `refs/tags/`
  std::string author;
  Timestamp time;
  std::optional<Oid> note;  ///< a content; absent when empty

  bool operator==(const Tag&) const = default;
};

/// The one text of a tag. Code::invalid when it breaks a rule of docs/format.md.
Result<std::string> serialize(const Tag& tag);

/// Code::corrupt unless serialize() gives the same bytes back.
Result<Tag> parse_tag(std::string_view body);

}  // namespace spoor::store
