#include "graph/directives.h"

#include <algorithm>

#include <fmt/format.h>

#include "store/ancestry.h"

namespace spoor::graph {

using compile::Directives;
using compile::is_prompt_type;
using compile::text_of;
using store::Commit;

namespace {

Error not_on_history(const Oid& target) {
  return not_found(fmt::format("{} is not in this history", target.hex(12)),
                   "list its commits with 'spoor log --all-commits'");
}

// Reports whether a commit is a message, a compress or a digest merge.
bool makes_entry(const Commit& commit) {
  if (commit.op == store::Op::append) return is_prompt_type(*commit.type);
  if (commit.op == store::Op::merge) return commit.content.has_value();
  return commit.op == store::Op::compress;
}

Error no_entry(const Oid& target) {
  return invalid(fmt::format("{} is not a prompt entry", target.hex(12)),
                 "only messages, compressions and digest merges can be edited or annotated");
}

}  // namespace

Result<const Entry*> find_entry(const store::Reader& reader, const State& state, const Oid& tip,
                                const Oid& target) {
  if (const Entry* entry = state.find(target)) return entry;
  TRY(reader.commit(target));
  if (!TRY(store::is_ancestor(reader, target, tip))) return not_on_history(target);
  return no_entry(target);
}

Result<void> check_entry(const store::Reader& reader, const Oid& tip, const Oid& target) {
  const auto commit = TRY(reader.commit(target));
  if (!TRY(store::is_ancestor(reader, target, tip))) return not_on_history(target);
  if (!makes_entry(*commit)) return no_entry(target);
  return {};
}

Result<std::vector<Version>> versions_of(const store::Reader& reader, const State& state,
                                         const Oid& tip, const Oid& target) {
  const auto named = TRY(reader.commit(target));
  const bool is_edit = named->op == store::Op::edit;
  const Oid message = is_edit ? named->target.at(0) : target;
  const Entry* entry = TRY(find_entry(reader, state, tip, message));

  std::vector<Version> versions = {{message, TRY(reader.commit(message))->content->oid}};
  if (entry->directives) {
    for (const Oid& edit : entry->directives->edits) {
      const auto commit = TRY(reader.commit(edit));
      // An edit of only the tool calls keeps the text.
      const Oid content = commit->content ? commit->content->oid : versions.back().content;
      versions.push_back({edit, content});
    }
  }
  const bool is_known = std::any_of(versions.begin(), versions.end(),
                                    [&](const Version& v) { return v.commit == target; });
  if (!is_known) return not_on_history(target);
  return versions;
}

Result<std::vector<Annotation>> annotations_of(const store::Reader& reader, const State& state,
                                               const Oid& tip, const Oid& target) {
  const Entry* entry = TRY(find_entry(reader, state, tip, target));
  std::vector<Annotation> annotations;
  if (!entry->directives) return annotations;
  const Directives& all = *entry->directives;
  for (std::size_t i = 0; i < all.annotations.size(); ++i) {
    const auto commit = TRY(reader.commit(all.annotations[i]));
    const bool has_reason = commit->op == store::Op::annotate;  // A digest's text is not a reason.
    annotations.push_back({all.annotations[i], all.priorities[i],
                           has_reason ? *TRY(text_of(reader, *commit)) : std::string()});
  }
  return annotations;
}

}  // namespace spoor::graph
