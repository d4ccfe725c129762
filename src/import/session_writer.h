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

/// Writes what is read from one source: commits in batches, notes, and the refs that hold them.
/// What every importer has in common; it knows no format.
///
/// Each batch is one transaction, after which the store is as an import of the front of the source
/// leaves it. For one thread; all references must outlive it.
class SessionWriter {
 public:
  /// `tool` is the importer's name, as refs have it.
  SessionWriter(std::string_view tool, graph::Repository& repository, LossReport& report,
                const ImportOptions& options);

  /// A source whose session has no name yet is called by its first record.
  void see_record(std::string_view record);

  /// Names the source's session; the first name counts. `agent`: the whole source is this
  /// subagent's.
  void name_session(std::string_view session, std::string_view agent = {});
  const std::string& session() const { return session_; }

  /// The full ref of the session's line, or of a subagent's: `refs/heads/<tool>/<8 digits>[…]`.
  std::string line(const std::string& agent = {}) const;

  /// The full ref of a line with a name of its own, in a source of many sessions.
  std::string line_of(std::string_view name) const;

  /// What comes next is a conversation of its own, whose line is called `ref`, in a source that may
  /// hold several captures of one.
  void begin_conversation(std::string ref);

  /// A turn behind `parent` (nothing: a root), and counts it.
  ///
  /// Where another capture of the conversation is here, a turn that says the same behind the same
  /// is that one's (turn_key()), and only what follows is new. They are captures of one
  /// conversation when they say the same up to the first answer of the model; so what comes before
  /// it is decided with it, and may then stand elsewhere than it was first said to: give any name
  /// this answered, it is understood. What our turn says beyond the other's is kept as a note.
  Result<compile::Oid> append(const std::optional<compile::Oid>& parent, const compile::Turn& turn);

  /// Leaves these turns out of the prompt from behind `parent` on.
  Result<compile::Oid> skip(const compile::Oid& parent, const std::vector<compile::Oid>& turns);

  /// Gives `turn` another text from behind `parent` on, where the source says that it was
  /// rewritten.
  Result<compile::Oid> edit(const compile::Oid& parent, const compile::Oid& turn, std::string text,
                            const std::optional<Timestamp>& time);

  /// A compress of `replaced` behind `parent`, and counts it.
  Result<compile::Oid> compress(const compile::Oid& parent,
                                const std::vector<compile::Oid>& replaced,
                                const compile::Turn& summary);

  /// The last turn of the answer that the source calls `message_id`, and its line's full ref, where
  /// an earlier import of this importer's has it.
  Result<std::optional<Answer>> find_answer(std::string_view message_id) {
    return known_lines().find_answer(repository_, tool_, message_id);
  }

  /// What the last system turn says on the line that ends in `tip`; empty when there is none. Reads
  /// only what came since it was last asked on this line.
  Result<std::string> last_instructions(const compile::Oid& tip);

  /// A record that is kept as it stands, on `refs/sources/<tool>/<session>`.
  Result<void> add_note(std::string bytes, const std::optional<Timestamp>& time,
                        std::string media_type = "application/json");

  /// Is it time to flush()?
  bool is_full() const;

  /// Writes what came since the last flush as one transaction, unless all of it is held by refs
  /// already. `lines`: the ends of all lines of the source, the main one first; several with one
  /// base are numbered in their order. Fills in the refs of the report.
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
  Result<void> merge_into(const compile::Turn& turn, const compile::Turn& said,
                          const compile::Oid& there);
  Result<void> add_note(compile::Turn note);
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

  /// A turn of which it is not known yet whether another capture has it. Its commit is made in
  /// front_draft_ alone: what is met is never written.
  struct UndecidedTurn {
    std::optional<compile::Oid> parent;
    compile::Turn turn;
    RecordKey key;
    RecordKey front;  // Of the line that ends here.
  };
  std::unordered_map<compile::Oid, UndecidedTurn> undecided_;
  std::vector<compile::Oid> undecided_order_;
  std::unique_ptr<graph::Draft> front_draft_;

  KnownTurns known_;
  /// Tips of the lines that are called alike, by how they begin: as the last flush left them.
  std::map<std::string, std::unordered_map<RecordKey, std::vector<compile::Oid>>> near_;
  std::vector<RecordKey> near_only_;  // Fronts that were met in lines of the same name alone.
  KnownLines own_lines_;              // Where the caller keeps none.
  /// The last system turns of lines, by the tips that were asked for.
  std::unordered_map<compile::Oid, std::optional<compile::Oid>> instructions_;
  std::unordered_map<compile::Oid, compile::Oid> met_;  // Ours, as it was first said; theirs.
  bool has_met_ = false;
  bool has_turns_ = false;
  bool has_named_session_ = false;  // In a note on what was met.
  std::string conversation_ref_;    // Empty: the source is one conversation.

  std::unique_ptr<graph::Draft> draft_;
  std::vector<compile::Oid> new_turns_;  // Since the last flush.
  std::vector<compile::Oid> new_notes_;
  std::optional<compile::Oid> note_tip_;

  /// What was placed for a base, and where it is: a base whose lines did not grow is not placed
  /// again.
  struct Placed {
    std::vector<compile::Oid> tips;
    std::vector<ImportedRef> refs;
  };
  std::map<std::string, Placed> placed_;
};

}  // namespace spoor::import
