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

/// A base class for sinks. A sink receives the records of one source: it passes their turns to the
/// writer and keeps or counts everything else. For one source and one thread.
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

  /// Called at the end of the source.
  virtual Result<void> finish() { return {}; }

  /// Returns the ends of all lines so far, the main one first, for SessionWriter::flush().
  virtual std::vector<WantedRef> lines() const = 0;

  std::string_view tool() const { return tool_; }
  const std::string& source_name() const { return source_; }
  const ImportOptions& options() const { return options_; }
  SessionWriter& writer() { return writer_; }
  const SessionWriter& writer() const { return writer_; }
  LossReport& report() { return report_; }

 protected:
  /// Keeps a record unchanged, as a note.
  Result<void> keep(const json::Value& record, std::string_view label, bool is_known,
                    const std::optional<Timestamp>& time = {});

  /// Counts a record that repeats stored content.
  Result<void> drop(const json::Value& record, std::string_view label,
                    const std::optional<Timestamp>& time = {});

  /// Counts a record whose turns were written.
  Result<void> count_turns(const TurnRecord& made);

  /// Returns what keep_source stores of a record with turns.
  virtual std::string source_of(const json::Value& record) const {
    return std::string(record.raw());
  }

  /// Counts a record. A source without a session name is named after its first record.
  void count(std::string_view record);

  /// Returns the number of the current record, which is not counted yet.
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

  /// Adds one line; its text is valid until this returns.
  virtual Result<void> add(const Line& line) = 0;
};

/// A sink of a source of JSON objects.
class RecordSink : public Sink {
 public:
  using Sink::Sink;

  /// Adds one record; the value is valid until this returns.
  virtual Result<void> add(const json::Value& record) = 0;

 protected:
  /// Adds each element of a list as a record.
  Result<void> add_each(const json::Value& list);

  /// Passes each element of a list to `add_one`, and writes full batches. Returns Code::interrupted
  /// as import_lines() does.
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

/// A sink of a format without parent pointers: each record is added at the end of a line.
class SessionSink : public RecordSink {
 public:
  using RecordSink::RecordSink;

  std::vector<WantedRef> lines() const override;

 protected:
  /// Appends the record's turns to the line, and their commits to `commits` (may be null). A record
  /// without turns is kept as `label`.
  Result<void> add_turns(TurnRecord& made, std::string_view label,
                         std::vector<compile::Oid>* commits = nullptr);

  /// Keeps the rest of a record whose parts were added as records of their own.
  Result<void> keep_rest(const json::Value& record, const Taken& taken, std::string_view label);
  Result<void> keep_rest(const json::Value& record, const json::Value& part,
                         std::string_view label);

  /// Starts another line, called `name` (empty: the session's own).
  void begin_line(std::string name);

  /// Continues the line after `place`. The turns that followed `place` stay as a separate line.
  void go_back_to(const std::optional<compile::Oid>& place);

  /// Continues the line after `place`, whose turns this line has as another one has them.
  void go_on_to(const compile::Oid& place) {
    leave_tip();
    line_.tip = place;
  }

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

/// A sink of a format whose records name their parents. A Thread decides the place of a record's
/// turns; other records are stepped over. Uses 32 bytes of memory a commit.
class TreeSink : public RecordSink {
 public:
  using RecordSink::RecordSink;

  Result<void> finish() override;
  std::vector<WantedRef> lines() const override;

 protected:
  /// Returns the place of a record, given its name and its parent's. A missing `parent` means
  /// unknown; one that is not a name means the beginning.
  Link link_of(const json::Value& record, const json::Value& name, const json::Value& parent);

  /// Returns true if the record of the last link_of() was read before, byte for byte. A record
  /// without a name counts only if it cannot be a turn: two equal turns are two turns.
  bool is_repeated(const Link& link, bool may_be_turn);

  /// Counts a record that was read before.
  Result<void> drop(const json::Value& record, std::string_view label) {
    return Sink::drop(record, label, time_of(record.find("timestamp")));
  }

  /// Keeps a record unchanged. Records that name it as their parent follow its parent.
  Result<void> pass(const json::Value& record, std::string_view label, bool is_known,
                    const Link& link);

  /// Adds the record's turns, at least one, at the place of `link`, and takes `calls` and
  /// `answered` from them. A summary whose place compresses becomes a compress. `nested`: see
  /// TurnRecord::finish().
  Result<void> add_turns(TurnRecord& made, Link link, std::string_view nested = {});

  Thread& thread() { return thread_; }
  const Thread& thread() const { return thread_; }

 private:
  Index first_of(Index turn) const { return turn == 0 ? 0 : ends_[turn - 1]; }
  compile::Oid last_commit(Index turn) const { return commits_[ends_[turn] - 1]; }
  std::vector<compile::Oid> commits_of(const std::vector<Index>& turns) const;

  Thread thread_;
  std::vector<compile::Oid> commits_;        // Those of all turns, in the order they were made.
  std::vector<Index> ends_;                  // By turn: the end of its commits in commits_.
  RecordKey digest_;                         // The last record's.
  std::unordered_set<RecordKey> unnamed_{};  // Records that have no name and are not turns.
};

/// Return the ids of the calls in the turns, and the ids of the calls that the turns answer.
std::vector<std::string> calls_in(const std::vector<compile::Turn>& turns);
std::vector<std::string> answers_in(const std::vector<compile::Turn>& turns);

}  // namespace spoor::import
