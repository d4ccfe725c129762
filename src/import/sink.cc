#include "import/sink.h"

#include <utility>

#include "import/records.h"

namespace spoor::import {

using compile::Oid;
using compile::Turn;

// --- Sink ---------------------------------------------------------------------

void Sink::count(std::string_view record) {
  report_.records += 1;
  writer_.see_record(record);
}

Result<void> Sink::keep(const json::Value& record, std::string_view label, bool is_known,
                        const std::optional<Timestamp>& time) {
  count(record.raw());
  report_.kept[std::string(label)] += 1;
  if (!is_known) report_.unknown[std::string(label)] += 1;
  return writer_.add_note(std::string(record.raw()), time);
}

Result<void> Sink::drop(const json::Value& record, std::string_view label,
                        const std::optional<Timestamp>& time) {
  count(record.raw());
  report_.duplicates[std::string(label)] += 1;
  if (!options_.keep_source) return {};
  return writer_.add_note(std::string(record.raw()), time);
}

Result<void> Sink::count_turns(const TurnRecord& made) {
  count(made.root().raw());
  report_.turn_records += 1;
  if (!options_.keep_source) return {};
  return writer_.add_note(source_of(made.root()), made.time());
}

Result<void> RecordSink::add_each(const json::Value& list) {
  for (const json::Value& element : list.elements()) TRY(add(element));
  return {};
}

Result<void> RecordSink::flush_if_full() {
  if (options().cancel != nullptr && options().cancel->load()) {
    return interrupted("the import was stopped", kStoppedHint);
  }
  return writer().is_full() ? writer().flush(lines()) : Result<void>();
}

// --- SessionSink --------------------------------------------------------------

std::vector<WantedRef> SessionSink::lines() const {
  std::vector<WantedRef> all;
  const auto add = [&](const OpenLine& line) {
    if (!line.tip) return;
    all.push_back({line.name.empty() ? writer().line() : writer().line_of(line.name), *line.tip});
  };
  add(line_);
  for (const OpenLine& line : earlier_) {
    if (line != line_)
      add(line);  // The line was continued at that place, and nothing was added yet.
  }
  return all;
}

Result<void> SessionSink::add_turns(TurnRecord& made, std::string_view label,
                                    std::vector<Oid>* commits) {
  if (!made.has_turns()) return keep(made.root(), label, true, made.time());
  for (const Turn& turn : made.finish(report())) {
    leave_tip();
    line_.tip = TRY(writer().append(line_.tip, turn));
    if (commits != nullptr) commits->push_back(*line_.tip);
  }
  return count_turns(made);
}

Result<void> SessionSink::keep_rest(const json::Value& record, const Taken& taken,
                                    std::string_view label) {
  count(record.raw());
  std::string rest = taken.all_but_taken(record);
  report().kept[std::string(label)] += 1;
  return writer().add_note(rest.empty() ? "{}" : std::move(rest), std::nullopt);
}

Result<void> SessionSink::keep_rest(const json::Value& record, const json::Value& part,
                                    std::string_view label) {
  Taken taken;
  taken(part);
  return keep_rest(record, taken, label);
}

void SessionSink::begin_line(std::string name) {
  end_line();
  writer().begin_conversation(name.empty() ? writer().line() : writer().line_of(name));
  line_ = {std::move(name), std::nullopt};
}

/// Keeps the line read so far, unless an earlier one is the same.
void SessionSink::end_line() {
  if (!line_.tip || !ended_.emplace(line_.name, *line_.tip).second) return;
  earlier_.push_back(line_);
}

/// A line that continues the end of an earlier one replaces it.
void SessionSink::leave_tip() {
  if (!line_.tip || ended_.empty() || ended_.erase({line_.name, *line_.tip}) == 0) return;
  std::erase(earlier_, line_);
}

void SessionSink::go_back_to(const std::optional<Oid>& place) {
  if (line_.tip != place) end_line();
  line_.tip = place;
}

// --- TreeSink -----------------------------------------------------------------

Result<void> TreeSink::finish() {
  report().missing_parents = thread_.missing_parents();
  return {};
}

Link TreeSink::link_of(const json::Value& record, const json::Value& name,
                       const json::Value& parent) {
  digest_ = RecordKey::of(record.raw());
  Link link;
  link.digest = digest_.front();
  link.uuid = name.text();
  link.has_parent = static_cast<bool>(parent);
  link.parent = parent.text();
  return link;
}

bool TreeSink::is_repeated(const Link& link, bool may_be_turn) {
  if (!link.uuid.empty()) return thread_.has_seen(link.uuid, link.digest);
  return !may_be_turn && !unnamed_.insert(digest_).second;
}

Result<void> TreeSink::pass(const json::Value& record, std::string_view label, bool is_known,
                            const Link& link) {
  thread_.pass(link);
  return keep(record, label, is_known, time_of(record.find("timestamp")));
}

Result<void> TreeSink::add_turns(TurnRecord& made, Link link, std::string_view nested) {
  link.calls = calls_in(made.turns());
  link.answered = answers_in(made.turns());
  const Placement place = thread_.place(link);
  std::optional<Oid> parent;
  if (place.parent != kNone) parent = last_commit(place.parent);
  ends_.resize(place.turn, static_cast<Index>(commits_.size()));
  bool compresses = place.compresses;
  for (const Turn& turn : made.finish(report(), nested)) {
    if (std::exchange(compresses, false) && turn.type == compile::Type::summary) {
      parent = TRY(writer().compress(*parent, commits_of(place.replaced), turn));
    } else {
      parent = TRY(writer().append(parent, turn));
    }
    commits_.push_back(*parent);
  }
  ends_.push_back(static_cast<Index>(commits_.size()));
  return count_turns(made);
}

std::vector<WantedRef> TreeSink::lines() const {
  std::vector<WantedRef> all;
  for (const Leaf& leaf : thread_.leaves()) {
    all.push_back({writer().line(leaf.agent), last_commit(leaf.turn)});
  }
  return all;
}

std::vector<Oid> TreeSink::commits_of(const std::vector<Index>& turns) const {
  std::vector<Oid> all;
  for (const Index turn : turns) {
    all.insert(all.end(), commits_.begin() + first_of(turn), commits_.begin() + ends_[turn]);
  }
  return all;
}

std::vector<std::string> calls_in(const std::vector<Turn>& turns) {
  std::vector<std::string> ids;
  for (const Turn& turn : turns) {
    if (!turn.fields.tool_calls) continue;
    for (const compile::ToolCall& call : *turn.fields.tool_calls) {
      if (!call.id.empty()) ids.push_back(call.id);
    }
  }
  return ids;
}

std::vector<std::string> answers_in(const std::vector<Turn>& turns) {
  std::vector<std::string> ids;
  for (const Turn& turn : turns) {
    if (!turn.fields.call_id.empty()) ids.push_back(turn.fields.call_id);
  }
  return ids;
}

}  // namespace spoor::import
