#include "store/check/object_graph.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "store/attest.h"
#include "store/blob.h"
#include "store/commit.h"
#include "store/signature.h"
#include "store/tombstone.h"

namespace spoor::store::check {
namespace {

bool may_name(bool may_be_tag, Kind kind) {
  return kind == Kind::commit || (may_be_tag && kind == Kind::tag);
}

// Returns an object's name for messages.
std::string shown(Kind kind, const Oid& oid) {
  return fmt::format("{} {}", name_of(kind), oid.hex(12));
}

// Returns whether two names agree in half of their bytes. Damaged content has an unrelated hash; if
// the names are alike, the content is sound and the stored name is damaged.
bool are_alike(const Oid& stored, const Oid& computed) {
  const auto equal =
      std::transform_reduce(stored.view().begin(), stored.view().end(), computed.view().begin(),
                            std::size_t{0}, std::plus<>(), std::equal_to<>());
  return equal >= stored.view().size() / 2;
}

}  // namespace

ObjectGraph::Node& ObjectGraph::node(const Oid& oid) {
  const Id id = names_.intern(oid);
  if (id == nodes_.size()) nodes_.emplace_back();
  return nodes_[id];
}

void ObjectGraph::add_logged(const Oid& oid, std::uint64_t operation, bool may_be_tag) {
  Node& named = node(oid);
  if (named.logged == 0) named.logged = operation;
  named.may_be_tag = named.may_be_tag || may_be_tag;
}

void ObjectGraph::take(const StoredObject& stored) {
  const auto& [oid, object] = stored;
  const Oid computed = object_name(object.kind, object.body);
  if (computed != oid) {
    if (are_alike(oid, computed)) {
      findings_.add(Rule::name, computed,
                    fmt::format("this {} is stored as {}", name_of(object.kind), oid.hex()));
    } else {
      findings_.add(
          Rule::name, oid,
          fmt::format("the bytes of this {} hash to {}", name_of(object.kind), computed.hex()));
    }
    // If the name is damaged, the object with the right name is not missing.
    for (const Oid& each : {oid, computed}) {
      if (node(each).state == State::named) node(each).state = State::damaged;
    }
    return;
  }
  node(oid);
  keep(*names_.find(oid), object);
}

void ObjectGraph::keep(Id id, const Object& object) {
  if (nodes_[id].state == State::sound) return;  // Stored twice, which the engine reports.
  nodes_[id].state = State::damaged;
  nodes_[id].kind = object.kind;
  const auto references = references_of(object);
  if (!references) {
    findings_.add(Rule::shape, names_.name(id), references.error().message);
    return;
  }
  const std::size_t first_edge = edges_.size();
  for (const Reference& each : *references) {
    node(each.oid);
    edges_.push_back({*names_.find(each.oid), each.role});
  }
  if (object.kind == Kind::tombstone) {
    const Tombstone stone = parse_tombstone(object.body).value();
    for (const Oid& each : stone.erased) node(each).is_erased = true;
    tombstones_.emplace(names_.name(id), stone.erased.size());
  }
  if (object.kind == Kind::attest) {
    const Attest attest = parse_attest(object.body).value();
    if (is_genuine(attest)) {
      signed_by_.emplace(attest.target, Oid{attest.key}.hex());
    } else {
      findings_.add(Rule::signature, names_.name(id),
                    fmt::format("is not what key {} signs of {}", Oid{attest.key}.hex(12),
                                attest.target.hex(12)));
    }
  }

  Node& kept = nodes_[id];  // Taken only now: interning moves the nodes.
  kept.state = State::sound;
  kept.first_edge = first_edge;
  kept.edge_count = static_cast<std::uint32_t>(edges_.size() - first_edge);
  if (object.kind == Kind::blob) kept.size = object.body.size() - sizeof(Salt);
  if (object.kind == Kind::chunks) kept.size = parse_chunks(object.body).value().size;
  if (object.kind == Kind::rope) {
    const Rope rope = parse_rope(object.body).value();
    kept.size = rope.size();
    for (const RopePiece& piece : rope.pieces) rope_sizes_[id].push_back(piece.size);
  }
  if (object.kind == Kind::commit) {
    const Commit commit = parse_commit(object.body).value();
    kept.depth = commit.depth;
    kept.gen = commit.gen;
  }
}

std::span<const ObjectGraph::Edge> ObjectGraph::edges(const Node& of) const {
  return std::span(edges_).subspan(of.first_edge, of.edge_count);
}

bool ObjectGraph::is_commit(Id id) const {
  return nodes_[id].state == State::sound && nodes_[id].kind == Kind::commit;
}

void ObjectGraph::report_missing(Id id, std::string_view because) {
  Node& missing = nodes_[id];
  if (missing.is_erased || missing.is_reported) return;
  missing.is_reported = true;
  findings_.add(Rule::missing, names_.name(id), fmt::format("is not stored, but {}", because));
}

void ObjectGraph::check_reference(Id from, const Edge& edge) {
  const Node& to = nodes_[edge.to];
  const std::string by = shown(nodes_[from].kind, names_.name(from));
  if (to.state == State::named) {
    report_missing(edge.to, fmt::format("{} names it as '{}'", by, name_of(edge.role)));
  } else if (to.state == State::sound && !accepts(edge.role, to.kind)) {
    findings_.add(Rule::kind, names_.name(from),
                  fmt::format("its '{}' names a {}, {}", name_of(edge.role), name_of(to.kind),
                              names_.name(edge.to).hex(12)));
  }
}

void ObjectGraph::check_references() {
  for (Id id = 0; id < nodes_.size(); ++id) {
    for (const Edge& edge : edges(nodes_[id])) {
      const Node& to = nodes_[edge.to];
      const bool is_fine = to.state == State::sound && accepts(edge.role, to.kind);
      if (!is_fine) check_reference(id, edge);
    }
  }
}

void ObjectGraph::check_chunks() {
  for (Id id = 0; id < nodes_.size(); ++id) {
    const Node& list = nodes_[id];
    if (list.state != State::sound) continue;
    if (list.kind == Kind::chunks) {
      std::uint64_t left = list.size;
      for (const Edge& edge : edges(list)) {
        const std::uint64_t expected = std::min<std::uint64_t>(left, kChunkPart);
        left -= expected;
        check_size(id, edge, expected);
      }
    } else if (list.kind == Kind::rope) {
      const std::vector<std::uint64_t>& sizes = rope_sizes_.at(id);
      for (std::size_t i = 0; i < sizes.size(); ++i) check_size(id, edges(list)[i], sizes[i]);
    }
  }
}

// Checks the size of a part of `list`, if the part is of the right kind.
void ObjectGraph::check_size(Id list, const Edge& edge, std::uint64_t expected) {
  const Node& part = nodes_[edge.to];
  const bool is_known = part.state == State::sound && accepts(edge.role, part.kind);
  if (!is_known || part.size == expected) return;
  findings_.add(Rule::chunks, names_.name(list),
                fmt::format("its part {} has {} bytes instead of {}", names_.name(edge.to).hex(12),
                            part.size, expected));
}

void ObjectGraph::check_ref(const Ref& ref) {
  Node& target = node(ref.target);
  const bool may_be_tag = ref.name.starts_with(tag_ref(""));
  if (target.state == State::named && !target.is_erased) {
    findings_.add(Rule::ref_commit, ref.name,
                  fmt::format("points at {}, which is not stored", ref.target.hex()));
    target.is_reported = true;
  } else if (target.state == State::sound && !may_name(may_be_tag, target.kind)) {
    findings_.add(Rule::ref_commit, ref.name, "points at " + shown(target.kind, ref.target));
    target.is_reported = true;
  }
}

void ObjectGraph::check_logged() {
  for (Id id = 0; id < nodes_.size(); ++id) {
    const Node& each = nodes_[id];
    if (each.logged == 0 || each.is_reported) continue;
    if (each.state == State::named && !each.is_erased) {
      findings_.add(Rule::op_commit, names_.name(id),
                    fmt::format("is not stored, but operation {} names it", each.logged));
    } else if (each.state == State::sound && !may_name(each.may_be_tag, each.kind)) {
      findings_.add(
          Rule::op_commit, names_.name(id),
          fmt::format("is a {}, but operation {} names it", name_of(each.kind), each.logged));
    }
  }
}

void ObjectGraph::remark_foreign_tombstones(const std::vector<Oid>& own, FsckReport& report) const {
  for (const auto& [oid, count] : tombstones_) {
    if (std::find(own.begin(), own.end(), oid) != own.end()) continue;
    std::string by;
    const auto [first, last] = signed_by_.equal_range(oid);
    for (auto each = first; each != last; ++each) {
      by += (by.empty() ? "signed by " : " and ") + each->second;
    }
    report.remarks.push_back(
        {oid.hex(), fmt::format("records {} as erased, and was not made here: {}",
                                count == 1 ? "1 name" : fmt::format("{} names", count),
                                by.empty() ? "not signed" : by)});
  }
}

void ObjectGraph::summarize(const std::vector<Ref>& refs, FsckReport& report) {
  std::vector<Id> open;
  const auto reach = [&](Id id) {
    if (nodes_[id].is_reached) return;
    nodes_[id].is_reached = true;
    open.push_back(id);
  };
  for (const Ref& ref : refs) {
    if (const auto id = names_.find(ref.target)) reach(*id);
  }
  for (Id id = 0; id < nodes_.size(); ++id) {  // These are roots themselves.
    const Node& each = nodes_[id];
    const bool is_root = each.kind == Kind::tombstone || each.kind == Kind::attest;
    if (each.state == State::sound && is_root) reach(id);
  }
  while (!open.empty()) {
    const Id next = open.back();
    open.pop_back();
    for (const Edge& edge : edges(nodes_[next])) reach(edge.to);
  }

  for (Id id = 0; id < nodes_.size(); ++id) {
    const Node& each = nodes_[id];
    if (each.state == State::named && each.is_erased) {
      report.absent.push_back({names_.name(id), "erased"});
    }
    if (each.state != State::sound || each.is_reached) continue;
    ++(each.kind == Kind::commit ? report.orphans : report.unreachable);
  }
  std::ranges::sort(report.absent, {}, &FsckReport::Absent::oid);
}

}  // namespace spoor::store::check
