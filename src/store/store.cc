#include "store/store.h"

#include <array>

namespace spoor::store {

// One get() a commit (two with contents): correct on every engine, fast on none.
Result<void> Store::run(const Oid& from, std::size_t count, bool contents,
                        const RunVisitor& visit) const {
  std::optional<Oid> next = from;
  for (; next && count > 0; --count) {
    const auto found = TRY(get(std::array{*next}));
    if (!found[0] || found[0]->kind != Kind::commit) return {};
    const auto commit = parse_commit(found[0]->body);
    std::vector<std::optional<Object>> content(1);
    if (contents && commit && commit->content) content = TRY(get(std::array{commit->content->oid}));
    if (!visit({*next, found[0]->body, content[0] ? &*content[0] : nullptr})) return {};
    if (!commit || commit->parents.empty()) return {};
    next = commit->parents[0];
  }
  return {};
}

std::string branch_ref(std::string_view branch) {
  return std::string("refs/heads/").append(branch);
}
std::string tag_ref(std::string_view tag) { return std::string("refs/tags/").append(tag); }

}  // namespace spoor::store
