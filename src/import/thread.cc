#include "import/thread.h"

#include <algorithm>

#include "import/names.h"

namespace spoor::import {

Thread::Thread() { new_chain(""); }

Placement Thread::place(const Link& link) {
  const Resolved parent = resolve(link);
  const Index chain = chain_for(link, parent);
  Placement place;
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
  remember(link, {place.turn, kNone, true});
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
  if (parent.kind == Resolved::Kind::known) {
    Anchor anchor = parent.anchor;
    anchor.is_turn = false;
    return anchor;
  }
  // Its parent is unknown: it follows the last turn of its chain.
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

/// Returns `name`, `name-x`, `name-x2` and so on. A number alone would be a branch's name.
std::string Thread::free_name(const std::string& name) {
  std::string free = name;
  while (agents_.contains(free)) {
    const Index number = ++repeats_[name];
    free = name + (number == 1 ? "-x" : "-x" + std::to_string(number));
  }
  return free;
}

// --- Places -----------------------------------------------------------------

/// Returns the turn of a record's parent, in the record's own chain.
Index Thread::nearest_turn(const Link& link, const Resolved& parent, Index chain) {
  const Chain& own = chains_[chain];
  Anchor anchor = parent.anchor;
  if (anchor.boundary != kNone) {  // A compaction whose summary is missing.
    const Anchor* last = last_compacted(boundaries_[anchor.boundary]);
    if (last != nullptr) anchor.turn = last->turn;
  }
  const bool known = parent.kind == Resolved::Kind::known;
  if (known && anchor.turn == kNone) return own.root;
  if (known && chain_of(anchor.turn) == chain) return anchor.turn;
  if (link.is_sidechain && known) return own.root;
  if (parent.kind != Resolved::Kind::unnamed && own.latest != own.root) ++missing_parents_;
  return own.latest;
}

/// Returns the turn that a record follows, if the record is not a summary.
Index Thread::behind_of(const Link& link, const Resolved& parent, Index chain, Index group) {
  if (group != kNone) return end_of_line(groups_[group].last);
  const Index nearest = nearest_turn(link, parent, chain);
  return link.goes_back ? nearest : place_under(nearest, link.kind);
}

/// Returns the turn that a child of `nearest` follows. A second user-written child, or a second
/// reply, follows the same turn as the first one, which makes a branch.
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

Placement Thread::place_summary(const Link& link, const Resolved& parent, Index chain) {
  Placement place;
  const Index boundary = parent.anchor.boundary != kNone ? parent.anchor.boundary : open_boundary_;
  const Anchor* last = boundary == kNone ? nullptr : last_compacted(boundaries_[boundary]);
  if (last != nullptr && last->turn != kNone && chain_of(last->turn) == chain) {
    const Index behind = place_under(last->turn, link.kind);
    const KeptTurns kept = kept_by(boundaries_[boundary]);
    std::vector<Index> left;
    for (const Index turn : visible_at(behind)) {
      // An earlier summary never stays.
      const bool stays = kept.contains(turn) && !turns_[turn].is_summary;
      (stays ? left : place.replaced).push_back(turn);
    }
    place.compresses = !place.replaced.empty();
    if (place.compresses) {
      place.turn = add_turn(behind);
      left_by_.emplace(place.turn, std::move(left));
      move_ends(boundaries_[boundary], place.turn);
      return place;
    }
  }
  // The source does not record which turns it replaced. Without a parent it begins a separate
  // history.
  const bool begins = parent.kind == Resolved::Kind::known && parent.anchor.turn == kNone;
  place.turn = add_turn(begins ? chains_[chain].root
                               : place_under(nearest_turn(link, parent, chain), link.kind));
  return place;
}

/// Returns the last record before a compaction. If that is not in the file (yet), returns the last
/// one that was kept.
const Thread::Anchor* Thread::last_compacted(const Boundary& boundary) const {
  if (const Anchor* logical = find(boundary.logical_parent)) return logical;
  for (auto name = boundary.kept.rbegin(); name != boundary.kept.rend(); ++name) {
    if (const Anchor* kept = find(*name)) return kept;
  }
  return find(boundary.kept_last);
}

Thread::KeptTurns Thread::kept_by(const Boundary& boundary) const {
  KeptTurns kept;
  for (const std::string& name : boundary.kept) {
    const Anchor* anchor = find(name);
    if (anchor != nullptr && anchor->is_turn) kept.turns.push_back(anchor->turn);
  }
  std::sort(kept.turns.begin(), kept.turns.end());
  const Anchor* first = find(boundary.kept_first);
  const Anchor* last = find(boundary.kept_last);
  if (!boundary.kept.empty() || first == nullptr || last == nullptr) return kept;
  kept.first = first->turn == kNone ? 0 : first->turn + (first->is_turn ? 0 : 1);
  // A last record whose turn is before the first one does not end the range: after two `/compact`
  // in one process the hook's record is written like this.
  if (last->turn != kNone && last->turn >= kept.first) kept.last = last->turn;
  return kept;
}

/// Prepares for the next turn, which names the last kept record as its parent. If that record is
/// not a turn, its children now follow the summary.
void Thread::move_ends(const Boundary& boundary, Index summary) {
  const std::string& name = boundary.kept.empty() ? boundary.kept_last : boundary.kept.back();
  const auto found = anchors_.find(RecordKey::of(name));
  if (found != anchors_.end() && !found->second.is_turn) found->second.turn = summary;
}

bool Thread::KeptTurns::contains(Index turn) const {
  if (!turns.empty()) return std::binary_search(turns.begin(), turns.end(), turn);
  return first != kNone && turn >= first && (last == kNone || turn <= last);
}

/// Returns the turns in a prompt after `turn`, oldest first: the last compress, the turns that it
/// left in place, and all later turns.
std::vector<Index> Thread::visible_at(Index turn) const {
  std::vector<Index> turns;
  for (Index at = turn; !turns_[at].is_root; at = turns_[at].parent) {
    turns.push_back(at);
    if (!turns_[at].is_compress) continue;
    const std::vector<Index>& left = left_by_.at(at);
    turns.insert(turns.end(), left.rbegin(), left.rend());
    break;
  }
  std::reverse(turns.begin(), turns.end());
  return turns;
}

// --- Groups -----------------------------------------------------------------

/// Returns the group that a record belongs to: that of an earlier record of its message, or of the
/// message whose call it answers.
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

}  // namespace spoor::import
