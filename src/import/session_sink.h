#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/records.h"
#include "import/turn_record.h"

namespace spoor::import {

/// What sinks of formats without parent pointers share: each record goes to the end of a line, or
/// is kept, or repeats what is stored. For one source.
class SessionSink : public RecordSink {
 public:
  SessionSink(std::string_view tool, graph::Repository& repository, const ImportOptions& options);

  std::vector<WantedRef> lines() const override;
  SessionWriter& writer() { return writer_; }
  LossReport& report() { return report_; }

 protected:
  /// Every record comes here first: it is counted.
  void see(const json::Value& record);

  /// The record's turns go to the end of the line. None: the record is kept as `label`. Adds their
  /// commits to `commits`, if that is given.
  Result<void> add_turns(TurnRecord& made, std::string_view label,
                         std::vector<compile::Oid>* commits = nullptr);

  /// Keeps a record as it stands.
  Result<void> keep(const json::Value& record, std::string_view label, bool is_known,
                    const std::optional<store::Timestamp>& time = {});

  /// Counts a record that says again what is stored.
  Result<void> drop(const json::Value& record, std::string_view label,
                    const std::optional<store::Timestamp>& time = {});

  /// Keeps what is left of a record whose parts were records of their own.
  Result<void> keep_rest(const json::Value& record, const Taken& taken, std::string_view label);

  /// Between two records of one document: writes now and then. Code::interrupted as import_lines().
  Result<void> breathe();

  /// What comes next belongs to another line, called `name` (empty: the session's own).
  void begin_line(std::string name);

  /// The line goes on behind `place`; what stood behind that stays, as a line of its own.
  void go_back_to(const std::optional<compile::Oid>& place);

  const std::optional<compile::Oid>& tip() const { return line_.tip; }
  void set_tip(const compile::Oid& tip) { line_.tip = tip; }

  std::string_view tool() const { return tool_; }
  const ImportOptions& options() const { return options_; }

 private:
  struct Line {
    std::string name;
    std::optional<compile::Oid> tip;

    bool operator==(const Line&) const = default;
  };

  void end_line();
  void leave_tip();

  std::string_view tool_;
  const ImportOptions& options_;
  LossReport report_;
  SessionWriter writer_;
  Line line_;
  std::vector<Line> earlier_;
  std::set<std::pair<std::string, compile::Oid>> ended_;  // The names and tips of earlier_.
};

/// What `label` may be in a report: plain words, with a slash between them.
std::string label_of(std::string_view type, std::string_view subtype = {});

}  // namespace spoor::import
