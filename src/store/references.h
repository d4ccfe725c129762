#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/object.h"

namespace spoor::store {

struct Commit;

/// What an object is to the one that names it: the key of its line.
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

/// The key of the line: "parent", "content", …
std::string_view name_of(Role role);

/// May an object of this kind stand there?
bool accepts(Role role, Kind kind);

/// One object named by another.
struct Reference {
  Role role;
  Oid oid;
};

/// Everything a commit names, in the order of its lines; the first parent first.
std::vector<Reference> references_of(const Commit& commit);

/// Everything an object of any kind names and needs, in the order of its lines. A
/// tombstone does not need what it says was erased, nor an attest its target
/// (which may be an operation). Code::corrupt when the body is not of its kind.
Result<std::vector<Reference>> references_of(const Object& object);

}  // namespace spoor::store
