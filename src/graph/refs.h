#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "graph/draft.h"

namespace spoor::graph {

using store::Oid;

// Branches and tags, by their short names, within a draft.

/// What is wrong with a short name; empty when nothing is. As store::ref_name_problem(), and it
/// does not begin as a full name does, with `refs/`.
std::string short_name_problem(std::string_view name);

/// Code::invalid when `name` is malformed, Code::conflict when it is taken.
Result<void> create_branch(Draft& draft, std::string_view name, const Oid& at);
Result<void> create_tag(Draft& draft, std::string_view name, const Oid& at);

/// The same by way of a tag object, which says who, when and why.
Result<void> create_tag(Draft& draft, std::string_view name, const Oid& at, const std::string& note,
                        const Signed& by);

/// Code::not_found when there is no such branch. Unless `force`, Code::conflict
/// when its tip is not `kept` or an ancestor of it: work would be lost.
Result<void> delete_branch(Draft& draft, const store::Reader& reader, std::string_view name,
                           const std::optional<Oid>& kept, bool force);

/// Code::not_found when there is no such tag.
Result<void> delete_tag(Draft& draft, std::string_view name);

}  // namespace spoor::graph
