#include "llm/import/thread.h"

#include <algorithm>

#include "llm/import/words.h"

namespace spoor::llm::import {

Thread::Thread() { new_chain(""); }

Place Thread::place(const Link& link) {
  const Resolved parent = resolve(link);
  const Index chain = chain_for(link, parent);
  Place place;
  if (link.kind == Link::Kind::summary) {
    place = place_summary(link, parent, chain);
  } else {
    const Index group = group_for(link, chain);
    place.turn = add_turn(behind_of(link, parent, chain, group));
    join_group(link, place.turn, chain, group);
  }
  turns_[place.turn].is_compress = place.compresses;
  turns_[place.turn].is_summary = link.kind == Link::Kind::summary;
  chains_[chain].latest = place.turn;
  open_boundary_ = kNone;
  remember(link, {place.turn, kNone});
  const Index behind = turns_[place.turn].parent;
  place.parent = turns_[behind].is_root ? kNone : behind;
  return place;
}

void Thread::pass(const Link& link) { remember(link, anchor_of_passed(link)); }

void Thread::pass_boundary(const Link& link, const Boundary& boundary) {
  Anchor anchor = anchor_of_passed(link);
  anchor.boundary = open_boundary_ = static_cast<Index>(boundaries_.size());
  boundaries_.push_back(boundary);
  remember(link, anchor);
}

std::vector<Leaf> Thread::leaves() const {
  std::vector<std::vector<Leaf>> by_chain(chains_.size());
  for (const Line& line : lines_) {
    const Chain& chain = chains_[line.chain];
    if (turns_[line.tail].is_root) continue;
    by_chain[line.chain].push_back(
        {line.tail, chain.agent, line.tail == end_of_line(chain.latest)});
  }
  std::vector<Leaf> all;
  for (std::vector<Leaf>& leaves : by_chain) {
    std::stable_partition(leaves.begin(), leaves.end(), [](const Leaf& l) { return l.is_latest; });
    all.insert(all.end(), leaves.begin(), leaves.end());
  }
  return all;
}

// --- Names ------------------------------------------------------------------

const Thread::Anchor* Thread::find(std::string_view name) const {
  if (name.empty()) return nullptr;
  const auto found = anchors_.find(RecordKey::of(name));
  return found == anchors_.end() ? nullptr : &found->second;
}

void Thread::remember(const Link& link, Anchor anchor) {
  anchor.digest = link.digest;
  if (!link.uuid.empty()) anchors_.insert_or_assign(RecordKey::of(link.uuid), anchor);
}

bool Thread::has_seen(std::string_view uuid, std::uint64_t digest) const {
  const Anchor* anchor = find(uuid);
  return anchor != nullptr && anchor->digest == digest;
}

Thread::Resolved Thread::resolve(const Link& link) const {
  if (!link.has_parent) return {Resolved::Kind::unnamed, {}};
  if (link.parent.empty()) return {Resolved::Kind::known, {}};
  const Anchor* anchor = find(link.parent);
  if (anchor == nullptr) return {Resolved::Kind::missing, {}};
  return {Resolved::Kind::known, *anchor};
}

Thread::Anchor Thread::anchor_of_passed(const Link& link) {
  const Resolved parent = resolve(link);
  if (parent.kind == Resolved::Kind::known) return parent.anchor;
  // Its parent is not known: it stands behind what its chain has last.
  if (!link.is_sidechain) return {chains_[0].latest, kNone};
  const auto agent = agents_.find(link.agent);
  return {agent == agents_.end() ? kNone : chains_[agent->second].latest, kNone};
}

// --- Chains -----------------------------------------------------------------

Index Thread::new_chain(std::string agent) {
  const auto chain = static_cast<Index>(chains_.size());
  const auto root = static_cast<Index>(turns_.size());
  const auto line = static_cast<Index>(lines_.size());
  turns_.emplace_back();
  turns_.back().line = line;
  turns_.back().is_root = true;
  lines_.push_back({root, chain});
  if (!agent.empty()) agents_.emplace(agent, chain);
  chains_.push_back({std::move(agent), root, root});
  return chain;
}

Index Thread::chain_for(const Link& link, const Resolved& parent) {
  if (!link.is_sidechain) return 0;
  if (!link.agent.empty()) {
    const auto known = agents_.find(link.agent);
    return known != agents_.end() ? known->second : new_chain(link.agent);
  }
  if (parent.anchor.turn != kNone && chain_of(parent.anchor.turn) != 0) {
    return chain_of(parent.anchor.turn);
  }
  if (parent.kind == Resolved::Kind::unnamed && chains_.size() > 1) {
    return static_cast<Index>(chains_.size() - 1);
  }
  std::string name = plain_word(std::string_view(link.uuid).substr(0, 8));
  if (name.empty()) name = "unnamed";
  return new_chain(free_name(name));
}

/// `name`, `name-x`, `name-x2` and so on: a bare number would be that of a branch.
std::string Thread::free_name(const std::string& name) {
  std::string free = name;
  while (agents_.contains(free)) {
    const Index number = ++repeats_[name];
    free = name + (number == 1 ? "-x" : "-x" + std::to_string(number));
  }
  return free;
}

// --- Places -----------------------------------------------------------------

/// The turn that a record's parent stands for, within its own chain.
Index Thread::nearest_turn(const Link& link, const Resolved& parent, Index chain) {
  const Chain& own = chains_[chain];
  Anchor anchor = parent.anchor;
  if (anchor.boundary != kNone) {  // A compaction whose summary is not here.
    const Anchor* logical = find(boundaries_[anchor.boundary].logical_parent);
    if (logical != nullptr) anchor.turn = logical->turn;
  }
  const bool known = parent.kind == Resolved::Kind::known;
  if (known && anchor.turn == kNone) return own.root;
  if (known && chain_of(anchor.turn) == chain) return anchor.turn;
  if (link.is_sidechain && known) return own.root;
  if (parent.kind != Resolved::Kind::unnamed && own.latest != own.root) ++missing_parents_;
  return own.latest;
}

/// Behind which turn a record goes that is no summary.
Index Thread::behind_of(const Link& link, const Resolved& parent, Index chain, Index group) {
  if (group != kNone) return end_of_line(groups_[group].last);
  const Index nearest = nearest_turn(link, parent, chain);
  return link.goes_back ? nearest : place_under(nearest, link.kind);
}

/// Behind which turn a child of `nearest` goes. A second user-written child, or a
/// second reply, goes where the first one went: that makes the branch.
Index Thread::place_under(Index nearest, Link::Kind kind) {
  const Index group = turns_[nearest].group;
  const Index usual = end_of_line(group != kNone ? groups_[group].last : nearest);
  if (kind != Link::Kind::user_written && kind != Link::Kind::reply) return usual;
  Turn& turn = turns_[nearest];
  Index& place = kind == Link::Kind::reply ? turn.reply_place : turn.user_place;
  if (place == kNone) place = usual;
  return place;
}

Index Thread::add_turn(Index parent) {
  const auto turn = static_cast<Index>(turns_.size());
  const Index line = turns_[parent].line;
  turns_.emplace_back();
  turns_[turn].parent = parent;
  if (lines_[line].tail == parent) {
    turns_[turn].line = line;
    lines_[line].tail = turn;
  } else {
    turns_[turn].line = static_cast<Index>(lines_.size());
    lines_.push_back({turn, lines_[line].chain});
  }
  return turn;
}

Place Thread::place_summary(const Link& link, const Resolved& parent, Index chain) {
  Place place;
  const Index boundary = parent.anchor.boundary != kNone ? parent.anchor.boundary : open_boundary_;
  const Anchor* logical = boundary == kNone ? nullptr : find(boundaries_[boundary].logical_parent);
  if (logical != nullptr && logical->turn != kNone && chain_of(logical->turn) == chain) {
    const Index behind = place_under(logical->turn, link.kind);
    place.compresses = true;
    place.replaced = replaced_by(behind, boundaries_[boundary]);
    if (!place.replaced.empty()) {
      place.turn = add_turn(behind);
      return place;
    }
    place.compresses = false;
  }
  // What it replaced is not said. Without a parent it begins a history of its own.
  const bool begins = parent.kind == Resolved::Kind::known && parent.anchor.turn == kNone;
  place.turn = add_turn(begins ? chains_[chain].root
                               : place_under(nearest_turn(link, parent, chain), link.kind));
  return place;
}

/// Every turn from the last compress or the root to `turn`, but for those that
/// the source keeps as they are. An earlier summary never stays.
std::vector<Index> Thread::replaced_by(Index turn, const Boundary& boundary) const {
  const Anchor* first = find(boundary.kept_first);
  const Anchor* last = find(boundary.kept_last);
  const bool keeps = first != nullptr && last != nullptr;
  bool kept = false;
  std::vector<Index> replaced;
  for (Index at = turn; !turns_[at].is_root; at = turns_[at].parent) {
    if (keeps && at == last->turn) kept = true;
    if (!kept || turns_[at].is_summary) replaced.push_back(at);
    if (keeps && at == first->turn) kept = false;
    if (turns_[at].is_compress) break;
  }
  std::reverse(replaced.begin(), replaced.end());
  return replaced;
}

// --- Groups -----------------------------------------------------------------

/// The group a record belongs to already: an earlier record of its message, or
/// the message whose call it answers.
Index Thread::group_for(const Link& link, Index chain) const {
  const auto in = [&](const RecentNames& groups, const std::string& name) {
    const auto found = groups.find(name);
    return found && groups_[*found].chain == chain ? *found : kNone;
  };
  if (link.kind == Link::Kind::reply && !link.message_id.empty()) {
    return in(message_groups_, link.message_id);
  }
  if (link.kind != Link::Kind::result) return kNone;
  for (const std::string& call : link.answered) {
    if (const Index group = in(call_groups_, call); group != kNone) return group;
  }
  return kNone;
}

void Thread::join_group(const Link& link, Index turn, Index chain, Index group) {
  if (group == kNone && link.kind == Link::Kind::reply) {
    group = static_cast<Index>(groups_.size());
    groups_.push_back({turn, chain});
    if (!link.message_id.empty()) {
      message_groups_.set(link.message_id, group);
    }
  }
  if (group == kNone) return;
  turns_[turn].group = group;
  groups_[group].last = turn;
  for (const std::string& call : link.calls) {
    call_groups_.set(call, group);
  }
}

}  // namespace spoor::llm::import
