#include "store/store.h"

#include <array>

#include "store/commit_head.h"

namespace spoor::store {

Result<Store::Packing> Store::pack(const std::function<bool()>&) { return Packing(); }

Result<bool> Store::upgrade() { return false; }

// Makes one get() per commit (two with contents): correct on every engine, fast on none.
Result<void> Store::run(const Oid& from, std::size_t count, bool contents,
                        const RunVisitor& visit) const {
  std::optional<Oid> next = from;
  for (; next && count > 0; --count) {
    const auto found = TRY(get(std::array{*next}));
    if (!found[0] || found[0]->kind != Kind::commit) return {};
    const std::string& body = found[0]->body;
    std::vector<std::optional<Object>> content(1);
    if (const auto oid = content_of(body); contents && oid) content = TRY(get(std::array{*oid}));
    if (!visit({*next, body, content[0] ? &*content[0] : nullptr})) return {};
    next = first_parent_of(body);
  }
  return {};
}

std::string branch_ref(std::string_view branch) {
  return std::string("refs/heads/").append(branch);
}
std::string tag_ref(std::string_view tag) { return std::string("refs/tags/").append(tag); }

}  // namespace spoor::store
