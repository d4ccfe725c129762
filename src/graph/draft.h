#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/fold.h"
#include "compile/scrubber.h"
#include "compile/turn.h"
#include "store/attest.h"
#include "store/bundle.h"

namespace spoor::graph {

using compile::Capture;
using compile::Entry;
using compile::Extra;
using compile::Facts;
using compile::Folder;
using compile::Scrubber;
using compile::Slot;
using compile::ToolCall;
using compile::Turn;
using store::Commit;
using store::Oid;
using store::Priority;
using store::Type;

/// What an edit gives its target. At least one of the two; tool calls to an answer
/// of the assistant only.
struct Edit {
  std::optional<std::string> text;
  std::optional<std::vector<ToolCall>> tool_calls;
};

/// What every directive may carry beside its own.
struct Signed {
  std::string author;             ///< empty: the writer's own
  std::optional<Timestamp> time;  ///< nothing: now
  Extra extra;
};

/// Code::invalid unless this may stand as the author of a commit or a tag.
Result<void> check_author(std::string_view author);

/// A range of prompt entries to summarise, both ends included, and of which types.
struct CompressRange {
  std::optional<Oid> from;   ///< nothing: the first entry
  std::optional<Oid> to;     ///< nothing: the last
  std::optional<Type> only;  ///< nothing but entries of this type
  bool keep_reasoning = false;
};

/// What a compress did.
struct Compressed {
  Oid commit;
  std::size_t sources = 0;  ///< messages that were summarised
  std::size_t kept = 0;     ///< pinned ones that stayed
};

/// What a draft needs from around it. All of it must outlive the draft.
struct DraftPorts {
  store::Store& store;
  const store::Reader& reader;
  const Folder& folder;
  const store::Salter& salter;
  const Scrubber& scrubber;
  const Clock& clock;
  const std::optional<Error>& refusal;  ///< why nothing may be written here, if so
};

/// Commits and moves of refs that are not written yet: the one write path.
///
/// Whatever the scrubber lets through, no key that this process holds is written (known_keys.h). A
/// commit with a provider's item from which one was taken says so (fact::raw_altered).
///
/// Ops apply in order and see the earlier ones; one that fails adds nothing. Nothing
/// is stored until write(); a draft that is dropped leaves nothing behind. For one
/// thread; `ref` is always a full name such as `refs/heads/main`, and a malformed
/// one is Code::invalid everywhere.
class Draft {
 public:
  /// Takes back what was added in its life, unless it was finished: several ops as one, which is
  /// added as a whole or not at all. Moves of refs are not taken back, so they come last. Within
  /// the draft's life; the one made last goes first.
  class Op {
   public:
    explicit Op(Draft& draft);
    ~Op();
    Op(const Op&) = delete;
    Op& operator=(const Op&) = delete;
    void finish() { is_finished_ = true; }

   private:
    Draft& draft_;
    std::size_t objects_;
    std::size_t commits_;
    std::size_t copies_;
    bool is_finished_ = false;
  };

  /// `may_assume`: assume() is heeded, since whoever runs this draft runs another
  /// when write() answers Code::conflict.
  Draft(const DraftPorts& ports, std::string actor, bool may_assume = false);
  ~Draft();
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  /// Where a ref points, with this draft's own moves applied.
  Result<std::optional<Oid>> tip(const std::string& ref);

  /// The same where there has to be a commit: Code::not_found when there is none.
  Result<Oid> tip_of(const std::string& ref);

  /// Takes `ref` to be at `target` without asking the store. Where that is no
  /// longer so, write() finds out: for appends, which depend on nothing else. Does
  /// nothing unless this draft may assume: a belief must not decide who loses.
  void assume(const std::string& ref, const Oid& target);

  /// Lets the ops on `ref` make the new ref `as` instead, from `base` on (nothing:
  /// from no commit). Before any op on `ref`; for OnConflict::fork (repository.h).
  Result<void> fork(const std::string& ref, const std::string& as, const std::optional<Oid>& base);

  /// A turn at the end of a branch, which comes into being with its first one.
  /// Author and time are written as the turn says: absent where it has none.
  Result<Oid> append(const std::string& ref, const Turn& turn);

  /// The same behind an explicit parent, moving no ref: for importers, which set
  /// refs at the end. Nothing: a root.
  Result<Oid> append_to(const std::optional<Oid>& parent, const Turn& turn);

  /// A new text, or new calls, for an earlier message. Code::not_found when
  /// `target` is not on this history, Code::invalid when it is no prompt entry.
  Result<Oid> edit(const std::string& ref, const Oid& target, const Edit& edit, const Signed& by);

  /// A priority for an earlier message, with a reason (may be empty).
  Result<Oid> annotate(const std::string& ref, const Oid& target, Priority priority,
                       std::string_view reason, const Signed& by);

  /// One summary in place of a range (design, "The fold"). Author and time: as
  /// `by` says, else as `summary` does, else the writer's own, now.
  Result<Compressed> compress(const std::string& ref, const CompressRange& range,
                              const Turn& summary, const Signed& by);

  /// A compress that names its sources outright, behind an explicit parent. Errors
  /// as for edit(), for each of `targets` on the history of `parent`.
  Result<Oid> compress_to(const Oid& parent, const std::vector<Oid>& targets, const Turn& summary);

  /// An annotate of all `targets` behind an explicit parent, with `facts` in its meta. Errors as
  /// for compress_to().
  Result<Oid> annotate_to(const Oid& parent, const std::vector<Oid>& targets, Priority priority,
                          const Facts& facts);

  /// An edit of the text of `target` behind an explicit parent, with `facts` in its meta. Errors as
  /// for compress_to().
  Result<Oid> edit_to(const Oid& parent, const Oid& target, std::string text,
                      const std::optional<Timestamp>& time, const Facts& facts);

  /// A merge commit of `source` into `ref`. `targets` is for `pick` only, and
  /// `digest` for `digest` only. No fast-forward here (merge.h). Errors of a pick
  /// as for edit(), on the side of `source`. Author and time as for compress().
  Result<Oid> merge(const std::string& ref, const Oid& source, store::Mode mode,
                    const std::vector<Oid>& targets, const Turn* digest, const Signed& by);

  /// A copy of `original` behind other parents, moving no ref: `commit` is the original or
  /// what it says now, `targets` what it names here. It keeps the change id, and the operation
  /// records whose copy it is. The caller has checked the targets (rewrite.h).
  Result<Oid> copy(const Oid& original, Commit commit, const std::vector<Oid>& parents,
                   const std::vector<Oid>& targets);

  /// Records in the operation that `now` says what `original` said, as copy() does for a copy.
  void maps(const Oid& original, const Oid& now) { map_.emplace_back(original, now); }

  /// Another text or other labels for a commit that is about to be copied.
  Result<void> set_text(std::string text, Commit& commit);
  Result<void> set_extra(const Extra& extra, Commit& commit);

  /// From here on no more is kept of anything than `least`; `full`: as much as the repository
  /// keeps. Code::denied where it has nothing that keeps less.
  Result<void> capture_at_least(Capture least);

  /// Says that this transaction takes an operation back.
  void takes_back(const Oid& operation) { undo_ = operation; }

  /// Sets, creates or (with nothing) deletes a ref. It may point at a commit, and
  /// one under `refs/tags/` also at a tag of one: Code::invalid for any other
  /// object, Code::not_found for what is neither stored nor in this draft.
  Result<void> move(const std::string& ref, const std::optional<Oid>& to);

  /// Makes a tag object for a commit, by `by` (its extra is passed over). An empty note is
  /// none.
  Result<Oid> put_tag(std::string_view name, const Oid& target, std::string note, const Signed& by);

  /// Stores what a model call was sent: `bundle`, whose digest and length are set here from
  /// `body`, the request. `keep`: the body is stored too, since it cannot be rebuilt. Digest and
  /// length are those of the body as it is sent, also where a known key is taken out of what is
  /// stored.
  Result<Oid> put_bundle(store::Bundle bundle, std::string_view body, bool keep);

  /// Lets the bytes of `objects` go for good with this transaction, and says so by a tombstone,
  /// which it returns. The caller knows that nothing else holds what they say (guard/erase). At
  /// least one; contents alone. An empty reason is none; Code::invalid for one that is over
  /// kMaxReason bytes.
  Result<Oid> erase(std::vector<Oid> objects, std::string reason, const Signed& by);
  static constexpr std::size_t kMaxReason = 1'000;

  /// Stores a signature.
  Oid put_attest(const store::Attest& attest);

  /// What was erased stays erased: a write that would store it again is Code::denied. After this
  /// such contents are left out instead, and what names them shows that they were erased: for
  /// importers, who find a text again where it came from.
  void leave_out_erased() { leaves_out_erased_ = true; }
  /// How many were left out so far.
  std::size_t left_out() const { return left_out_; }

  /// Stores a content without a commit of its own; returns its name.
  Result<Oid> put_content(Slot slot, std::string bytes);

  /// Commits made so far.
  std::size_t size() const { return commits_.size(); }
  /// Bytes held so far, roughly: bulk writers look at it to write now and then.
  std::size_t bytes() const { return bytes_; }

  /// The refs that this draft moves, with where they will point.
  std::vector<store::RefMove> moves() const;
  bool empty() const { return objects_.empty() && moves_.empty(); }

  /// Writes everything as one transaction and one operation; the draft is empty
  /// then, and can be filled again. `command` names the command, never a text.
  /// Code::conflict when another writer moved one of the refs, Code::not_found when gc has taken
  /// what this draft builds upon since it was read: nothing is written.
  Result<store::Receipt> write(std::string_view command);

 private:
  struct Move {
    std::string ref;  // What is written: a fork has another name than the ops use.
    std::optional<Oid> before;
    std::optional<Oid> after;
  };

  Result<Move*> move_of(const std::string& ref);
  Result<void> check_tells_nothing(const std::string& ref) const;

  Result<Oid> add_commit(Commit commit, const std::vector<Oid>& parents);
  Result<Oid> on_branch(const std::string& ref, Commit commit);
  Result<void> check_target_of_ref(const std::string& ref, const Oid& to) const;
  Result<void> fill(const Turn& turn, Commit& commit);
  Result<void> sign(const Signed& by, Commit& commit);
  Result<void> set_targets(const std::vector<Oid>& targets, Commit& commit);
  Result<Entry> entry_of(const Oid& tip, const Oid& target);
  Result<std::vector<Oid>> check_picked(const Oid& source, std::vector<Oid> picked);
  Result<std::string> storable(Slot slot, std::string bytes, bool* held_key = nullptr) const;
  Result<Oid> put(Slot slot, std::string bytes, bool* held_key = nullptr);
  Oid put_scrubbed(std::string_view bytes);
  const Scrubber& scrubber() const { return own_scrubber_ ? *own_scrubber_ : ports_.scrubber; }
  Result<std::string> media_type_of(std::string media_type) const;
  Facts marked(Facts facts) const;
  Result<std::optional<Oid>> put_json(Slot slot, std::string json);
  Result<std::vector<Oid>> needs(const std::vector<store::RefMove>& moves) const;
  Result<void> check_stored(const std::vector<Oid>& needed) const;
  Result<void> keep_erased(std::vector<store::NewObject>& objects);
  void add(store::NewObject object, std::shared_ptr<const Commit> commit = nullptr);
  void release();

  DraftPorts ports_;
  std::string actor_;
  std::shared_ptr<const Scrubber> own_scrubber_;  // Null: the repository's.
  bool may_assume_;
  std::deque<store::NewObject> objects_;  // A deque: staged ones must not move.
  std::vector<store::NamedCommit> commits_;
  std::map<std::string, Move> moves_;  // By the name that the ops use.
  std::size_t bytes_ = 0;
  std::vector<std::pair<Oid, Oid>> map_;  // Original, copy.
  std::optional<Oid> undo_;
  std::vector<Oid> erase_;
  std::vector<Oid> tombstones_;
  bool leaves_out_erased_ = false;
  std::size_t left_out_ = 0;
};

}  // namespace spoor::graph
