#include "api/turns/turn_marks.h"

namespace spoor::api {

using store::NamedCommit;
using store::Oid;
using store::Op;
using store::Priority;

std::vector<std::string_view> Marks::words(store::Type type) const {
  std::vector<std::string_view> words;
  const bool is_new = priority && *priority != compile::default_priority(type);
  if (is_new && *priority == Priority::pinned) words.emplace_back("pinned");
  if (is_new && *priority == Priority::skip) words.emplace_back("skipped");
  if (is_new && *priority == Priority::normal) {
    words.emplace_back(compile::default_priority(type) == Priority::skip ? "shown" : "unpinned");
  }
  if (is_edited) words.emplace_back("edited");
  if (is_compressed) words.emplace_back("summarised");
  if (is_counterfactual.value_or(false)) words.emplace_back("counterfactual");
  return words;
}

Result<void> MarkCollector::see(const NamedCommit& commit) {
  if (state_) return {};
  switch (commit.commit->op) {
    case Op::append:
      return {};
    case Op::merge:
      if (tip_) state_ = TRY(folder_.at(*tip_));
      return {};
    case Op::edit:
    case Op::annotate:
    case Op::compress:
      break;
  }
  for (const Oid& target : TRY(compile::targets_of(reader_, *commit.commit))) {
    Marks& marks = marks_[target];
    if (commit.commit->op == Op::edit) marks.is_edited = true;
    if (commit.commit->op == Op::compress) marks.is_compressed = true;
    // The last annotation on the chain wins, and it comes first here.
    if (commit.commit->priority && !marks.priority) marks.priority = commit.commit->priority;
  }
  return {};
}

Marks MarkCollector::of(const Oid& commit) const {
  if (state_) {
    const compile::Entry* entry = state_->find(commit);
    if (entry != nullptr) return marks_of(*entry);
  }
  const auto found = marks_.find(commit);
  return found == marks_.end() ? Marks{} : found->second;
}

Marks marks_of(const compile::Entry& entry) {
  Marks marks;
  if (entry.is_explicit) marks.priority = entry.priority;
  marks.is_edited = entry.is_edited;
  marks.is_compressed = entry.is_compressed();
  return marks;
}

}  // namespace spoor::api
