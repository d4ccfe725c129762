#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/repository.h"
#include "llm/import/record_key.h"
#include "llm/import/refs.h"
#include "llm/import/report.h"
#include "store/timestamp.h"

namespace spoor::llm::import {

using store::Result;

/// Writes what is read from one source: commits in batches, notes, and the refs that hold them.
/// What every importer has in common; it knows no format.
///
/// Each batch is one transaction, after which the store is as an import of the front of the source
/// leaves it. For one thread; all references must outlive it.
class SessionWriter {
 public:
  /// `tool` is the importer's name, as refs have it.
  SessionWriter(std::string_view tool, compile::Repository& repository, LossReport& report);

  /// A source whose session has no name yet is called by its first record.
  void see_record(const RecordKey& digest);

  /// Names the source's session; the first name counts. `agent`: the whole source is this
  /// subagent's.
  void name_session(std::string_view session, std::string_view agent = {});
  const std::string& session() const { return session_; }

  /// The session repeats the front of another one, which may be here: turns that say the same as
  /// the front of one of its lines (or of a line of this session, from an earlier import) are its
  /// commits, and only what follows is new. What says the same: thread_key.h. Before the first
  /// append(); nothing when the other session is not here.
  Result<void> continues(std::string_view other_session);

  /// The full ref of the session's line, or of a subagent's: `refs/heads/<tool>/<8 digits>[…]`.
  std::string line(const std::string& agent = {}) const;

  /// The full ref of a line with a name of its own, in a source of many sessions.
  std::string line_of(std::string_view name) const;

  /// A turn behind `parent` (nothing: a root), and counts it.
  Result<compile::Oid> append(const std::optional<compile::Oid>& parent, const compile::Turn& turn);

  /// A compress of `replaced` behind `parent`, and counts it.
  Result<compile::Oid> compress(const compile::Oid& parent,
                                const std::vector<compile::Oid>& replaced,
                                const compile::Turn& summary);

  /// A record that is kept as it stands, on `refs/sources/<tool>/<session>`.
  Result<void> add_note(std::string bytes, const std::optional<store::Timestamp>& time);

  /// Is it time to flush()?
  bool is_full() const;

  /// Writes what came since the last flush as one transaction, unless all of it is held by refs
  /// already. `lines`: the ends of all lines of the source, the main one first; several with one
  /// base are numbered in their order. Fills in the refs of the report.
  Result<void> flush(std::vector<WantedRef> lines);

 private:
  std::string unnamed() const { return "unnamed-" + first_record_; }
  std::string source_base() const;
  Result<void> add_candidates(const std::string& base);
  Result<std::optional<compile::Oid>> common(const std::optional<compile::Oid>& parent,
                                             const compile::Turn& turn, bool is_compress);
  Result<void> place(const std::vector<WantedRef>& lines);
  Result<void> drop_unnamed(const std::vector<WantedRef>& lines);
  Result<std::uint64_t> count_new(const std::vector<compile::Oid>& commits) const;

  std::string tool_;
  compile::Repository& repository_;
  LossReport& report_;

  std::string session_;       // The first one named.
  std::string file_agent_;    // The subagent whose own file this is.
  std::string first_record_;  // Digits of its hash, to name a source without a session.

  /// Lines that may begin as this one does: their commits, oldest first, and how many of them are
  /// ours by now. Empty when nothing is to be met, or no longer.
  std::vector<std::vector<compile::Oid>> candidates_;
  std::size_t met_ = 0;

  std::unique_ptr<compile::Draft> draft_;
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

}  // namespace spoor::llm::import
