#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/timestamp.h"
#include "graph/repository.h"
#include "import/importer.h"
#include "import/known_turns.h"
#include "import/names.h"
#include "import/refs.h"
#include "import/report.h"

namespace spoor::import {

/// Writes the contents of one source to the repository: commits in batches, notes, and the refs
/// that hold them. Used by every importer and independent of the format.
///
/// Each batch is one transaction. After each one the store is the same as after importing only the
/// front of the source. For one thread; all references must outlive it.
class SessionWriter {
 public:
  /// `tool` is the importer's name, as in refs.
  SessionWriter(std::string_view tool, graph::Repository& repository, LossReport& report,
                const ImportOptions& options);

  /// Called with each record. A source without a session name is named after its first record.
  void see_record(std::string_view record);

  /// Names the source's session; only the first name counts. `agent`: the whole source belongs to
  /// this subagent.
  void name_session(std::string_view session, std::string_view agent = {});
  const std::string& session() const { return session_; }

  /// Returns the full ref of the session's or a subagent's line: `refs/heads/<tool>/<8 digits>[…]`.
  std::string line(const std::string& agent = {}) const;

  /// Returns the full ref of a line with its own name, in a source of many sessions.
  std::string line_of(std::string_view name) const;

  /// Starts another conversation on the line `ref`, in a source that may contain several captures
  /// of one conversation.
  void begin_conversation(std::string ref);

  /// Appends a turn after `parent` (nullopt: a root), counts it, and returns its commit.
  ///
  /// If another capture of the conversation is in the store or in this source, a turn with the same
  /// content (turn_key()) after the same parent is that capture's commit, and only later turns are
  /// new. Two lines are captures of one conversation if they are equal up to and including the
  /// first answer of the model. So the turns before that answer are decided together with it, and
  /// their commits may change then. All functions accept the names that append() returned first.
  /// Facts that only our turn has are kept as a note.
  Result<compile::Oid> append(const std::optional<compile::Oid>& parent, const compile::Turn& turn);

  /// Goes on after a turn on the stored line of this conversation, as if all turns up to it had
  /// been met. Returns false if it is not there.
  Result<bool> go_on_after(const compile::Oid& turn);

  /// Returns the commit that a turn has in the end; nullopt if that is not decided yet.
  std::optional<compile::Oid> decided(const compile::Oid& turn) const;

  /// Skips these turns in prompts after `parent`.
  Result<compile::Oid> skip(const compile::Oid& parent, const std::vector<compile::Oid>& turns);

  /// Replaces the text of `turn` after `parent`, if the source has rewritten it.
  Result<compile::Oid> edit(const compile::Oid& parent, const compile::Oid& turn, std::string text,
                            const std::optional<Timestamp>& time);

  /// Appends a compress of `replaced` after `parent`, and counts it.
  Result<compile::Oid> compress(const compile::Oid& parent,
                                const std::vector<compile::Oid>& replaced,
                                const compile::Turn& summary);

  /// Returns the last turn of the answer with this `message_id` in the source, and the full ref of
  /// its line, if this importer imported it before.
  Result<std::optional<Answer>> find_answer(std::string_view message_id) {
    return known_lines().find_answer(repository_, *draft_, tool_, message_id);
  }

  /// Returns the text of the last system turn on the line that ends in `tip`; empty if there is
  /// none. Reads only the commits added since the last call for this line.
  Result<std::string> last_instructions(const compile::Oid& tip);

  /// Keeps a record unchanged on `refs/sources/<tool>/<session>`.
  Result<void> add_note(std::string bytes, const std::optional<Timestamp>& time,
                        std::string media_type = "application/json");

  /// Returns the number of notes since the last flush.
  std::size_t note_count() const { return new_notes_.size(); }

  /// Returns true if a batch is full: call flush().
  bool is_full() const;

  /// Writes everything since the last flush as one transaction, unless refs already hold it or it
  /// is the caller's to write (ImportOptions::draft). `lines`: the ends of all lines of the source,
  /// the main one first; several with one base are numbered in order. Fills in the refs of the
  /// report.
  Result<void> flush(std::vector<WantedRef> lines);

 private:
  std::string unnamed() const { return "unnamed-" + first_record_; }
  std::string source_base() const;
  Result<std::vector<compile::Oid>> settled(const compile::Oid& parent,
                                            const std::vector<compile::Oid>& turns);
  compile::Oid current(const compile::Oid& turn) const;
  compile::Oid note_directive(const compile::Oid& behind, const compile::Oid& made,
                              std::string_view what);
  Result<compile::Oid> add(const std::optional<compile::Oid>& after, const compile::Turn& turn,
                           const std::vector<compile::Oid>* replaced);
  Result<compile::Oid> make(graph::Draft& draft, const std::optional<compile::Oid>& parent,
                            const compile::Turn& turn, const std::vector<compile::Oid>* replaced);
  Result<void> add_to_front(const std::optional<compile::Oid>& parent, const compile::Oid& made,
                            const compile::Turn& turn, const RecordKey& key);
  Result<compile::Oid> decide(const compile::Oid& answer);
  Result<std::vector<compile::Oid>> match(const std::vector<compile::Oid>& chain);
  Result<std::vector<compile::Oid>> candidates_for(const compile::Oid& turn, bool is_stored,
                                                   const std::optional<compile::Oid>& parent);
  Result<std::vector<compile::Oid>> find_known(const std::optional<compile::Oid>& parent,
                                               const RecordKey& key, const compile::Turn& said);
  Result<void> settle(const compile::Oid& turn);
  Result<void> settle_all();
  Result<void> read_lines_of_name(const RecordKey& front);
  Result<bool> read_lines_of_front();
  KnownLines& known_lines() { return options_.lines != nullptr ? *options_.lines : own_lines_; }
  void meet(const compile::Oid& there);
  Result<void> merge_into(const compile::Turn& turn, const compile::Turn& said,
                          const compile::Oid& there);
  Result<void> add_note(compile::Turn note);
  void begin_draft();
  Result<void> move_refs(const std::vector<WantedRef>& lines);
  Result<void> place(const std::vector<WantedRef>& lines);
  Result<void> mark(const std::vector<WantedRef>& lines);
  Result<void> drop_unnamed(const std::vector<WantedRef>& lines);
  Result<std::uint64_t> count_new(std::vector<compile::Oid> commits) const;

  std::string tool_;
  graph::Repository& repository_;
  LossReport& report_;
  const ImportOptions& options_;

  std::string session_;       // The first one named.
  std::string file_agent_;    // The subagent whose own file this is.
  std::string first_record_;  // Digits of its hash, to name a source without a session.

  /// A turn that another capture may have; this is decided later. Its commit exists only in
  /// front_draft_. If another capture has the turn, the commit is never written.
  struct UndecidedTurn {
    std::optional<compile::Oid> parent;
    compile::Turn turn;
    RecordKey key;
    RecordKey front;  // The key of the front that ends here.
  };
  std::unordered_map<compile::Oid, UndecidedTurn> undecided_;
  std::vector<compile::Oid> undecided_order_;
  std::unique_ptr<graph::Draft> front_draft_;

  KnownTurns known_;
  /// Tips of the lines with this base name, by their fronts; cleared by each flush.
  std::map<std::string, std::unordered_map<RecordKey, std::vector<compile::Oid>>> near_;
  std::vector<RecordKey> near_only_;  // Fronts compared only with lines of the same name so far.
  KnownLines own_lines_;              // Used if the caller keeps none.
  /// The last system turns of lines, by the tips queried.
  std::unordered_map<compile::Oid, std::optional<compile::Oid>> instructions_;
  std::unordered_map<compile::Oid, compile::Oid> met_;  // From the first commit to the final one.
  bool has_met_ = false;
  bool has_turns_ = false;
  bool has_named_session_ = false;  // In a note on a turn of another capture.
  std::string conversation_ref_;    // Empty: the source is one conversation.

  std::unique_ptr<graph::Draft> own_draft_;  // Null if the caller has one.
  graph::Draft* draft_;
  std::vector<compile::Oid> new_turns_;  // Since the last flush.
  std::vector<compile::Oid> new_notes_;
  std::optional<compile::Oid> note_tip_;

  /// The refs placed for a base. A base whose lines did not grow is not placed again.
  struct Placed {
    std::vector<compile::Oid> tips;
    std::vector<ImportedRef> refs;
  };
  std::map<std::string, Placed> placed_;
};

}  // namespace spoor::import
