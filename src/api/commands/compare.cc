#include "api/commands/compare.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>

#include "compile/turn.h"
#include "graph/diff.h"
#include "trace/deriver.h"
#include "trace/tool_call.h"

namespace spoor::api {
namespace {

constexpr std::array kExamples = {
    Example{"spoor compare 57 58", "what two attempts did differently"},
    Example{"spoor compare main fork/9be01d77",
            "a branch and its fork, from their common commit on"},
    Example{"spoor compare --tree latest", "the models of a tree of attempts: pass@k and cost"},
};

// A call, or a text with its role in place of a tool.
struct Made {
  std::string tool, target, arguments, outcome;
  Oid commit;  // The one to show.
  Oid at;      // The one of its step.
  bool is_text = false;

  // Returns one line. Calls with the same key belong together, as do texts of one role.
  std::string key() const {
    std::string text = tool + "\t" + (is_text ? std::string() : target);
    std::ranges::replace(text, '\n', ' ');
    return text + "\n";
  }
};

using Calls = std::vector<Made>;

// The calls and texts of a history, and all commits that its steps are from.
struct History {
  Calls made;
  std::unordered_set<Oid> commits;

  // Returns what another history does not have.
  Calls without(const History& other) const {
    Calls rest;
    std::ranges::copy_if(made, std::back_inserter(rest),
                         [&](const Made& each) { return !other.commits.contains(each.at); });
    return rest;
  }
};

// Makes one of the text of `records`, of which there is at least one.
Result<Made> text_row(const Context& context, std::string role, const Oid& at,
                      const std::vector<store::NamedCommit>& records) {
  std::string text;
  for (const store::NamedCommit& record : records) {
    const auto part = TRY(compile::text_of(context.workspace.reader(), *record.commit));
    if (part) text += *part;
  }
  std::string line = compile::preview(text);
  return Made{
      std::move(role), std::move(line), std::move(text), "ok", records.back().oid, at, true};
}

Result<History> history_of(const Context& context, const Oid& head) {
  History history;
  std::vector<store::NamedCommit> system;
  std::vector<store::NamedCommit> answer;  // The last one; empty if it asks for calls.
  Oid answered;
  TRY(trace::derive(
      context.workspace.repository(), {}, head, [&](const trace::Step& step) -> Result<void> {
        history.commits.insert(step.at.oid);
        if (std::holds_alternative<trace::Context>(step.what)) system.push_back(step.at);
        if (const auto* message = std::get_if<trace::Message>(&step.what)) {
          answer = message->calls.empty() ? message->records : std::vector<store::NamedCommit>();
          answered = step.at.oid;
        }
        if (const auto* call = std::get_if<trace::Call>(&step.what)) {
          history.made.push_back({call->tool, trace::target_of(call->tool, call->asked.arguments),
                                  call->asked.arguments, std::string(name_of(call->outcome)),
                                  step.at.oid, step.at.oid});
        }
        return {};
      }));
  Calls texts;
  for (const store::NamedCommit& each : system) {
    texts.push_back(TRY(text_row(context, "system", each.oid, {each})));
  }
  history.made.insert(history.made.begin(), texts.begin(), texts.end());
  if (!answer.empty()) history.made.push_back(TRY(text_row(context, "answer", answered, answer)));
  return history;
}

std::string keys_of(const Calls& calls) {
  std::string keys;
  for (const Made& call : calls) keys += call.key();
  return keys;
}

class Comparison {
 public:
  Comparison(bool all, const Sink<ComparedRow>& sink) : all_(all), sink_(sink) {}

  void run(const Calls& before, const Calls& after) {
    auto a = before.begin();
    auto b = after.begin();
    for (const graph::TextPiece& piece : graph::diff_lines(keys_of(before), keys_of(after))) {
      for (auto lines = std::ranges::count(piece.text, '\n'); lines > 0 && goes_on_; --lines) {
        switch (piece.kind) {
          case graph::TextPiece::Kind::same:
            take(&*a++, &*b++);
            break;
          case graph::TextPiece::Kind::removed:
            take(&*a++, nullptr);
            break;
          case graph::TextPiece::Kind::added:
            take(nullptr, &*b++);
            break;
        }
      }
    }
  }

 private:
  void take(const Made* before, const Made* after) {
    const Made& either = after != nullptr ? *after : *before;
    ComparedRow row{.tool = either.tool, .target = either.target};
    if (before != nullptr) row.outcome_before = before->outcome, row.before = before->commit;
    if (after != nullptr) row.outcome_after = after->outcome, row.after = after->commit;
    if (after == nullptr) {
      row.change = "removed";
    } else if (before == nullptr) {
      row.change = "added";
    } else {
      const bool is_same =
          before->arguments == after->arguments && before->outcome == after->outcome;
      row.change = is_same ? "same" : "changed";
    }
    if (row.change != "same" || all_) goes_on_ = sink_(row);
  }

  bool all_;
  const Sink<ComparedRow>& sink_;
  bool goes_on_ = true;
};

Result<void> run(Context& context, const CompareQuery& query, const Sink<ComparedRow>& sink) {
  if (query.before.empty() || query.after.empty()) {
    return invalid("'compare' needs two revisions, or --tree",
                   "try 'spoor compare 57 58', or 'spoor compare --tree latest'");
  }
  const Oid before = TRY(context.workspace.resolve(query.before));
  const Oid after = TRY(context.workspace.resolve(query.after));
  const History first = TRY(history_of(context, before));
  const History second = TRY(history_of(context, after));
  Comparison(query.all, sink).run(first.without(second), second.without(first));
  return {};
}

}  // namespace

constexpr Listing<CompareQuery, ComparedRow> kCompare{
    .name = "compare",
    .summary = "Compare two attempts: system prompts, tool calls, last answers",
    .rows = "calls",
    .group = Group::read,
    .details =
        "Calls of the same tool with the same target belong together, in the order of both; so\n"
        "do system prompts, and the last answers. '-' marks what only A has, '+' what only B\n"
        "has, '~' what differs: in arguments, outcome or text. The history that both share is\n"
        "left out. The id is of B, or of A where B has none.\n"
        "\n"
        "With --tree or --dataset, prints one line per model: how many of its attempts were\n"
        "judged and pass, pass@k with a 95 % interval, tokens and cost (docs/trees.md).",
    .examples = kExamples,
    .run = run,
};

}  // namespace spoor::api
