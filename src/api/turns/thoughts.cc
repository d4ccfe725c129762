#include "api/turns/thoughts.h"

#include "graph/reasoning.h"
#include "store/ancestry.h"

namespace spoor::api {
namespace {

// Returns the answer on the first of these lines that has one.
Result<std::optional<TurnView>> answer_on(const Workspace& workspace, const std::vector<Oid>& tips,
                                          const Oid& reasoning) {
  for (const Oid& tip : tips) {
    const auto answer = TRY(graph::answer_of(workspace.reader(), tip, reasoning));
    if (answer) return std::optional(TRY(read_view(workspace.reader(), *answer)));
  }
  return std::optional<TurnView>();
}

// Returns the edit in force on the first of these lines that has one.
Result<std::optional<TurnView>> edit_on(const Workspace& workspace, const std::vector<Oid>& tips,
                                        const Oid& reasoning) {
  for (const Oid& tip : tips) {
    if (!TRY(store::is_ancestor(workspace.reader(), reasoning, tip))) continue;
    const auto state = TRY(workspace.repository().folder().at(tip));
    const compile::Entry* entry = state->find(reasoning);
    if (entry == nullptr || !entry->is_edited) continue;
    return std::optional(TRY(read_view(workspace.reader(), entry->directives->edits.back())));
  }
  return std::optional<TurnView>();
}

bool says(const TurnView& view, std::string_view needle) {
  return view.text_or_empty().find(needle) != std::string_view::npos;
}

// One walk. An edit's text is known only after it is read, so this class applies the text filter
// and the limit.
class ThoughtWalk {
 public:
  ThoughtWalk(const Workspace& workspace, HistoryQuery& query,
              const std::function<bool(const Thought&)>& visit)
      : workspace_(workspace), query_(query), visit_(visit) {
    needle_.swap(query.text);
    if (!needle_.empty()) limit_.swap(query.limit);
  }

  Result<void> run() {
    if (limit_ == 0U) return {};
    std::optional<Error> failure;
    TRY(walk(workspace_, query_, [&](const HistoryStep& step) {
      const auto goes_on = see(step);
      if (!goes_on) failure = goes_on.error();
      return goes_on && goes_on.value();
    }));
    if (failure) return *failure;
    return {};
  }

 private:
  Result<bool> see(const HistoryStep& step) {
    const Oid& oid = step.view.oid;
    Thought thought{step.view, {}, {}};
    if (step.marks.is_edited) thought.edit = TRY(edit_on(workspace_, query_.tips, oid));
    const bool is_wanted =
        says(thought.view, needle_) || (thought.edit && says(*thought.edit, needle_));
    if (!is_wanted) return true;
    thought.answer = TRY(answer_on(workspace_, query_.tips, oid));
    return visit_(thought) && ++seen_ != limit_;
  }

  const Workspace& workspace_;
  const HistoryQuery& query_;
  const std::function<bool(const Thought&)>& visit_;
  std::string needle_;
  std::optional<std::uint64_t> limit_;
  std::uint64_t seen_ = 0;
};

}  // namespace

Result<void> walk_thoughts(const Workspace& workspace, HistoryQuery query,
                           const std::function<bool(const Thought&)>& visit) {
  query.types = {std::string(store::name_of(store::Type::reasoning))};
  return ThoughtWalk(workspace, query, visit).run();
}

Result<std::vector<Thought>> thoughts_behind(const Workspace& workspace, const Oid& commit) {
  TurnView view = TRY(read_view(workspace.reader(), commit));
  std::vector<Thought> thoughts;
  HistoryQuery everything;
  if (const auto head = TRY(workspace.head_commit())) everything.tips.push_back(*head);
  TRY(add_all(workspace, everything));
  if (view.is_reasoning()) {
    auto answer = TRY(answer_on(workspace, everything.tips, commit));
    auto edit = TRY(edit_on(workspace, everything.tips, commit));
    thoughts.push_back({std::move(view), std::move(answer), std::move(edit)});
    return thoughts;
  }
  for (const Oid& oid : TRY(graph::reasoning_of(workspace.reader(), commit))) {
    Thought thought{TRY(read_view(workspace.reader(), oid)), view, {}};
    thought.edit = TRY(edit_on(workspace, everything.tips, oid));
    thoughts.push_back(std::move(thought));
  }
  return thoughts;
}

void write_thought(JsonWriter& json, const Thought& thought, std::string_view needle) {
  const TurnView& view = thought.view;
  json.object().member("hash", view.oid).member("time", view.commit->time);
  json.member_or_null("author", view.commit->author).member_or_null("model", view.model());
  json.key("text");
  view.text ? json.value(*view.text) : json.null();
  json.key("matches");
  write_matches(json, view.text_or_empty(), matches_of(view.text_or_empty(), needle));
  json.key("answer");
  if (thought.answer) {
    json.object().member("hash", thought.answer->oid).member("time", thought.answer->commit->time);
    json.member("message", thought.answer->summary()).end();
  } else {
    json.null();
  }
  json.key("edit");
  if (thought.edit) {
    const TurnView& edit = *thought.edit;
    json.object().member("hash", edit.oid).member("text", edit.text_or_empty()).key("matches");
    write_matches(json, edit.text_or_empty(), matches_of(edit.text_or_empty(), needle));
    json.end();
  } else {
    json.null();
  }
  json.end();
}

}  // namespace spoor::api
