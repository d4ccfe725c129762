#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/names.h"

namespace spoor::import {

/// A record's links: its name and its parent's, and the kind of a turn record.
struct Link {
  enum class Kind {
    user_written,  ///< typed by the user: two of them under one parent are a branch
    reply,         ///< from the model: two different ones under one parent are a branch
    result,        ///< of tool calls
    other,         ///< written by the program
    summary,       ///< of the compacted turns
  };
  Kind kind = Kind::other;
  std::string uuid;          ///< the record's name; may be empty
  std::uint64_t digest = 0;  ///< of the record's bytes
  bool has_parent = false;   ///< `parent` counts; empty means null
  std::string parent;
  bool goes_back = false;  ///< directly after its parent, even if that has a successor: a branch
  bool is_sidechain = false;
  std::string agent;                  ///< the sidechain's; may be empty
  std::string message_id;             ///< the reply's; may be empty
  std::vector<std::string> calls;     ///< ids of the calls in a reply
  std::vector<std::string> answered;  ///< ids of the calls that are answered
};

/// A compact boundary: the range that a following summary replaces. Any member may be empty.
struct Boundary {
  std::string logical_parent;     ///< the last record before the compaction
  std::string kept_first;         ///< first record of the range that stays unchanged
  std::string kept_last;          ///< last record of that range
  std::vector<std::string> kept;  ///< records that stay unchanged; replaces the range if not empty
};

using Index = std::uint32_t;
constexpr Index kNone = 0xffff'ffff;

/// The place of a turn record.
struct Placement {
  Index turn = kNone;    ///< its own number: larger than all earlier ones
  Index parent = kNone;  ///< the turn that it follows; kNone: a root
  bool compresses = false;
  std::vector<Index> replaced;  ///< turns that a compress replaces, oldest first
};

/// The end of a line; at the end of the source, the tip of a branch.
struct Leaf {
  Index turn = kNone;
  std::string agent;       ///< the sidechain's name; empty: the main chain
  bool is_latest = false;  ///< the line of its chain's last turn in the source
};

/// Turns the parent pointers of a session into lines of history. It reads records in file order and
/// places each one using only the records before it, so the front of a file gives the front of its
/// history.
///
/// - A turn follows its parent; records that are not turns are stepped over.
/// - Records of one message id, and the results of its calls, are one line in file order, whatever
///   parents they name (parallel calls fork the source).
/// - A branch begins only if a second user-written turn, or a second reply with another message id,
///   names a parent that already has one, or if the source states that it went back.
/// - Any other turn whose parent already has a successor is added at the end of its parent's line.
///   So is one whose parent is not in the file.
/// - A sidechain has its own root and is never connected to the main chain.
///
/// Memory: about 80 bytes a record.
class Thread {
 public:
  Thread();

  /// Places a turn record.
  Placement place(const Link& link);

  /// Returns true if a record with this name and these bytes was seen before.
  bool has_seen(std::string_view uuid, std::uint64_t digest) const;

  /// Returns true if a record with this name was seen before.
  bool knows(std::string_view uuid) const { return find(uuid) != nullptr; }

  /// Returns true if a placed reply made this call.
  bool knows_call(std::string_view id) const { return call_groups_.find(id).has_value(); }

  /// Adds a record that is not a turn.
  void pass(const Link& link);

  /// Adds a compact boundary, which is not a turn either.
  void pass_boundary(const Link& link, const Boundary& boundary);

  /// Returns the ends of lines: the main chain's, then each sidechain's in the order they began;
  /// within a chain the latest first, then the others by age.
  std::vector<Leaf> leaves() const;

  /// Returns the number of records whose parent is not in the file, except for the first of a
  /// chain.
  std::uint64_t missing_parents() const { return missing_parents_; }

 private:
  struct Turn {
    Index parent = kNone;
    Index line = kNone;
    Index group = kNone;
    Index user_place = kNone;  // The turn that the first user-written child follows.
    Index reply_place = kNone;
    bool is_compress = false;
    bool is_summary = false;  // A later compaction always replaces it.
    bool is_root = false;     // The beginning of a chain; no record.
  };
  struct Line {
    Index tail = kNone;
    Index chain = 0;
  };
  struct Chain {
    std::string agent;
    Index root = kNone;    // The turn for its beginning.
    Index latest = kNone;  // The last turn that was placed; the root at first.
  };
  struct Group {
    Index last = kNone;
    Index chain = 0;
  };

  /// The place of a record's children: the nearest turn at or above the record (kNone: the
  /// beginning), and the boundary between the two.
  struct Anchor {
    Index turn = kNone;
    Index boundary = kNone;
    bool is_turn = false;      // The record itself is that turn.
    std::uint64_t digest = 0;  // Hash of the record's bytes.
  };

  /// The turns that a compaction leaves in place.
  struct KeptTurns {
    std::vector<Index> turns;  // These, in order; if empty:
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
  std::unordered_map<Index, std::vector<Index>> left_by_;  // By compress: the turns that it leaves.
  Index open_boundary_ = kNone;  // The last boundary, until a turn follows it.
  std::unordered_map<RecordKey, Anchor> anchors_;
  RecentNames message_groups_;
  RecentNames call_groups_;
  std::unordered_map<std::string, Index> agents_;
  std::unordered_map<std::string, Index> repeats_;  // How often free_name() found a name taken.
  std::uint64_t missing_parents_ = 0;
};

}  // namespace spoor::import
