#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "import/records.h"
#include "import/tree.h"
#include "import/turn_record.h"

namespace spoor::import {

/// The names of the calls in turns, and of those that turns answer: what a Link tells of them.
std::vector<std::string> calls_in(const std::vector<compile::Turn>& turns);
std::vector<std::string> answers_in(const std::vector<compile::Turn>& turns);

/// What sinks of formats whose records name their parents share: a record's turns go where the
/// Tree says, or it is kept and stepped over, or it was read before. For one source.
class TreeSink : public RecordSink {
 public:
  TreeSink(std::string_view tool, graph::Repository& repository, const ImportOptions& options);

  Result<void> finish() override;
  std::vector<WantedRef> lines() const override { return tree_.lines(); }
  SessionWriter& writer() { return writer_; }
  LossReport& report() { return report_; }

 protected:
  /// Every record comes here first: it is counted, and its place is told by its name and its
  /// parent's. A parent that is missing says nothing; one that is no name is the beginning.
  Link see(const json::Value& record, const json::Value& name, const json::Value& parent);

  /// Was the record that see() saw read before, byte for byte? Of one without a name only where it
  /// is no turn: two turns that say the same are two.
  bool is_repeated(const Link& link, bool may_be_turn);

  /// Counts a record that was read before.
  Result<void> drop(const json::Value& record, std::string_view label);

  /// Keeps a record as it stands; those that name it are behind its parent.
  Result<void> keep(const json::Value& record, std::string_view label, bool is_known,
                    const Link& link);

  /// Puts the record's turns, of which there must be one, where `link` says.
  Result<void> add_turns(TurnRecord& made, const Link& link);

  std::string_view tool() const { return tool_; }
  Thread& thread() { return tree_.thread(); }

 private:
  Result<void> note(const json::Value& record);

  std::string_view tool_;
  const ImportOptions& options_;
  LossReport report_;
  SessionWriter writer_;
  Tree tree_{writer_};
  RecordKey digest_;                         // Of the record that was seen last.
  std::unordered_set<RecordKey> unnamed_{};  // No turns, and without a name.
};

}  // namespace spoor::import
