#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/object.h"

namespace spoor::store {

struct Commit;

/// The role of an object for the object that names it: the key of the line.
enum class Role : std::uint8_t {
  parent,
  skip,
  content,
  fields,
  raw,
  extra,
  attach,
  prompt,
  target,
  targets,
  about,
  part,
  piece,
  rope,
  bundle_commit,
  options,
  tools,
  params,
  hook,
  stored,
  tag_target,
  note,
  reason
};

/// Returns the key of the line: "parent", "content", …
std::string_view name_of(Role role);

/// Returns whether an object of this kind is allowed in this role.
bool accepts(Role role, Kind kind);

/// One object that another object names.
struct Reference {
  Role role;
  Oid oid;
};

/// Returns every object that a commit names, in the order of its lines; the first parent comes
/// first.
std::vector<Reference> references_of(const Commit& commit);

/// Returns every object that an object of any kind names and needs, in the order of its lines. A
/// tombstone does not need the erased objects, nor an attest its target (which may be an
/// operation). Code::corrupt if the body is not of its kind.
Result<std::vector<Reference>> references_of(const Object& object);

}  // namespace spoor::store
