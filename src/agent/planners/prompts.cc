#include "agent/planners/prompts.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "compile/turn.h"

namespace spoor::agent::planners {
namespace {

using json::Value;

// Returns `string`, `string or null` or `any`.
std::string type_of(const Value& schema) {
  const Value type = schema.find("type");
  if (type.is_string()) return type.text();
  if (!type.is_array()) return "any";
  std::string types;
  for (const Value one : type.elements()) {
    if (!types.empty()) types += " or ";
    types += one.text();
  }
  return types;
}

constexpr std::string_view kReact = R"(You work towards a goal in steps. In each step you think, use
one tool, and are told what it gave. Go on until the goal is reached, then finish. Rely on what you
have observed, not on what you suppose; when a tool fails, change what you do.
)";

constexpr std::string_view kNative =
    R"(You work towards a goal in steps. In each step you use tools,
and are told what they gave. Ask for several at once only if none depends on another. When the goal
is reached, answer without using a tool: that answer is the result. Rely on what you have observed,
not on what you suppose; when a tool fails, change what you do.
)";

constexpr std::string_view kPlan = R"(You work towards a goal by a plan. You write the whole plan
first; then its steps are carried out in order without asking you. If a step fails, you are told
what was observed and write a new plan for what is left.
)";

constexpr std::string_view kStepFormat = R"(
Answer with one JSON object in a code fence, and nothing else:

```json
{"thought": "what you think", "action": "id of a tool", "action_input": {"parameter": "value"}}
```

When the goal is reached, the action is "finish", and the object has your answer:

```json
{"thought": "why this is done", "action": "finish", "action_input": {}, "final_answer": "the answer"}
```
)";

constexpr std::string_view kPlanFormat = R"(
Answer with one JSON object in a code fence, and nothing else. The last step is "finish":

```json
{"plan": [{"action": "id of a tool", "action_input": {"parameter": "value"}},
          {"action": "id of a tool", "action_input": {"parameter": "$1.output"}},
          {"action": "finish"}]}
```

A step can use what an earlier one gave: in a text of its input, "$1.output" stands for the output of
step 1, also inside a longer text, and "$1.output.name" for the member "name" if that output is JSON.
("$$1.output" stands for those characters themselves.)
)";

constexpr std::string_view kAskedForAnswer = R"(
When the steps are done, you are shown what they gave and asked for the answer.
)";
constexpr std::string_view kMayAnswer = R"(
When the steps are done, you are shown what they gave and asked for the answer. Give "finish" a
"final_answer" only if it is known already; it may contain references, too.
)";

// Of runs that were recorded before steps could refer to results; see kPlannerVersion.
constexpr std::string_view kPlanFormat1 = R"(
Answer with one JSON object in a code fence, and nothing else. The last step is "finish":

```json
{"plan": [{"action": "id of a tool", "action_input": {"parameter": "value"}},
          {"action": "finish", "final_answer": "the answer, as far as it is known now"}]}
```
)";

constexpr std::string_view kTextFormat = R"(
To use a tool, write an element and nothing behind it:

<tool_call>
tool: id of a tool
parameter: value
</tool_call>
)";

constexpr std::string_view kRationaleObject =
    R"({"why": "the reason, in one sentence", "refs": ["obs:1"], "alternatives": [{"option": "what else was possible", "rejectedBecause": "why not"}], "confidence": 0.8})";

// Returns the instructions for giving reasons; every form shown can be read (docs/rationale.md).
std::string reasons(Strategy strategy, Calling calling) {
  std::string text = "\nSay why. ";
  if (strategy == Strategy::plan_and_execute) {
    text += "Each step but \"finish\" has a member \"rationale\":";
  } else if (calling == Calling::json) {
    text += "Beside \"action\" the object has a member \"rationale\":";
  } else {
    text +=
        "For each tool you use, write a block into your text, before the calls; N is the number of "
        "the call in this answer, from 1:";
  }
  text += "\n\n";
  if (strategy != Strategy::plan_and_execute && calling != Calling::json) {
    text += fmt::format("<rationale call=\"N\" tool=\"its name\">{}</rationale>", kRationaleObject);
  } else {
    text += kRationaleObject;
  }
  text +=
      "\n\nOnly \"why\" is required, 280 characters at most. \"refs\" names what it rests on: "
      "\"goal\", or \"obs:N\" for the N-th thing a tool has given in this run; name nothing that "
      "you "
      "have not been given. If you take something for granted, write \"I assume … because …\".\n";
  return text;
}

}  // namespace

std::string describe_tool(const Catalogue::Entry& entry) {
  if (entry.tool == nullptr) return fmt::format("- {} (unregistered)\n", entry.id);
  std::string text = fmt::format("- {}: {}\n", entry.id, entry.tool->description);
  if (entry.tool->parameters.empty()) return text;
  const auto schema = json::parse(entry.tool->parameters);
  if (!schema) return text;
  std::vector<std::string> required;
  for (const Value name : schema->root().find("required").elements()) {
    required.push_back(name.text());
  }
  for (const json::Member member : schema->root().find("properties").members()) {
    const std::string name = member.key.text();
    const bool is_required = std::find(required.begin(), required.end(), name) != required.end();
    text += fmt::format("    {} ({}, {})", name, type_of(member.value),
                        is_required ? "required" : "optional");
    const std::string description = member.value.find("description").text();
    if (!description.empty()) text += ": " + description;
    text += '\n';
  }
  return text;
}

std::string build_system_prompt(Strategy strategy, Calling calling, const Catalogue& catalogue,
                                const RunOptions& options) {
  const bool plans = strategy == Strategy::plan_and_execute;
  const bool writes_json = !plans && calling == Calling::json;
  std::string text(plans ? kPlan : (writes_json ? kReact : kNative));
  // With native calls the request itself describes the tools.
  const bool is_told = !plans && calling == Calling::native;
  std::string tools;
  for (const Catalogue::Entry& entry : catalogue.entries) {
    if (entry.tool == nullptr || !is_told) tools += describe_tool(entry);
  }
  if (catalogue.entries.empty()) {
    text += "\nThere are no tools.\n";
  } else if (!tools.empty()) {
    text += "\nTools:\n" + tools;
  }
  if (plans && options.planner_version < 2) text += kPlanFormat1;
  if (plans && options.planner_version >= 2) {
    text += kPlanFormat;
    text += options.synthesize ? kAskedForAnswer : kMayAnswer;
  }
  if (writes_json) text += kStepFormat;
  if (!plans && calling == Calling::text) text += kTextFormat;
  if (options.rationale && !catalogue.entries.empty()) text += reasons(strategy, calling);
  if (!options.instructions.empty()) text += '\n' + options.instructions + '\n';
  return text;
}

std::string build_critic_prompt() {
  return R"(You are the Reflexion critic. You are shown a goal, the steps that somebody took towards it, and the
answer they gave. Judge whether the answer reaches the goal and is borne out by what was observed.

Answer with one JSON object in a code fence, and nothing else. The verdict is "accept" or "retry"; for a
retry, the critique says what was wrong and what to do differently:

```json
{"verdict": "retry", "critique": "what to do differently"}
```
)";
}

std::string nudge(Calling calling, std::string_view problem) {
  if (calling != Calling::json) {
    return fmt::format("Your answer was empty ({}). Use a tool, or give the answer.", problem);
  }
  return fmt::format(
      "Your answer could not be read: {}. Answer with one JSON object in a code fence, with "
      "\"thought\", \"action\" and \"action_input\"; to end, the action is \"finish\" and there is "
      "a "
      "\"final_answer\".",
      problem);
}

std::string unread_call_nudge(Calling calling) {
  return std::string(
             "Your answer contains a call that cannot be read, or of a tool that does not "
             "exist. ") +
         (calling == Calling::native ? "Use the tool itself"
                                     : "Write it in the form that was "
                                       "described") +
         ", or give the answer.";
}

std::string broken_answer_nudge() {
  return "Your answer broke off, or contained a call that could not be read. Use a tool, or "
         "give the whole answer.";
}

std::string continue_nudge() {
  return "Your answer reached its limit and was cut off. Go on exactly where it ended, without "
         "repeating anything.";
}

std::string plan_nudge(std::string_view problem) {
  return fmt::format(
      "Your plan could not be read: {}. Answer with one JSON object in a code fence: "
      "{{\"plan\": [steps]}}, each step with \"action\" and \"action_input\", the last one "
      "\"finish\".",
      problem);
}

std::string critic_nudge(std::string_view problem) {
  return fmt::format(
      "Your verdict could not be read: {}. Answer with one JSON object in a code fence: "
      "{{\"verdict\": \"accept\" or \"retry\", \"critique\": \"…\"}}.",
      problem);
}

std::string replan_prompt(std::string_view failed, const std::vector<DoneStep>& done) {
  constexpr std::size_t kShown = 200;
  std::string text =
      fmt::format("The step '{}' failed; you were shown why. ", compile::preview(failed, kShown));
  if (done.empty()) return text + "No step is done yet. Write a new plan.";
  text += "These steps are done, and are not run again:\n";
  std::size_t number = 0;
  for (const DoneStep& step : done) {
    text += fmt::format("{}. {} {} gave {}\n", ++number, step.action,
                        compile::preview(step.arguments, kShown),
                        compile::preview(step.output, kShown));
  }
  return text + fmt::format(
                    "Write a new plan for what is left. Its first step has the number {}, "
                    "so \"$1.output\" is still what step 1 gave. To run a step that is done "
                    "once more, give it \"again\": true.",
                    number + 1);
}

std::string answer_prompt() {
  return "The steps are done. Now answer the goal, in plain text and not in JSON, from what they "
         "gave. Where it does not bear out an answer, say so.";
}

std::string answer_nudge() {
  return "That is not an answer. There are no more steps: write the answer to the goal as plain "
         "text.";
}

std::string strict_retry(std::size_t steps) {
  return fmt::format(
      "[STRICT RETRY] {} of your steps {} no \"rationale\". Give the same plan again, with a "
      "\"rationale\" in each step but \"finish\".",
      steps, steps == 1 ? "has" : "have");
}

}  // namespace spoor::agent::planners
