#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "import/importer.h"
#include "import/session_writer.h"
#include "import/source.h"
#include "import/thread.h"
#include "import/turn_record.h"

namespace spoor::import {

/// What an importer does with one source: turns of its records go to the writer, everything else is
/// kept or counted. What all sinks share. For one source and one thread.
class Sink {
 public:
  Sink(std::string_view tool, const Source& source, graph::Repository& repository,
       const ImportOptions& options)
      : tool_(tool),
        source_(source.name()),
        options_(options),
        writer_(tool, repository, report_, options) {}
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  /// The source has ended.
  virtual Result<void> finish() { return {}; }

  /// The ends of all lines so far, the main one first: what SessionWriter::flush wants.
  virtual std::vector<WantedRef> lines() const = 0;

  std::string_view tool() const { return tool_; }
  const std::string& source_name() const { return source_; }
  const ImportOptions& options() const { return options_; }
  SessionWriter& writer() { return writer_; }
  const SessionWriter& writer() const { return writer_; }
  LossReport& report() { return report_; }

 protected:
  /// Keeps a record as it is.
  Result<void> keep(const json::Value& record, std::string_view label, bool is_known,
                    const std::optional<Timestamp>& time = {});

  /// Counts a record that repeats what is stored.
  Result<void> drop(const json::Value& record, std::string_view label,
                    const std::optional<Timestamp>& time = {});

  /// Counts a record whose turns were written.
  Result<void> count_turns(const TurnRecord& made);

  /// What is kept of a record with turns where all records are.
  virtual std::string source_of(const json::Value& record) const {
    return std::string(record.raw());
  }

  /// Counts a record: by its first one a source is called that names no session.
  void count(std::string_view record);

  /// The number of the record at hand, which is not counted yet.
  std::string record_number() const { return std::to_string(report_.records + 1); }

 private:
  std::string_view tool_;
  std::string source_;
  const ImportOptions& options_;
  LossReport report_;
  SessionWriter writer_;
};

/// A sink of a source that is a text.
class LineSink : public Sink {
 public:
  using Sink::Sink;

  /// One line; its text lives until this returns.
  virtual Result<void> add(const Line& line) = 0;
};

/// A sink of a source of JSON objects.
class RecordSink : public Sink {
 public:
  using Sink::Sink;

  /// One record; the value lives until this returns.
  virtual Result<void> add(const json::Value& record) = 0;

 protected:
  /// Each element of a list is a record.
  Result<void> add_each(const json::Value& list);

  /// Hands the elements of a list to `add_one`, and writes now and then. Code::interrupted as
  /// import_lines().
  template <class AddOne>
  Result<void> for_each(const json::Value& list, const AddOne& add_one) {
    for (const json::Value& element : list.elements()) {
      TRY(add_one(element));
      TRY(flush_if_full());
    }
    return {};
  }
  Result<void> flush_if_full();
};

/// A sink of a format without parent pointers: each record goes to the end of a line.
class SessionSink : public RecordSink {
 public:
  using RecordSink::RecordSink;

  std::vector<WantedRef> lines() const override;

 protected:
  /// The record's turns go to the end of the line. None: the record is kept as `label`. Adds their
  /// commits to `commits`, if that is given.
  Result<void> add_turns(TurnRecord& made, std::string_view label,
                         std::vector<compile::Oid>* commits = nullptr);

  /// Keeps what is left of a record whose parts were records of their own.
  Result<void> keep_rest(const json::Value& record, const Taken& taken, std::string_view label);
  Result<void> keep_rest(const json::Value& record, const json::Value& part,
                         std::string_view label);

  /// What comes next belongs to another line, called `name` (empty: the session's own).
  void begin_line(std::string name);

  /// The line goes on after `place`; what followed that stays, as a line of its own.
  void go_back_to(const std::optional<compile::Oid>& place);

  const std::optional<compile::Oid>& tip() const { return line_.tip; }
  void set_tip(const compile::Oid& tip) { line_.tip = tip; }

 private:
  struct OpenLine {
    std::string name;
    std::optional<compile::Oid> tip;

    bool operator==(const OpenLine&) const = default;
  };

  void end_line();
  void leave_tip();

  OpenLine line_;
  std::vector<OpenLine> earlier_;
  std::set<std::pair<std::string, compile::Oid>> ended_;  // The names and tips of earlier_.
};

/// A sink of a format whose records name their parents: a record's turns go where a Thread says;
/// any other record is stepped over. 32 bytes a commit stay in memory.
class TreeSink : public RecordSink {
 public:
  using RecordSink::RecordSink;

  Result<void> finish() override;
  std::vector<WantedRef> lines() const override;

 protected:
  /// The place of a record by its name and its parent's. A parent that is missing says nothing; one
  /// that is not a name is the beginning.
  Link link_of(const json::Value& record, const json::Value& name, const json::Value& parent);

  /// Was the record of the last link_of() read before, byte for byte? Of one without a name only if
  /// it is not a turn: two turns that say the same are two.
  bool is_repeated(const Link& link, bool may_be_turn);

  /// Counts a record that was read before.
  Result<void> drop(const json::Value& record, std::string_view label) {
    return Sink::drop(record, label, time_of(record.find("timestamp")));
  }

  /// Keeps a record as it is; those that name it follow its parent.
  Result<void> pass(const json::Value& record, std::string_view label, bool is_known,
                    const Link& link);

  /// Puts the record's turns, of which there must be one, where `link` says; its calls and answers
  /// are those of the turns. A summary whose place compresses becomes a compress. `nested` as in
  /// TurnRecord::finish().
  Result<void> add_turns(TurnRecord& made, Link link, std::string_view nested = {});

  Thread& thread() { return thread_; }
  const Thread& thread() const { return thread_; }

 private:
  Index first_of(Index turn) const { return turn == 0 ? 0 : ends_[turn - 1]; }
  compile::Oid last_commit(Index turn) const { return commits_[ends_[turn] - 1]; }
  std::vector<compile::Oid> commits_of(const std::vector<Index>& turns) const;

  Thread thread_;
  std::vector<compile::Oid> commits_;        // Of all turns, in the order they were made.
  std::vector<Index> ends_;                  // By turn: after its last commit in commits_.
  RecordKey digest_;                         // Of the last record.
  std::unordered_set<RecordKey> unnamed_{};  // No turns, and without a name.
};

/// The ids of the calls in turns, and of those that turns answer.
std::vector<std::string> calls_in(const std::vector<compile::Turn>& turns);
std::vector<std::string> answers_in(const std::vector<compile::Turn>& turns);

}  // namespace spoor::import
