#include "report/export/conversation.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "compile/fact.h"
#include "compile/facts_view.h"
#include "report/event/prompt_bundle.h"
#include "trace/content.h"
#include "trace/deriver.h"

namespace spoor::report {
namespace {

using compile::Message;
using compile::Part;
using compile::Type;

// The facts that trace derives about the commits of a line.
struct Derived {
  struct Answer {
    std::string model, finish_reason;
    trace::Spent spent;
    std::optional<llm::Money> cost;
  };
  std::map<Oid, Answer> answers;          // By the first commit of each.
  std::map<Oid, std::string> tools;       // By the commit of the result.
  std::map<Oid, std::string> child_runs;  // By the commit of the result.
  std::set<Oid> turns;                    // All commits of messages, without thoughts.
  std::set<Oid> thoughts;
  std::optional<Oid> bundle;  // The last recorded request.
  trace::Totals totals;
};

void add_step(const trace::Step& step, const llm::PriceList* prices, Derived& derived) {
  if (const auto* message = std::get_if<trace::Message>(&step.what)) {
    if (message->is_critic) return;
    for (const auto& thought : message->reasoning) derived.thoughts.insert(thought.oid);
    for (const auto& record : message->records) {
      derived.turns.insert(record.oid);
      if (record.commit->prompt) derived.bundle = record.commit->prompt;
    }
    if (message->records.empty()) return;
    derived.answers[message->records.front().oid] = {
        message->model, message->finish_reason, message->spent, price_of(*message, prices).money};
  } else if (const auto* call = std::get_if<trace::Call>(&step.what)) {
    if (!call->result) return;
    derived.turns.insert(call->result->oid);
    derived.tools[call->result->oid] = call->asked.name.empty() ? call->tool : call->asked.name;
    if (!call->child_run.empty()) derived.child_runs[call->result->oid] = call->child_run;
  } else if (std::holds_alternative<trace::Request>(step.what) ||
             std::holds_alternative<trace::Context>(step.what) ||
             std::holds_alternative<trace::Nudge>(step.what)) {
    derived.turns.insert(step.at.oid);
  }
}

Result<Derived> derive_facts(const graph::Repository& repository, const Oid& head,
                             const llm::PriceList* prices) {
  Derived derived;
  trace::TotalsFold totals(repository.reader(), prices);
  TRY(trace::derive(repository, {.arguments = false}, head,
                    [&](const trace::Step& step) -> Result<void> {
                      add_step(step, prices, derived);
                      return totals.add(step);
                    }));
  derived.totals = totals.totals();
  return derived;
}

// Returns the tools of a recorded request in OpenAI's form.
Result<std::vector<std::string>> tools_of(const graph::Repository& repository, const Oid& bundle) {
  BundleReader reader(repository);
  PromptProvenance provenance;
  TRY(reader.read(bundle, provenance));
  std::vector<std::string> tools;
  if (!provenance.bundle) return tools;
  for (const ToolDeclaration& tool : provenance.bundle->tools) {
    tools.push_back(openai_tool(
        {.name = tool.name, .description = tool.description.text, .parameters = tool.schema.text}));
  }
  return tools;
}

void add_thought(const Part& part, bool is_shown, std::string& reasoning, LeftOut& left_out) {
  if (trimmed(*part.text).empty()) return left_out.add(left_out::kSealedThinking);
  if (!is_shown) return left_out.add(left_out::kThinking);
  if (!reasoning.empty()) reasoning += "\n\n";
  reasoning += valid_utf8(*part.text);
}

ConversationMessage message_of(const Message& message, bool is_thinking_shown,
                               const llm::wire::Pictures& pictures, const Derived& derived,
                               std::set<Oid>& shown, LeftOut& left_out) {
  ConversationMessage made;
  made.role = std::string(message.role);
  made.commit = message.hash();
  for (const auto& thought : message.thoughts) {
    shown.insert(thought.part.commit);
    add_thought(thought.part, is_thinking_shown, made.reasoning, left_out);
  }
  for (const Part& part : message.parts) {
    shown.insert(part.commit);
    if (part.type == Type::reasoning) {
      add_thought(part, true, made.reasoning, left_out);
      continue;
    }
    made.text += valid_utf8(*part.text);
    for (auto& picture : pictures.of(part)) made.pictures.push_back(std::move(picture));
    if (const auto* calls = part.calls()) {
      for (const compile::ToolCall& call : *calls) {
        made.calls.push_back(
            {valid_utf8(call.id), valid_utf8(call.name), valid_utf8(call.arguments)});
      }
    }
    if (const auto found = derived.answers.find(part.commit); found != derived.answers.end()) {
      made.model = valid_utf8(found->second.model);
      made.finish_reason = valid_utf8(found->second.finish_reason);
      made.spent = found->second.spent;
      made.cost = found->second.cost;
    }
    if (part.type != Type::tool || !part.fields) continue;
    made.call_id = valid_utf8(part.fields->call_id);
    made.tool = valid_utf8(part.fields->name);
    made.is_error = part.fields->is_error;
    const auto tool = derived.tools.find(part.commit);
    if (made.tool.empty() && tool != derived.tools.end()) made.tool = valid_utf8(tool->second);
    const auto child = derived.child_runs.find(part.commit);
    if (child != derived.child_runs.end()) made.child_run = child->second;
  }
  return made;
}

std::string_view reason_of(compile::Why why) {
  switch (why) {
    case compile::Why::skip:
      return left_out::kSkipped;
    case compile::Why::directive:
      return left_out::kDirective;
    case compile::Why::window:
      return left_out::kWindow;
    case compile::Why::budget:
      return left_out::kBudget;
    case compile::Why::clearing:
      break;
  }
  return "texts of results";
}

// Counts the turns of the line that are not in the messages.
Result<void> count_rest(const compile::Prompt& prompt, const Derived& derived,
                        const std::set<Oid>& shown, const store::Reader& reader,
                        bool wants_thoughts, LeftOut& left_out) {
  std::set<Oid> known = shown;
  for (const compile::LeftOut& out : prompt.left_out) {
    if (!known.insert(out.commit).second) continue;
    const auto commit = TRY(reader.commit(out.commit));
    const bool is_thought = commit->type == Type::reasoning && out.why == compile::Why::skip;
    // A thought here led to no answer that is shown.
    left_out.add(!is_thought      ? reason_of(out.why)
                 : wants_thoughts ? "thoughts that no answer follows, or that are skipped"
                                  : left_out::kThinking);
  }
  for (const std::set<Oid>* turns : {&derived.turns, &derived.thoughts}) {
    for (const Oid& turn : *turns) {
      if (!known.contains(turn)) left_out.add(left_out::kSummarised);
    }
  }
  return {};
}

Result<void> add_identity(const store::Reader& reader, Conversation& made) {
  for (auto each = made.messages.rbegin(); each != made.messages.rend(); ++each) {
    const auto commit = TRY(reader.commit(each->commit));
    each->time = commit->time;
    compile::FactsView facts;
    TRY(facts.read(commit->meta));
    if (made.id.empty()) made.id = valid_utf8(facts.get(fact::session));
    if (made.agent.empty()) made.agent = valid_utf8(facts.get(fact::source));
    if (made.agent_version.empty()) {
      made.agent_version = valid_utf8(facts.get(fact::agent_version));
    }
  }
  if (made.agent.empty()) made.agent = "spoor";
  if (made.id.empty()) made.id = made.head.hex(16);
  return {};
}

Result<void> redact_text(std::string& text, const guard::Redactor& redactor,
                         std::vector<guard::Redaction>& found) {
  if (text.empty()) return {};
  text = TRY(redactor.redact(std::move(text), {}, &found));
  return {};
}

}  // namespace

std::string Conversation::model() const {
  for (auto each = messages.rbegin(); each != messages.rend(); ++each) {
    if (each->is_answer() && !each->model.empty()) return each->model;
  }
  return {};
}

Result<Conversation> read_conversation(const graph::Repository& repository, const Oid& head,
                                       const ConversationOptions& options, LeftOut& left_out) {
  compile::CompileOptions how = options.compile;
  const bool is_thinking_shown = std::exchange(how.include_reasoning, false);
  how.with_thoughts = true;
  const compile::Prompt prompt = TRY(repository.compile(head, how));
  const Derived derived = TRY(derive_facts(repository, head, options.prices));
  const auto pictures = TRY(llm::wire::Pictures::read(prompt, repository.reader()));

  Conversation made;
  made.head = head;
  made.totals = derived.totals;
  std::set<Oid> shown;
  for (const Message& message : prompt.messages) {
    ConversationMessage one =
        message_of(message, is_thinking_shown, pictures, derived, shown, left_out);
    const bool is_thought_alone =
        one.is_answer() && one.text.empty() && one.calls.empty() && !one.reasoning.empty();
    // Pinned reasoning belongs to the answer after it.
    const bool continues_thought =
        !made.messages.empty() && one.is_answer() && made.messages.back().is_answer() &&
        made.messages.back().text.empty() && made.messages.back().calls.empty() &&
        !made.messages.back().reasoning.empty();
    if (continues_thought && !is_thought_alone) {
      std::string& before = made.messages.back().reasoning;
      one.reasoning = one.reasoning.empty() ? before : before + "\n\n" + one.reasoning;
      made.messages.back() = std::move(one);
      continue;
    }
    made.messages.push_back(std::move(one));
  }
  TRY(count_rest(prompt, derived, shown, repository.reader(), is_thinking_shown, left_out));
  TRY(add_identity(repository.reader(), made));
  number_calls(made, left_out);
  if (derived.bundle) made.tools = TRY(tools_of(repository, *derived.bundle));
  return made;
}

std::string openai_tool(const llm::ToolSpec& tool) {
  json::Object function;
  function.add_string("name", valid_utf8(tool.name));
  if (!tool.description.empty()) function.add_string("description", valid_utf8(tool.description));
  const auto schema = json::parse(tool.parameters);
  if (schema && schema->root().is_object()) {
    function.add_json("parameters", valid_utf8(tool.parameters));
  }
  json::Object object;
  object.add_string("type", "function");
  object.add_json("function", function.write());
  return object.write();
}

void number_calls(Conversation& conversation, LeftOut& left_out) {
  std::size_t calls = 0;
  std::vector<std::string> open;  // Calls of the last answer that have no result yet.
  for (ConversationMessage& message : conversation.messages) {
    if (!message.calls.empty()) open.clear();
    for (compile::ToolCall& call : message.calls) {
      ++calls;
      if (call.id.empty()) {
        call.id = fmt::format("call-{}", calls);
        left_out.add(left_out::kNumbered);
      }
      open.push_back(call.id);
    }
    if (message.role != "tool" || open.empty()) continue;
    if (message.call_id.empty()) message.call_id = open.front();
    const auto answered = std::ranges::find(open, message.call_id);
    if (answered != open.end()) open.erase(answered);
  }
}

Result<void> redact(Conversation& conversation, const guard::Redactor& redactor,
                    LeftOut& left_out) {
  std::vector<guard::Redaction> found;
  TRY(redact_text(conversation.title, redactor, found));
  for (std::string& tool : conversation.tools) TRY(redact_text(tool, redactor, found));
  for (ConversationMessage& message : conversation.messages) {
    TRY(redact_text(message.text, redactor, found));
    TRY(redact_text(message.reasoning, redactor, found));
    for (compile::ToolCall& call : message.calls) {
      TRY(redact_text(call.arguments, redactor, found));
    }
  }
  for (const guard::Redaction& each : found) {
    left_out.add(fmt::format("secrets replaced by the rule {}", each.rule));
  }
  return {};
}

namespace {

// Returns whether JSON has control characters in its texts, which only our reader takes, or, if it
// is to be on one line, anywhere.
bool has_control(std::string_view text, Layout layout) {
  bool is_in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_in_text = !is_in_text;
    if (text[i] == '\\') ++i;  // Only texts have these.
    if (i < text.size() && static_cast<unsigned char>(text[i]) < ' ' &&
        (is_in_text || layout == Layout::one_line)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string arguments_object(const std::string& arguments, LeftOut& left_out, Layout layout) {
  if (trimmed(arguments).empty()) return "{}";
  const auto document = json::parse(arguments);
  if (document && document->root().is_object()) {
    const std::string_view raw = document->root().raw();
    if (!has_control(raw, layout)) return std::string(raw);
    std::string text;
    json::append_compact(text, document->root());
    return text;
  }
  left_out.add(left_out::kWrapped);
  return json::write_object("input", json::write_string(arguments));
}

}  // namespace spoor::report
