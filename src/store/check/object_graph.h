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

/// Everything fsck has to know about the objects, without their bytes: what is
/// stored, what names what, and where each commit says it stands. Fill it, in any
/// order; then ask. Every check reports to the findings given at the start.
class ObjectGraph {
 public:
  using Id = OidTable::Id;

  explicit ObjectGraph(Findings& findings) : findings_(findings) {}

  /// The engine reported this object: what follows from that is not said again.
  void expect_damaged(const Oid& oid) { node(oid).state = State::damaged; }

  /// An operation names this commit (or a tag object, where it may).
  void add_logged(const Oid& oid, std::uint64_t operation, bool may_be_tag);

  /// Hashes and parses an object, and keeps what it says.
  void take(const StoredObject& stored);

  /// What objects name is there, and of the right kind.
  void check_references();
  /// Commits stand where their parents put them, and directives apply to ancestors.
  void check_commits(const Reader& reader);
  /// Parts have the sizes that their chunk list says.
  void check_chunks();
  /// A ref leads to a commit.
  void check_ref(const Ref& ref);
  /// What operations name is there. Last: what was reported already is passed over.
  void check_logged();

  /// Counts what the refs do not lead to, and lists what is absent for a reason.
  void summarize(const std::vector<Ref>& refs, FsckReport& report);

  /// Names the tombstones that are not among these, which were made here, and who signed them.
  void remark_foreign_tombstones(const std::vector<Oid>& own, FsckReport& report) const;

 private:
  enum class State : std::uint8_t {
    named,    // Only named so far.
    damaged,  // Here in some way, and reported: nothing can be said about it.
    sound,
  };
  struct Node {
    State state = State::named;
    Kind kind = Kind::blob;
    bool is_erased = false;  // A tombstone says so.
    bool is_reached = false;
    bool is_reported = false;  // As missing, or as no target of a ref.
    bool may_be_tag = false;
    bool is_depth_wrong = false;
    std::uint32_t edge_count = 0;
    std::uint64_t first_edge = 0;
    std::uint64_t size = 0;    // Of a blob's content, or as a chunk list says.
    std::uint64_t logged = 0;  // The first operation that names it.
    std::uint64_t depth = 0;   // As a commit says.
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
    bool is_steady;        // Every depth from the start of the path on is right.
  };
  Node& node(const Oid& oid);
  void keep(Id id, const Object& object);
  std::span<const Edge> edges(const Node& of) const;
  bool is_commit(Id id) const;  // A sound one.
  std::optional<Id> first_parent(Id id) const;
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
  std::vector<Node> nodes_;  // By the name's number.
  std::vector<Edge> edges_;
  std::map<Oid, std::size_t> tombstones_;      // How many names each has.
  std::multimap<Oid, std::string> signed_by_;  // Genuine signatures: target, key in hex.
  std::vector<Id> path_;                       // First-parent ancestors of the commit at hand.
  std::vector<std::uint32_t> seen_;            // By commit: the walk that saw it last.
  std::uint32_t walk_ = 0;
  bool is_gen_sound_ = true;
};

}  // namespace spoor::store::check
