#include "graph/refs.h"

#include <string>

#include <fmt/format.h>

#include "store/ancestry.h"
#include "store/operation.h"

namespace spoor::graph {
namespace {

Result<void> create(Draft& draft, std::string_view name, const std::string& ref, const Oid& at) {
  if (const std::string problem = short_name_problem(name); !problem.empty()) {
    return invalid(fmt::format("'{}' is not a name: {}", name, problem),
                   "choose another name; '/' may separate its words");
  }
  if (TRY(draft.tip(ref))) {
    return conflict(fmt::format("'{}' exists already", name),
                    "choose another name, or delete that one first");
  }
  return draft.move(ref, at);
}

}  // namespace

std::string short_name_problem(std::string_view name) {
  if (name.starts_with("refs/")) return "a full name begins with 'refs/', a short one does not";
  return store::ref_name_problem(name);
}

Result<void> create_branch(Draft& draft, std::string_view name, const Oid& at) {
  return create(draft, name, store::branch_ref(name), at);
}

Result<void> create_tag(Draft& draft, std::string_view name, const Oid& at) {
  return create(draft, name, store::tag_ref(name), at);
}

Result<void> create_tag(Draft& draft, std::string_view name, const Oid& at, const std::string& note,
                        const Signed& by) {
  TRY(create(draft, name, store::tag_ref(name), at));  // Checks the name, too.
  return draft.move(store::tag_ref(name), TRY(draft.put_tag(name, at, note, by)));
}

Result<void> delete_branch(Draft& draft, const store::Reader& reader, std::string_view name,
                           const std::optional<Oid>& kept, bool force) {
  const std::string ref = store::branch_ref(name);
  const std::optional<Oid> tip = TRY(draft.tip(ref));
  if (!tip) {
    return not_found(fmt::format("no branch named '{}'", name),
                     "list branches with 'spoor branch'");
  }
  if (!force && !(kept && TRY(store::is_ancestor(reader, *tip, *kept)))) {
    return conflict(fmt::format("'{}' has commits that are not in the current history", name),
                    fmt::format("merge it first, or run 'spoor branch --delete --force {}'", name));
  }
  return draft.move(ref, std::nullopt);
}

Result<void> delete_tag(Draft& draft, std::string_view name) {
  const std::string ref = store::tag_ref(name);
  if (!TRY(draft.tip(ref))) {
    return not_found(fmt::format("no tag named '{}'", name), "list tags with 'spoor tag'");
  }
  return draft.move(ref, std::nullopt);
}

}  // namespace spoor::graph
