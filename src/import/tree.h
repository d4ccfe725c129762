#pragma once

#include <optional>
#include <vector>

#include "compile/turn.h"
#include "import/session_writer.h"
#include "import/thread.h"

namespace spoor::import {

/// The commits of a source whose records name their parents: puts each record's turns where a
/// Thread says. 32 bytes a commit stay in memory.
class Tree {
 public:
  explicit Tree(SessionWriter& writer) : writer_(writer) {}

  Thread& thread() { return thread_; }
  const Thread& thread() const { return thread_; }

  /// Writes the turns of one record, of which there must be one. A summary whose place compresses
  /// becomes a compress.
  Result<void> add(const Link& link, const std::vector<compile::Turn>& turns);

  /// The ends of all lines, the main one first, each under its chain's name.
  std::vector<WantedRef> lines() const;

 private:
  Index first_of(Index turn) const { return turn == 0 ? 0 : ends_[turn - 1]; }
  compile::Oid last_commit(Index turn) const { return commits_[ends_[turn] - 1]; }
  std::vector<compile::Oid> commits_of(const std::vector<Index>& turns) const;

  SessionWriter& writer_;
  Thread thread_;
  std::vector<compile::Oid> commits_;  // Of all turns, in the order they were made.
  std::vector<Index> ends_;            // By turn: behind its last commit in commits_.
};

}  // namespace spoor::import
