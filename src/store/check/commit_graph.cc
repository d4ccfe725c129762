// The part of ObjectGraph for commits: their depth, gen and skip, and the targets of directives.
#include <algorithm>

#include <fmt/format.h>

#include "store/check/object_graph.h"
#include "store/commit.h"

namespace spoor::store::check {
namespace {

constexpr std::size_t kNameSize = 32;

}  // namespace

std::optional<ObjectGraph::Id> ObjectGraph::first_parent(Id id) const {
  const auto named = edges(nodes_[id]);
  if (named.empty() || named.front().role != Role::parent) return std::nullopt;
  return named.front().to;
}

// Compares depth and gen with those of the parents, as far as these are known.
void ObjectGraph::check_place(Id id) {
  Node& commit = nodes_[id];
  const auto first = first_parent(id);
  if (!first) return;  // The format fixes both for a root.
  if (is_commit(*first) && commit.depth != nodes_[*first].depth + 1) {
    commit.is_depth_wrong = true;
    findings_.add(
        Rule::depth, names_.name(id),
        fmt::format("has depth {}, but its parent has {}", commit.depth, nodes_[*first].depth));
  }

  std::uint64_t largest = 0;
  for (const Edge& edge : edges(commit)) {
    if (edge.role != Role::parent) break;
    if (!is_commit(edge.to)) return;
    largest = std::max(largest, nodes_[edge.to].gen);
  }
  if (commit.gen == largest + 1) return;
  is_gen_sound_ = false;
  findings_.add(
      Rule::gen, names_.name(id),
      fmt::format("has gen {}, but the largest of its parents is {}", commit.gen, largest));
}

void ObjectGraph::check_commits(const Reader& reader) {
  std::vector<Id> commits;
  for (Id id = 0; id < nodes_.size(); ++id) {
    if (is_commit(id)) commits.push_back(id);
  }
  for (const Id id : commits) check_place(id);

  // First-parent trees, as ranges of one list: the children of `id` are `children` at starts[id] to
  // starts[id + 1].
  std::vector<std::uint64_t> starts(nodes_.size() + 1);
  std::vector<Id> roots;
  for (const Id id : commits) {
    const auto parent = first_parent(id);
    if (parent && is_commit(*parent)) {
      ++starts[*parent + 1];
    } else {
      roots.push_back(id);
    }
  }
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<Id> children(commits.size() - roots.size());
  std::vector<std::uint64_t> next = starts;
  for (const Id id : commits) {
    const auto parent = first_parent(id);
    if (parent && is_commit(*parent)) children[next[*parent]++] = id;
  }

  seen_.assign(nodes_.size(), 0);
  for (const Id root : roots) walk_tree(root, starts, children, reader);
}

// Walks a first-parent tree, parents before children, and keeps the path from the root: an ancestor
// at any depth is one lookup. Hashes allow no cycle, so each commit is visited once.
void ObjectGraph::walk_tree(Id root, const std::vector<std::uint64_t>& starts,
                            const std::vector<Id>& children, const Reader& reader) {
  const std::uint64_t base = nodes_[root].depth;
  std::vector<Step> open = {{root, 0, true}};
  while (!open.empty()) {
    const Step step = open.back();
    open.pop_back();
    path_.resize(step.position);
    path_.push_back(step.commit);
    check_skip(step, base);
    check_targets(step, base, reader);
    for (std::uint64_t i = starts[step.commit]; i < starts[step.commit + 1]; ++i) {
      const bool is_steady = step.is_steady && !nodes_[children[i]].is_depth_wrong;
      open.push_back({children[i], step.position + 1, is_steady});
    }
  }
}

void ObjectGraph::check_skip(const Step& step, std::uint64_t base) {
  const Node& commit = nodes_[step.commit];
  const std::uint64_t height = skip_height(commit.depth);
  if (!step.is_steady || height < base) return;  // The correct skip is unknown.
  for (const Edge& edge : edges(commit)) {
    if (edge.role != Role::skip || !is_commit(edge.to)) continue;
    const Id expected = path_.at(height - base);
    if (edge.to == expected) continue;
    findings_.add(Rule::skip, names_.name(step.commit),
                  fmt::format("its 'skip' names {}, but the ancestor at depth {} is {}",
                              names_.name(edge.to).hex(12), height, names_.name(expected).hex(12)));
  }
}

void ObjectGraph::check_targets(const Step& step, std::uint64_t base, const Reader& reader) {
  std::vector<Id> targets;
  for (const Edge& edge : edges(nodes_[step.commit])) {
    if (edge.role == Role::target) targets.push_back(edge.to);
    if (edge.role == Role::targets) targets = listed_targets(step.commit, edge.to, reader);
  }
  std::erase_if(targets, [&](Id target) {
    if (!is_commit(target)) return true;  // Reported as missing or not a commit.
    const std::uint64_t depth = nodes_[target].depth;
    // The common case: a first-parent ancestor.
    return step.is_steady && depth >= base && depth - base < step.position &&
           path_[depth - base] == target;
  });
  if (!targets.empty()) check_ancestors(step.commit, std::move(targets));
}

// Returns the commits that a `targets` content lists.
std::vector<ObjectGraph::Id> ObjectGraph::listed_targets(Id commit, Id list, const Reader& reader) {
  const Node& content = nodes_[list];
  if (content.state != State::sound || !accepts(Role::targets, content.kind)) return {};
  const auto bytes = reader.content(names_.name(list));
  if (!bytes && bytes.error().code == Error::Code::denied) {
    findings_.add(Rule::targets, names_.name(commit), bytes.error().message);
  }
  if (!bytes) return {};  // A part is missing, which is reported.
  if ((*bytes)->size() % kNameSize != 0 || (*bytes)->size() / kNameSize <= kMaxTargetLines) {
    findings_.add(
        Rule::targets, names_.name(commit),
        fmt::format("its 'targets' is {} bytes: not more than 256 names", (*bytes)->size()));
    return {};
  }
  std::vector<Id> targets;
  for (std::string_view rest = **bytes; !rest.empty(); rest.remove_prefix(kNameSize)) {
    const Oid oid = Oid::from_bytes(rest.substr(0, kNameSize)).value_or(Oid{});
    node(oid);
    const Id id = *names_.find(oid);
    if (is_commit(id)) {
      targets.push_back(id);
    } else if (nodes_[id].state == State::named) {
      report_missing(id,
                     fmt::format("commit {} lists it in 'targets'", names_.name(commit).hex(12)));
    } else if (nodes_[id].state == State::sound) {
      findings_.add(
          Rule::targets, names_.name(commit),
          fmt::format("its 'targets' lists a {}, {}", name_of(nodes_[id].kind), oid.hex(12)));
    }
  }
  return targets;
}

// Walks once over all parents to find the targets that are not first-parent ancestors.
void ObjectGraph::check_ancestors(Id commit, std::vector<Id> targets) {
  std::uint64_t lowest = nodes_[targets.front()].gen;
  for (const Id target : targets) lowest = std::min(lowest, nodes_[target].gen);

  ++walk_;
  bool is_whole = true;  // False if a part of the history is missing.
  std::vector<Id> open = {commit};
  while (!open.empty()) {
    const Id next = open.back();
    open.pop_back();
    for (const Edge& edge : edges(nodes_[next])) {
      if (edge.role != Role::parent) break;
      if (seen_[edge.to] == walk_) continue;
      seen_[edge.to] = walk_;
      is_whole = is_whole && is_commit(edge.to);
      // No target has a smaller generation than the lowest target's.
      const bool leads_on = !is_gen_sound_ || nodes_[edge.to].gen > lowest;
      if (is_commit(edge.to) && leads_on) open.push_back(edge.to);
    }
  }
  for (const Id target : targets) {
    if (seen_[target] == walk_ || !is_whole) continue;
    findings_.add(Rule::ancestor, names_.name(commit),
                  fmt::format("its target {} is not an ancestor", names_.name(target).hex(12)));
  }
}

}  // namespace spoor::store::check
