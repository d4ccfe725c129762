#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "store/check/findings.h"
#include "store/oid_table.h"
#include "store/reader.h"
#include "store/references.h"

namespace spoor::store::check {

/// The facts that fsck needs about the objects, without their bytes: which are stored, which
/// objects each one names, and the depth, gen and skip of each commit. First add all objects, in
/// any order; then run the checks. Each check reports to the Findings of the constructor.
class ObjectGraph {
 public:
  using Id = OidTable::Id;

  explicit ObjectGraph(Findings& findings) : findings_(findings) {}

  /// Marks an object that the engine reported, so that nothing that follows from that is reported
  /// again.
  void expect_damaged(const Oid& oid) { node(oid).state = State::damaged; }

  /// Records that an operation names this commit (or tag object, if `may_be_tag`).
  void add_logged(const Oid& oid, std::uint64_t operation, bool may_be_tag);

  /// Hashes and parses an object, and records its facts.
  void take(const StoredObject& stored);

  /// Checks that every object named by another is stored and of the right kind.
  void check_references();
  /// Checks depth, gen and skip of commits against their parents, and that directives apply to
  /// ancestors.
  void check_commits(const Reader& reader);
  /// Checks that parts have the sizes that their chunk list or rope requires.
  void check_chunks();
  /// Checks that a ref leads to a commit.
  void check_ref(const Ref& ref);
  /// Checks that the objects that operations name are stored. Call it last: it skips objects that
  /// were reported before.
  void check_logged();

  /// Counts the objects that the refs do not reach, and lists those absent for a known reason.
  void summarize(const std::vector<Ref>& refs, FsckReport& report);

  /// Adds a remark for each tombstone that is not in `own` (those made here), with its signers.
  void remark_foreign_tombstones(const std::vector<Oid>& own, FsckReport& report) const;

 private:
  enum class State : std::uint8_t {
    named,    // Not seen yet, only named.
    damaged,  // Stored but damaged, and reported: its contents are unknown.
    sound,
  };
  struct Node {
    State state = State::named;
    Kind kind = Kind::blob;
    bool is_erased = false;  // By a tombstone.
    bool is_reached = false;
    bool is_reported = false;  // As missing, or as an invalid target of a ref.
    bool may_be_tag = false;
    bool is_depth_wrong = false;
    std::uint32_t edge_count = 0;
    std::uint64_t first_edge = 0;
    std::uint64_t size = 0;    // The size of a blob's content, or as in a chunk list.
    std::uint64_t logged = 0;  // Number of the first operation that names it.
    std::uint64_t depth = 0;   // As in the commit's text.
    std::uint64_t gen = 0;
  };
  struct Edge {
    Id to;
    Role role;
  };
  // A place on the walk from the roots along first parents.
  struct Step {
    Id commit;
    std::size_t position;  // In path_.
    bool is_steady;        // True if every depth since the start of the path is right.
  };
  Node& node(const Oid& oid);
  void keep(Id id, const Object& object);
  std::span<const Edge> edges(const Node& of) const;
  bool is_commit(Id id) const;  // True only for a sound one.
  std::optional<Id> first_parent(Id id) const;
  void check_size(Id list, const Edge& edge, std::uint64_t expected);
  void check_reference(Id from, const Edge& edge);
  void report_missing(Id id, std::string_view because);

  void check_place(Id id);
  void walk_tree(Id root, const std::vector<std::uint64_t>& starts, const std::vector<Id>& children,
                 const Reader& reader);
  void check_skip(const Step& step, std::uint64_t base);
  void check_targets(const Step& step, std::uint64_t base, const Reader& reader);
  std::vector<Id> listed_targets(Id commit, Id list, const Reader& reader);
  void check_ancestors(Id commit, std::vector<Id> targets);

  Findings& findings_;
  OidTable names_;
  std::vector<Node> nodes_;  // Indexed by the name's number.
  std::vector<Edge> edges_;
  std::map<Id, std::vector<std::uint64_t>> rope_sizes_;  // The pieces', in order.
  std::map<Oid, std::size_t> tombstones_;                // The number of names in each.
  std::multimap<Oid, std::string> signed_by_;  // Genuine signatures: target to key in hex.
  std::vector<Id> path_;                       // First-parent ancestors of the current commit.
  std::vector<std::uint32_t> seen_;            // By commit: the last walk that visited it.
  std::uint32_t walk_ = 0;
  bool is_gen_sound_ = true;
};

}  // namespace spoor::store::check
