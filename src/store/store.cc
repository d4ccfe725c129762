#include "store/store.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "store/commit_head.h"
#include "store/sqlite/text_index.h"

namespace spoor::store {

Result<Store::Packing> Store::pack(const std::function<bool()>&) { return Packing(); }

Result<std::uint64_t> Store::size() const {
  std::uint64_t bytes = 0;
  TRY(scan([&bytes](const StoredObject& each) {
    bytes += each.object.body.size();
    return true;
  }));
  return bytes;
}

Result<bool> Store::upgrade() { return false; }

Result<OperationNames> Store::folded_names() const { return OperationNames(); }

Result<void> Store::put(std::span<const NewObject> objects) {
  if (objects.empty()) return {};
  Transaction change;
  change.objects.assign(objects.begin(), objects.end());
  TRY(commit(change));
  return {};
}

Result<std::size_t> Store::erase(std::span<const Oid> oids) {
  Transaction change;
  change.erase.assign(oids.begin(), oids.end());
  return TRY(commit(change)).erased;
}

Result<std::optional<std::string>> Store::property(std::string_view key) const {
  return std::move(TRY(properties(std::array{key})).values.front());
}

Result<void> Store::set_property(std::string_view key, const std::optional<std::string>& value) {
  Transaction change;
  change.properties.emplace_back(key, value);
  TRY(commit(change));
  return {};
}

// Makes one get() per commit (two with contents): correct on every engine, fast on none.
Result<void> Store::run(const Oid& from, std::size_t count, std::size_t contents,
                        const RunVisitor& visit) const {
  std::optional<Oid> next = from;
  for (; next && count > 0; --count) {
    const auto found = TRY(get(std::array{*next}));
    if (!found[0] || found[0]->kind != Kind::commit) return {};
    const std::string& body = found[0]->body;
    std::vector<std::optional<Object>> content(1);
    const auto oid = content_of(body);
    if (contents > 0 && oid) content = TRY(get(std::array{*oid}));
    if (content[0]) contents -= std::min(contents, content[0]->body.size());
    if (!visit({*next, body, content[0] ? &*content[0] : nullptr})) return {};
    next = first_parent_of(body);
  }
  return {};
}

// Makes one get() per commit, as well.
Result<void> Store::follow(const Oid& from, std::uint64_t steps, const RunVisitor& visit) const {
  std::optional<Oid> next = from;
  std::optional<std::uint64_t> goal;
  for (std::size_t i = 0; next && i < kLongestWay; ++i) {
    const auto found = TRY(get(std::array{*next}));
    if (!found[0] || found[0]->kind != Kind::commit) return {};
    const std::string& body = found[0]->body;
    if (!visit({*next, body, nullptr})) return {};
    const auto depth = depth_of(body);
    if (depth && !goal && *depth >= steps) goal = *depth - steps;
    if (!depth || !goal || *depth <= *goal) return {};
    const auto skip = skips_toward(*depth, *goal) ? skip_of(body) : std::nullopt;
    next = skip ? skip : first_parent_of(body);
  }
  return {};
}

Result<std::unique_ptr<SearchIndex>> Store::search_index() const {
  return std::unique_ptr<SearchIndex>(TRY(TextIndex::in_memory()));
}

Error not_stored(const Oid& oid) {
  return not_found(fmt::format("{} is no longer stored: gc removed it", oid.hex(12)),
                   "nothing was written; list stored commits with 'spoor log --all'");
}

std::string branch_ref(std::string_view branch) {
  return std::string("refs/heads/").append(branch);
}
std::string tag_ref(std::string_view tag) { return std::string("refs/tags/").append(tag); }

}  // namespace spoor::store
