#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/names.h"

namespace spoor::import {

/// What a record says about its place: its name and its parent's, and for a turn
/// record what kind of turn it is.
struct Link {
  enum class Kind {
    user_written,  ///< typed by the user: two of them under one parent are a branch
    reply,         ///< of the model: two different ones under one parent are a branch
    result,        ///< of tool calls
    other,         ///< written by the program
    summary,       ///< of what was compacted
  };
  Kind kind = Kind::other;
  std::string uuid;          ///< may be empty
  std::uint64_t digest = 0;  ///< of the record's bytes
  bool has_parent = false;   ///< `parent` counts; empty means null
  std::string parent;
  bool goes_back = false;  ///< behind its parent itself, though that was continued: a branch
  bool is_sidechain = false;
  std::string agent;                  ///< of a sidechain; may be empty
  std::string message_id;             ///< of a reply; may be empty
  std::vector<std::string> calls;     ///< ids of the calls a reply makes
  std::vector<std::string> answered;  ///< ids of the calls that are answered
};

/// A compact boundary: what a following summary replaces. Anything may be empty.
struct Boundary {
  std::string logical_parent;     ///< the last record before the compaction
  std::string kept_first;         ///< records from here
  std::string kept_last;          ///< to here stay as they are
  std::vector<std::string> kept;  ///< records that stay as they are: counts instead of the range
};

using Index = std::uint32_t;
constexpr Index kNone = 0xffff'ffff;

/// Where a turn record goes.
struct Placement {
  Index turn = kNone;    ///< its own number: larger than every one before
  Index parent = kNone;  ///< the turn it goes behind; kNone: a root
  bool compresses = false;
  std::vector<Index> replaced;  ///< turns that a compress replaces, oldest first
};

/// The end of a line: of a branch, in the end.
struct Leaf {
  Index turn = kNone;
  std::string agent;       ///< which sidechain; empty: the main chain
  bool is_latest = false;  ///< the line of its chain's last turn in the source
};

/// Turns the parent pointers of a session into lines of history, by the design's
/// rules. It sees records in file order and decides each when it comes, from what
/// came before alone: so the front of a file gives the front of its history.
///
/// - A turn goes behind its parent; records that are no turns are stepped over.
/// - Records of one message id, and the results of its calls, are one line in
///   file order, whatever their parents say (parallel calls fork the source).
/// - A branch begins only where a second user-written turn, or a second reply
///   with another message id, names a parent that already has one, or where the
///   source says that it went back.
/// - Any other turn whose parent was continued already goes to the end of the
///   line that its parent is on. So does one whose parent is not in the file.
/// - A sidechain has its own root and never touches the main chain.
///
/// Memory: about 80 bytes a record.
class Thread {
 public:
  Thread();

  /// A turn record.
  Placement place(const Link& link);

  /// Was a record of this name, with these bytes, seen before?
  bool has_seen(std::string_view uuid, std::uint64_t digest) const;

  /// Was a record of this name seen before?
  bool knows(std::string_view uuid) const { return find(uuid) != nullptr; }

  /// Has a reply that was placed made this call?
  bool knows_call(std::string_view id) const { return call_groups_.find(id).has_value(); }

  /// A record that is no turn.
  void pass(const Link& link);

  /// A compact boundary, which is no turn either.
  void pass_boundary(const Link& link, const Boundary& boundary);

  /// Ends of lines: the main chain's, then each sidechain's in the order they
  /// began; within a chain the latest first, then the others by age.
  std::vector<Leaf> leaves() const;

  /// Records whose parent is not in the file, but for the first of a chain.
  std::uint64_t missing_parents() const { return missing_parents_; }

 private:
  struct Turn {
    Index parent = kNone;
    Index line = kNone;
    Index group = kNone;
    Index user_place = kNone;  // Behind which turn the first such child was put.
    Index reply_place = kNone;
    bool is_compress = false;
    bool is_summary = false;  // A later compaction replaces it, whatever that keeps.
    bool is_root = false;     // Stands for the beginning of a chain; no record.
  };
  struct Line {
    Index tail = kNone;
    Index chain = 0;
  };
  struct Chain {
    std::string agent;
    Index root = kNone;    // Its turn that stands for the beginning.
    Index latest = kNone;  // The last turn that was placed; the root at first.
  };
  struct Group {
    Index last = kNone;
    Index chain = 0;
  };

  /// What a record stands for to a child that names it: the nearest turn at or
  /// above it (kNone: the beginning), and the boundary passed on the way.
  struct Anchor {
    Index turn = kNone;
    Index boundary = kNone;
    bool is_turn = false;      // The record itself is that turn.
    std::uint64_t digest = 0;  // Of the record's own bytes.
  };

  /// The turns that a compaction leaves in place.
  struct KeptTurns {
    std::vector<Index> turns;  // These, in order; if there are none:
    Index first = kNone;       // all from here
    Index last = kNone;        // to here. kNone: to the end.

    bool contains(Index turn) const;
  };
  struct Resolved {
    enum class Kind { unnamed, missing, known } kind = Kind::unnamed;
    Anchor anchor;
  };

  Resolved resolve(const Link& link) const;
  const Anchor* find(std::string_view name) const;
  void remember(const Link& link, Anchor anchor);

  Index chain_for(const Link& link, const Resolved& parent);
  Index new_chain(std::string agent);
  std::string free_name(const std::string& name);
  Index chain_of(Index turn) const { return lines_[turns_[turn].line].chain; }
  Index end_of_line(Index turn) const { return lines_[turns_[turn].line].tail; }

  Index nearest_turn(const Link& link, const Resolved& parent, Index chain);
  Index group_for(const Link& link, Index chain) const;
  void join_group(const Link& link, Index turn, Index chain, Index group);
  Index behind_of(const Link& link, const Resolved& parent, Index chain, Index group);
  Index place_under(Index nearest, Link::Kind kind);
  Placement place_summary(const Link& link, const Resolved& parent, Index chain);
  const Anchor* last_compacted(const Boundary& boundary) const;
  KeptTurns kept_by(const Boundary& boundary) const;
  void move_ends(const Boundary& boundary, Index summary);
  std::vector<Index> visible_at(Index turn) const;
  Index add_turn(Index parent);
  Anchor anchor_of_passed(const Link& link);

  std::vector<Turn> turns_;
  std::vector<Line> lines_;
  std::vector<Chain> chains_;  // The main chain is the first.
  std::vector<Group> groups_;
  std::vector<Boundary> boundaries_;
  std::unordered_map<Index, std::vector<Index>> left_by_;  // By compress: the turns it leaves.
  Index open_boundary_ = kNone;  // The last one, as long as no turn came behind it.
  std::unordered_map<RecordKey, Anchor> anchors_;
  RecentNames message_groups_;
  RecentNames call_groups_;
  std::unordered_map<std::string, Index> agents_;
  std::unordered_map<std::string, Index> repeats_;  // How often free_name() found one taken.
  std::uint64_t missing_parents_ = 0;
};

}  // namespace spoor::import
