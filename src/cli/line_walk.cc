#include "cli/line_walk.h"

#include "store/ancestry.h"

namespace spoor::cli {

using api::Head;

Result<std::optional<WalkedLine>> line_through(const Workspace& workspace, const Oid& commit,
                                               const std::string& wanted) {
  const store::Store& store = workspace.repository().store();
  std::vector<WalkedLine> lines;
  if (!wanted.empty()) {
    if (const auto tip = TRY(store.ref(store::branch_ref(wanted)))) lines.push_back({wanted, *tip});
  }
  const Head head = TRY(workspace.head());
  if (const auto tip = TRY(workspace.head_commit())) lines.push_back({head.branch, *tip});
  constexpr std::string_view kHeads = "refs/heads/";
  for (const store::Ref& ref : TRY(store.refs(kHeads))) {
    lines.push_back({ref.name.substr(kHeads.size()), ref.target});
  }
  for (WalkedLine& line : lines) {
    if (TRY(store::is_on_line(workspace.reader(), commit, line.end))) {
      return std::optional(std::move(line));
    }
  }
  return std::optional<WalkedLine>();
}

Result<std::optional<Oid>> turn_after(const Workspace& workspace, const Oid& commit,
                                      const WalkedLine& line) {
  const store::Reader& reader = workspace.reader();
  const std::uint64_t end = TRY(reader.commit(line.end))->depth;
  for (std::uint64_t depth = TRY(reader.commit(commit))->depth + 1; depth <= end; ++depth) {
    const Oid next = TRY(store::ancestor_at(reader, line.end, depth));
    if (!compile::is_bookkeeping(*TRY(reader.commit(next)))) return std::optional(next);
  }
  return std::optional<Oid>();
}

Result<std::optional<Oid>> turn_before(const Workspace& workspace, const Oid& commit) {
  const store::Reader& reader = workspace.reader();
  auto at = TRY(reader.commit(commit));
  while (!at->parents.empty()) {
    const Oid parent = at->parents.front();
    at = TRY(reader.commit(parent));
    if (!compile::is_bookkeeping(*at)) return std::optional(parent);
  }
  return std::optional<Oid>();
}

std::string branch_named_by(const Workspace& workspace, std::string_view revision) {
  const auto parsed = store::parse_revision(revision);
  if (!parsed) return {};
  const std::string& name = parsed.value().name;
  const auto tip = workspace.repository().store().ref(store::branch_ref(name));
  return tip && tip.value() ? name : std::string();
}

}  // namespace spoor::cli
