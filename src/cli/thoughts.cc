#include "cli/thoughts.h"

#include "compile/reasoning.h"

namespace spoor::cli {
namespace {

// The answer on the first of these lines that has one.
Result<std::optional<TurnView>> answer_on(const Workspace& workspace, const std::vector<Oid>& tips,
                                          const Oid& reasoning) {
  for (const Oid& tip : tips) {
    const auto answer = TRY(compile::answer_of(workspace.reader(), tip, reasoning));
    if (answer) return std::optional(TRY(read_view(workspace.reader(), *answer)));
  }
  return std::optional<TurnView>();
}

}  // namespace

Result<void> walk_thoughts(const Workspace& workspace, HistoryQuery query,
                           const std::function<bool(const Thought&)>& visit) {
  query.types = {std::string(store::name_of(store::Type::reasoning))};
  std::optional<Error> failure;
  TRY(walk(workspace, query, [&](const HistoryStep& step) {
    auto answer = answer_on(workspace, query.tips, step.view.oid);
    if (!answer) {
      failure = answer.error();
      return false;
    }
    return visit({step.view, std::move(answer.value())});
  }));
  if (failure) return *failure;
  return {};
}

Result<std::vector<Thought>> thoughts_behind(const Workspace& workspace, const Oid& commit) {
  TurnView view = TRY(read_view(workspace.reader(), commit));
  std::vector<Thought> thoughts;
  if (view.is_reasoning()) {
    HistoryQuery everything;
    if (const auto head = TRY(workspace.head_commit())) everything.tips.push_back(*head);
    TRY(add_all(workspace, everything));
    auto answer = TRY(answer_on(workspace, everything.tips, commit));
    thoughts.push_back({std::move(view), std::move(answer)});
    return thoughts;
  }
  for (const Oid& oid : TRY(compile::reasoning_of(workspace.reader(), commit))) {
    thoughts.push_back({TRY(read_view(workspace.reader(), oid)), view});
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
  json.end();
}

}  // namespace spoor::cli
