#include "import/session_sink.h"

#include <utility>

#include "import/words.h"

namespace spoor::import {

using compile::Oid;

SessionSink::SessionSink(std::string_view tool, graph::Repository& repository,
                         const ImportOptions& options)
    : tool_(tool), options_(options), writer_(tool, repository, report_, options) {}

std::vector<WantedRef> SessionSink::lines() const {
  std::vector<WantedRef> all;
  const auto add = [&](const Line& line) {
    if (!line.tip) return;
    all.push_back({line.name.empty() ? writer_.line() : writer_.line_of(line.name), *line.tip});
  };
  add(line_);
  for (const Line& line : earlier_) {
    if (line != line_) add(line);  // It goes on there, and nothing came yet.
  }
  return all;
}

void SessionSink::see(const json::Value& record) {
  report_.records += 1;
  writer_.see_record(RecordKey::of(record.raw()));
}

Result<void> SessionSink::add_turns(TurnRecord& made, std::string_view label,
                                    std::vector<Oid>* commits) {
  if (!made.has_turns()) return keep(made.root(), label, true, made.time());
  const std::string whole = options_.keep_source ? std::string(made.root().raw()) : std::string();
  const auto time = made.time();
  for (const compile::Turn& turn : made.finish(report_)) {
    leave_tip();
    line_.tip = TRY(writer_.append(line_.tip, turn));
    if (commits != nullptr) commits->push_back(*line_.tip);
  }
  report_.turn_records += 1;
  return options_.keep_source ? writer_.add_note(whole, time) : Result<void>();
}

Result<void> SessionSink::keep(const json::Value& record, std::string_view label, bool is_known,
                               const std::optional<store::Timestamp>& time) {
  report_.kept[std::string(label)] += 1;
  if (!is_known) report_.unknown[std::string(label)] += 1;
  return writer_.add_note(std::string(record.raw()), time);
}

Result<void> SessionSink::drop(const json::Value& record, std::string_view label,
                               const std::optional<store::Timestamp>& time) {
  report_.duplicates[std::string(label)] += 1;
  if (!options_.keep_source) return {};
  return writer_.add_note(std::string(record.raw()), time);
}

Result<void> SessionSink::keep_rest(const json::Value& record, const Taken& taken,
                                    std::string_view label) {
  see(record);
  std::string rest = taken.all_but_taken(record);
  report_.kept[std::string(label)] += 1;
  return writer_.add_note(rest.empty() ? "{}" : std::move(rest), std::nullopt);
}

Result<void> SessionSink::breathe() {
  if (options_.cancel != nullptr && options_.cancel->load()) {
    return store::interrupted("the import was stopped", kStoppedHint);
  }
  return writer_.is_full() ? writer_.flush(lines()) : Result<void>();
}

void SessionSink::begin_line(std::string name) {
  end_line();
  writer_.begin_conversation(name.empty() ? writer_.line() : writer_.line_of(name));
  line_ = {std::move(name), std::nullopt};
}

/// What was read of the line stays, unless an earlier one holds it.
void SessionSink::end_line() {
  if (!line_.tip || !ended_.emplace(line_.name, *line_.tip).second) return;
  earlier_.push_back(line_);
}

/// A line that goes on behind the end of an earlier one is that one, grown.
void SessionSink::leave_tip() {
  if (!line_.tip || ended_.empty() || ended_.erase({line_.name, *line_.tip}) == 0) return;
  std::erase_if(earlier_,
                [&](const Line& line) { return line.name == line_.name && line.tip == line_.tip; });
}

void SessionSink::go_back_to(const std::optional<Oid>& place) {
  if (line_.tip != place) end_line();
  line_.tip = place;
}

std::string label_of(std::string_view type, std::string_view subtype) {
  std::string label = type.empty() ? "(no type)" : plain_word(type);
  if (!subtype.empty()) label += "/" + plain_word(subtype);
  return label;
}

}  // namespace spoor::import
