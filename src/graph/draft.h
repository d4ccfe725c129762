#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/fold.h"
#include "compile/scrubber.h"
#include "compile/turn.h"
#include "graph/write_conditions.h"
#include "store/attest.h"
#include "store/bundle.h"
#include "store/rope.h"

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

/// The new content of an edited message. At least one of the two is set; tool calls only for an
/// assistant answer.
struct Edit {
  std::optional<std::string> text;
  std::optional<std::vector<ToolCall>> tool_calls;
};

/// Fields that every directive may have.
struct Signed {
  std::string author;             ///< empty: the draft's author
  std::optional<Timestamp> time;  ///< nullopt: now
  Extra extra;
};

/// Returns Code::invalid unless `author` is a valid author of a commit or tag.
Result<void> check_author(std::string_view author);

/// A range of prompt entries to summarise, both ends included.
struct CompressRange {
  std::optional<Oid> from;   ///< nullopt: the first entry
  std::optional<Oid> to;     ///< nullopt: the last
  std::optional<Type> only;  ///< only entries of this type
  bool keep_reasoning = false;
};

/// The result of a compress.
struct Compressed {
  Oid commit;
  std::size_t sources = 0;  ///< messages that were summarised
  std::size_t kept = 0;     ///< pinned messages, which stay
};

/// The objects that a draft uses. All of them must outlive the draft.
struct DraftPorts {
  store::Store& store;
  const store::Reader& reader;
  const Folder& folder;
  const store::Salter& salter;
  const Scrubber& scrubber;
  const Clock& clock;
  const KnownConditions& conditions;
};

/// Commits and ref moves that are not written yet. All writes use a draft.
///
/// Ops apply in order and see the earlier ones; an op that fails adds nothing. Nothing is stored
/// until write(); a discarded draft leaves no trace. For one thread. `ref` is always a full name
/// such as `refs/heads/main`; a malformed one is Code::invalid everywhere.
///
/// No key known to this process (known_keys.h) is written, whatever the scrubber does. If a key is
/// removed from a provider's item, the commit records it (fact::raw_altered).
class Draft {
 public:
  /// Groups several ops: they are added as a whole or not at all. The destructor removes what was
  /// added since the constructor, unless finish() was called. Ref moves are not removed, so make
  /// them last. Must not outlive the draft; nested ones end in reverse order.
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

  /// `may_assume`: assume() takes effect. Set it only if the caller runs another draft when write()
  /// returns Code::conflict.
  Draft(const DraftPorts& ports, std::string actor, bool may_assume = false);
  ~Draft();
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  /// Returns the target of `ref`, with this draft's own moves applied.
  Result<std::optional<Oid>> tip(const std::string& ref);

  /// Return refs as this draft leaves them: one, and those whose full name starts with `prefix`.
  /// Unlike tip(), they do not decide what write() expects.
  Result<std::optional<Oid>> ref(const std::string& name) const;
  Result<std::vector<store::Ref>> refs(const std::string& prefix) const;

  /// As tip(), but returns Code::not_found if `ref` has no commit.
  Result<Oid> tip_of(const std::string& ref);

  /// Takes `ref` to be at `target` without asking the store. If that is wrong, write() returns
  /// Code::conflict. For appends, which depend on nothing else. Does nothing unless the draft may
  /// assume, because a wrong guess must not decide which writer loses.
  void assume(const std::string& ref, const Oid& target);

  /// Makes the ops on `ref` create the new ref `as` instead, starting at `base` (nullopt: at no
  /// commit). Call it before any op on `ref`. For OnConflict::fork (repository.h).
  Result<void> fork(const std::string& ref, const std::string& as, const std::optional<Oid>& base);

  /// Appends a turn to a branch; the first turn creates the branch. Author and time are written
  /// only if the turn has them.
  Result<Oid> append(const std::string& ref, const Turn& turn);

  /// As append(), but after an explicit parent (nullopt: as a root) and without moving a ref. For
  /// importers, which set refs at the end.
  Result<Oid> append_to(const std::optional<Oid>& parent, const Turn& turn);

  /// Gives an earlier message a new text or new calls. Returns Code::not_found if `target` is not
  /// on this history, Code::invalid if it is not a prompt entry.
  Result<Oid> edit(const std::string& ref, const Oid& target, const Edit& edit, const Signed& by);

  /// Gives an earlier message a priority, with a reason (may be empty).
  Result<Oid> annotate(const std::string& ref, const Oid& target, Priority priority,
                       std::string_view reason, const Signed& by);

  /// Replaces a range with one summary (design, "The fold"). Author and time are those of `by`,
  /// else those of `summary`, else the draft's author and now.
  Result<Compressed> compress(const std::string& ref, const CompressRange& range,
                              const Turn& summary, const Signed& by);

  /// Compresses explicit targets, after an explicit parent. Errors as for edit(), for each of
  /// `targets` on the history of `parent`.
  Result<Oid> compress_to(const Oid& parent, const std::vector<Oid>& targets, const Turn& summary);

  /// Annotates all `targets` after an explicit parent, with `facts` in its meta. Errors as for
  /// compress_to().
  Result<Oid> annotate_to(const Oid& parent, const std::vector<Oid>& targets, Priority priority,
                          const Facts& facts);

  /// Edits the text of `target` after an explicit parent, with `facts` in its meta. Errors as for
  /// compress_to().
  Result<Oid> edit_to(const Oid& parent, const Oid& target, std::string text,
                      const std::optional<Timestamp>& time, const Facts& facts);

  /// Adds a merge commit of `source` to `ref`; never a fast-forward (merge.h). `targets` is for
  /// `pick` only, `digest` for `digest` only. Errors of a pick as for edit(), on the history of
  /// `source`. Author and time as for compress().
  Result<Oid> merge(const std::string& ref, const Oid& source, store::Mode mode,
                    const std::vector<Oid>& targets, const Turn* digest, const Signed& by);

  /// Copies `original` with other parents and moves no ref. `commit` is the original or its amended
  /// version; `targets` are the copy's targets, which the caller has checked (rewrite.h). The copy
  /// keeps the change id, and the operation records its original.
  Result<Oid> copy(const Oid& original, Commit commit, const std::vector<Oid>& parents,
                   const std::vector<Oid>& targets);

  /// Records in the operation that `now` replaces `original`, as copy() does for a copy.
  void maps(const Oid& original, const Oid& now) { map_.emplace_back(original, now); }

  /// Replaces the text or the labels of a commit that is about to be copied.
  Result<void> set_text(std::string text, Commit& commit);
  Result<void> set_extra(const Extra& extra, Commit& commit);

  /// From now on captures nothing more fully than `least`; `full`: as the repository does. Returns
  /// Code::denied if the repository has no scrubber that keeps less.
  Result<void> capture_at_least(Capture least);

  /// Records that this transaction undoes or redoes `operation`.
  void takes_back(const Oid& operation) { undo_ = operation; }

  /// Sets, creates or (with nullopt) deletes a ref. It may point at a commit; a ref under
  /// `refs/tags/` may also point at a tag of a commit. Returns Code::invalid for any other object,
  /// Code::not_found for an object that is neither stored nor in this draft.
  Result<void> move(const std::string& ref, const std::optional<Oid>& to);

  /// Makes a tag object for a commit, by `by` (its extra is ignored). An empty note is not stored.
  Result<Oid> put_tag(std::string_view name, const Oid& target, std::string note, const Signed& by);

  /// Stores the record of a model call's request: `bundle`, whose digest and length are set here
  /// from `body`, the request. `keep`: stores the body too, since it cannot be rebuilt. Digest and
  /// length are of the body as sent, even if a known key is removed from the stored body.
  Result<Oid> put_bundle(store::Bundle bundle, std::string_view body, bool keep);

  /// Erases the bytes of `objects` for good with this transaction, and returns the tombstone that
  /// records it. `objects` are contents, at least one; the caller has checked that no other object
  /// contains their text (guard/erase). An empty reason is not stored; a reason of more than
  /// kMaxReason bytes is Code::invalid.
  Result<Oid> erase(std::vector<Oid> objects, std::string reason, const Signed& by);
  static constexpr std::size_t kMaxReason = 1'000;

  /// Stores a signature.
  Oid put_attest(const store::Attest& attest);

  /// Makes write() leave out contents that were erased before, instead of returning Code::denied.
  /// Commits that name them show that they were erased. For importers, which read the same text
  /// again from its source.
  void leave_out_erased() { leaves_out_erased_ = true; }
  /// Returns how many contents were left out so far.
  std::size_t left_out() const { return left_out_; }

  /// Stores a content without a commit, and returns its name.
  Result<Oid> put_content(Slot slot, std::string bytes);

  /// Stores a text as put_content() does, but as a rope, cut where `cut` says, which gets the text
  /// as it is stored.
  using Cutter = std::function<std::vector<store::Cut>(std::string_view text)>;
  Result<Oid> put_rope(Slot slot, std::string text, const Cutter& cut);

  /// Returns the commits made so far, in order; the same one twice if it was made twice.
  const std::vector<store::NamedCommit>& commits() const { return commits_; }
  std::size_t size() const { return commits_.size(); }
  /// Returns roughly how many bytes the draft uses. Bulk writers read it to decide when to write.
  std::size_t bytes() const { return bytes_; }

  /// Returns the refs that this draft moves, with their new targets.
  std::vector<store::RefMove> moves() const;
  bool empty() const { return objects_.empty() && moves_.empty(); }

  /// Writes everything as one transaction and one operation; afterwards the draft is empty and can
  /// be filled again. `command` is a command's name and never a text. Returns Code::conflict if
  /// another writer moved one of the refs; Code::not_found if gc removed an object that this draft
  /// depends on. On an error nothing is written.
  ///
  /// `checked` are the conditions that the draft was made under, if it was checked against any. If
  /// the store asks for something else by now, nothing is written and the receipt is stale: make a
  /// new draft.
  Result<store::Receipt> write(std::string_view command, const WriteConditions* checked = nullptr);

 private:
  struct Move {
    std::string ref;  // The ref to write; a fork has another name than the ops use.
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
  Result<void> keep_erased(std::vector<store::NewObject>& objects);
  Result<store::Receipt> send(store::Transaction& transaction, const WriteConditions* checked);
  void add(store::NewObject object, std::shared_ptr<const Commit> commit = nullptr);
  void release();

  DraftPorts ports_;
  std::string actor_;
  std::shared_ptr<const Scrubber> own_scrubber_;  // Null: the repository's.
  bool may_assume_;
  std::deque<store::NewObject> objects_;  // A deque, because staged objects must not move.
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
