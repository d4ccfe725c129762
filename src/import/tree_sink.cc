#include "import/tree_sink.h"

#include <string>

namespace spoor::import {

std::vector<std::string> calls_in(const std::vector<compile::Turn>& turns) {
  std::vector<std::string> names;
  for (const compile::Turn& turn : turns) {
    if (!turn.fields.tool_calls) continue;
    for (const compile::ToolCall& call : *turn.fields.tool_calls) {
      if (!call.id.empty()) names.push_back(call.id);
    }
  }
  return names;
}

std::vector<std::string> answers_in(const std::vector<compile::Turn>& turns) {
  std::vector<std::string> names;
  for (const compile::Turn& turn : turns) {
    if (!turn.fields.call_id.empty()) names.push_back(turn.fields.call_id);
  }
  return names;
}

TreeSink::TreeSink(std::string_view tool, graph::Repository& repository,
                   const ImportOptions& options)
    : tool_(tool), options_(options), writer_(tool, repository, report_, options) {}

Result<void> TreeSink::finish() {
  report_.missing_parents = tree_.thread().missing_parents();
  return {};
}

Link TreeSink::see(const json::Value& record, const json::Value& name, const json::Value& parent) {
  report_.records += 1;
  digest_ = RecordKey::of(record.raw());
  writer_.see_record(digest_);
  Link link;
  link.digest = digest_.front();
  link.uuid = name.text();
  link.has_parent = static_cast<bool>(parent);
  link.parent = parent.text();
  return link;
}

bool TreeSink::is_repeated(const Link& link, bool may_be_turn) {
  if (!link.uuid.empty()) return tree_.thread().has_seen(link.uuid, link.digest);
  return !may_be_turn && !unnamed_.insert(digest_).second;
}

Result<void> TreeSink::drop(const json::Value& record, std::string_view label) {
  report_.duplicates[std::string(label)] += 1;
  return options_.keep_source ? note(record) : Result<void>();
}

Result<void> TreeSink::keep(const json::Value& record, std::string_view label, bool is_known,
                            const Link& link) {
  tree_.thread().pass(link);
  report_.kept[std::string(label)] += 1;
  if (!is_known) report_.unknown[std::string(label)] += 1;
  return note(record);
}

Result<void> TreeSink::add_turns(TurnRecord& made, const Link& link) {
  TRY(tree_.add(link, made.finish(report_)));
  report_.turn_records += 1;
  return options_.keep_source ? note(made.root()) : Result<void>();
}

Result<void> TreeSink::note(const json::Value& record) {
  return writer_.add_note(std::string(record.raw()), time_of(record.find("timestamp")));
}

}  // namespace spoor::import
