#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace spoor::store {

/// The rules that fsck checks; docs/format.md defines each in full. The word (name_of) is part of
/// the contract of `spoor store fsck --json`.
enum class Rule : std::uint8_t {
  engine,      ///< the engine's own structures agree with each other (Store::check)
  name,        ///< an object's bytes hash to its name
  shape,       ///< an object is strict text, or a blob of allowed size
  missing,     ///< an object that another names is stored, or a tombstone explains its absence
  kind,        ///< … and is of a kind allowed there
  chunks,      ///< the parts of a chunk list or a rope have the sizes that it says
  depth,       ///< the first parent's + 1
  gen,         ///< 1 + the largest of all parents'
  skip,        ///< the first-parent ancestor at skip_height(depth)
  targets,     ///< `targets` names a content that lists more than 256 commits
  ancestor,    ///< the target of a directive is an ancestor
  op_name,     ///< an operation's bytes hash to its name
  op_shape,    ///< an operation is strict text; a checkpoint is the first
  op_number,   ///< operations are numbered 1, 2, 3, …
  op_prev,     ///< `prev` names the operation before
  op_time,     ///< time does not decrease
  op_before,   ///< a ref was at the operation's `before` value
  op_undo,     ///< `undo` names an earlier operation
  op_commit,   ///< the commits that an operation names are stored
  ref_commit,  ///< a ref points at a stored commit; under `refs/tags/` also at a tag
  ref_table,   ///< the refs table equals the replayed log
  signature,   ///< an attest's signature of its target is valid for its key
  derived,     ///< derived data of a higher layer (Store::cached) matches the objects
  checkpoint,  ///< the log begins with what its signed checkpoints cover (proof/log_tree.h)
};

/// "engine", "name", …, "op_name", …
std::string_view name_of(Rule rule);
constexpr std::size_t kRuleCount = 24;

/// The results of fsck.
struct FsckReport {
  struct Problem {
    std::string subject;  ///< an object's full hex name, a ref's, `operation N`, `log`, `mark`
    Rule rule = Rule::engine;
    std::string message;  ///< for people, without the subject
  };
  /// A name whose bytes are absent for a known reason.
  struct Absent {
    Oid oid;
    std::string reason;  ///< "erased"
  };

  /// A finding that breaks no rule but that the store's owner should know.
  struct Remark {
    std::string subject;  ///< an object's full hex name, `store`, `log` or `mark`
    std::string message;
  };

  std::array<std::uint64_t, kKinds.size()> objects{};  ///< by Kind, damaged ones included
  std::uint64_t bytes = 0;                             ///< of all bodies
  std::uint64_t operations = 0;
  std::uint64_t refs = 0;
  std::uint64_t orphans = 0;  ///< commits that no ref reaches; undo may restore them, gc decides
  std::uint64_t unreachable = 0;        ///< the same for blobs, chunks, bundles and tags
  std::optional<Oid> newest_operation;  ///< its hash covers everything that any ref ever reached

  std::vector<Absent> absent;  ///< in order of name
  /// About the log and its mark, tombstones not made here (in order of name), and an unfinished
  /// erasure.
  std::vector<Remark> remarks;
  /// In the order found; at most kMaxProblems of problem_count.
  std::vector<Problem> problems;
  std::uint64_t problem_count = 0;
  static constexpr std::size_t kMaxProblems = 10'000;

  bool is_sound() const { return problem_count == 0; }
  std::uint64_t object_count() const;
};

struct FsckOptions {
  /// Called from time to time with the number of objects read so far.
  std::function<void(std::uint64_t)> progress = {};
  /// Polled; fsck returns Code::interrupted soon after it returns true.
  std::function<bool()> is_cancelled = {};
};

/// Checks a whole store: hashes every object and operation, parses all strict text, follows every
/// name, checks depth, gen and skip against the parents, and compares the refs with the log.
/// Reports each cause once where possible: consequences of a damaged object are not reported.
///
/// Changes nothing and does not block writers. Takes about a hundred bytes of memory per object, of
/// any size. Damage is reported, not returned as an error. Code::io if the store cannot be read;
/// Code::unavailable if it is so busy that its refs and log were never read at the same moment.
Result<FsckReport> fsck(const Store& store, const FsckOptions& options = {});

}  // namespace spoor::store
