#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "graph/draft.h"

namespace spoor::graph {

using store::Oid;

// Branches and tags in a draft, by their short names.

/// Returns the reason why `name` is not a valid short name; empty if it is valid. As
/// store::ref_name_problem(), and a short name must not begin with `refs/`.
std::string short_name_problem(std::string_view name);

/// Returns Code::invalid if `name` is malformed, Code::conflict if it is taken.
Result<void> create_branch(Draft& draft, std::string_view name, const Oid& at);
Result<void> create_tag(Draft& draft, std::string_view name, const Oid& at);

/// As above, with a tag object, which records author, time and note.
Result<void> create_tag(Draft& draft, std::string_view name, const Oid& at, const std::string& note,
                        const Signed& by);

/// Returns Code::not_found if there is no such branch. Unless `force`, returns Code::conflict if
/// its tip is neither `kept` nor an ancestor of `kept`, since work would be lost.
Result<void> delete_branch(Draft& draft, const store::Reader& reader, std::string_view name,
                           const std::optional<Oid>& kept, bool force);

/// Returns Code::not_found if there is no such tag.
Result<void> delete_tag(Draft& draft, std::string_view name);

}  // namespace spoor::graph
