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

/// What a store can be found to break; docs/format.md says each in full. The
/// word (name_of) is the contract of `spoor fsck --json`.
enum class Rule : std::uint8_t {
  engine,      ///< the engine's own structures agree with each other (Store::check)
  name,        ///< an object's bytes hash to its name
  shape,       ///< an object is strict text, or a blob of allowed size
  missing,     ///< what an object names is stored, or a tombstone says why not
  kind,        ///< … and is of a kind that may stand there
  chunks,      ///< the parts of a chunk list have the sizes that add up to its own
  depth,       ///< the first parent's + 1
  gen,         ///< 1 + the largest of all parents'
  skip,        ///< the first-parent ancestor at skip_height(depth)
  targets,     ///< `targets` names a content that lists more than 256 commits
  ancestor,    ///< what a directive applies to is an ancestor
  op_name,     ///< an operation's bytes hash to its name
  op_shape,    ///< an operation is strict text; a checkpoint is the first
  op_number,   ///< operations are numbered 1, 2, 3, …
  op_prev,     ///< `prev` names the operation before
  op_time,     ///< time does not run backwards
  op_before,   ///< a ref was where the operation says it was
  op_undo,     ///< what was undone is an earlier operation
  op_commit,   ///< the commits that an operation names are stored
  ref_commit,  ///< a ref points at a stored commit; under `refs/tags/` also at a tag
  ref_table,   ///< the refs are what the log says
  signature,   ///< an attest's signature is that of its key, under its target
  derived,     ///< what a layer above keeps derived (Store::cached) is what the objects come to
};

/// "engine", "name", …, "op_name", …
std::string_view name_of(Rule rule);
constexpr std::size_t kRuleCount = 23;

/// What fsck found out.
struct FsckReport {
  struct Problem {
    std::string subject;  ///< an object's full hex name, a ref's, `operation N`, `log`, `mark`
    Rule rule = Rule::engine;
    std::string message;  ///< for people; does not repeat the subject
  };
  /// A name whose bytes are not here, for a reason that the store knows.
  struct Absent {
    Oid oid;
    std::string reason;  ///< "erased"
  };

  /// Something that breaks no rule, and that whoever keeps the store should know.
  struct Remark {
    std::string subject;  ///< an object's full hex name, `store`, `log` or `mark`
    std::string message;
  };

  std::array<std::uint64_t, 7> objects{};  ///< by Kind, damaged ones included
  std::uint64_t bytes = 0;                 ///< of all bodies
  std::uint64_t operations = 0;
  std::uint64_t refs = 0;
  std::uint64_t orphans = 0;            ///< commits that no ref leads to: undo may, gc knows
  std::uint64_t unreachable = 0;        ///< blobs, chunks, bundles and tags, likewise
  std::optional<Oid> newest_operation;  ///< covers all that any ref ever led to

  std::vector<Absent> absent;  ///< in order of name
  /// Of the log and its mark, tombstones that were not made here, in order of name, and an
  /// unfinished erasure.
  std::vector<Remark> remarks;
  /// In the order found; at most kMaxProblems of problem_count.
  std::vector<Problem> problems;
  std::uint64_t problem_count = 0;
  static constexpr std::size_t kMaxProblems = 10'000;

  bool is_sound() const { return problem_count == 0; }
  std::uint64_t object_count() const;
};

struct FsckOptions {
  /// Called now and then with the number of objects read so far.
  std::function<void(std::uint64_t)> progress = {};
  /// Asked now and then; fsck answers Code::interrupted soon after it says true.
  std::function<bool()> is_cancelled = {};
};

/// Believes nothing: hashes every object and operation, parses all strict text,
/// follows every name, checks depth, gen and skip against the parents, and holds
/// the refs against the log. Each cause is one problem where that can be told: what
/// hangs on a damaged object is not reported again.
///
/// Changes nothing; writers may go on. Takes about a hundred bytes of memory per
/// object, whatever the objects' size. A damaged store is a report; the error is
/// only for a store that cannot be read (Code::io), or one so busy that its refs
/// and its log were never seen at the same moment (Code::unavailable).
Result<FsckReport> fsck(const Store& store, const FsckOptions& options = {});

}  // namespace spoor::store
