#include "cli/export/exported_sessions.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/commands/sessions.h"
#include "api/json_writer.h"
#include "base/json/reader.h"
#include "cli/common_options.h"
#include "cli/prompt_source.h"
#include "cli/settings/capture.h"
#include "cli/views/times.h"
#include "llm/sent_prompt.h"
#include "llm/tool_spec.h"
#include "trace/content.h"
#include "trace/coverage.h"

namespace spoor::cli {
namespace {

// Returns the rules that the store adds, then the user's, then the built-in ones.
Result<std::unique_ptr<guard::RuleSet>> redaction_rules(const store::Store& store, Config& config) {
  guard::RuleFile own;
  const std::string path = TRY(config.get("redaction.rules")).text;
  if (!path.empty()) own = TRY(read_own_rules(path));
  return guard::RuleSet::with_builtin(std::move(own),
                                      TRY(rules_in(store)).value_or(guard::Additions()));
}

// Names a line that a session ends with.
void add_names(const api::Session& session, ExportedLine& line) {
  for (const api::SessionLine& each : session.lines) {
    if (each.head != line.head || !line.branch.empty()) continue;
    const bool is_main = &each == &session.lines.front();
    line.title = session.facts.title;
    line.branch = each.branch;
    line.id = is_main ? session.id : each.branch;
    if (is_main) line.others.assign(session.lines.begin() + 1, session.lines.end());
  }
}

// Adds the tools of a proxy's request.
void add_tools(const proxy::SentTurns& sent, report::Conversation& conversation,
               report::LeftOut& left_out) {
  if (!conversation.tools.empty()) return;  // Of a later run of spoor's own.
  for (const std::string& each : sent.tools) {
    const auto declared = json::parse(each);
    const auto tool = declared ? llm::read_tool(declared->root()) : std::nullopt;
    if (tool) {
      conversation.tools.push_back(report::openai_tool(*tool));
    } else {
      left_out.add(report::left_out::kOwnTools);
    }
  }
}

// Adds its system prompt, which the files of agents leave out.
Result<void> add_instructions(const proxy::SentTurns& sent, report::Conversation& conversation) {
  auto& messages = conversation.messages;
  if (!messages.empty() && compile::is_instruction_role(messages.front().role)) return {};
  const auto prompt = TRY(sent.repository->compile(sent.tip));
  auto at = messages.begin();
  for (const compile::Message& message : prompt.messages) {
    if (!compile::is_instruction_role(message.role)) break;
    report::ConversationMessage made;
    made.role = std::string(message.role);
    made.text = trace::valid_utf8(message.text());
    made.commit = sent.request.note;
    made.time = sent.request.time;
    at = messages.insert(at, std::move(made)) + 1;
  }
  return {};
}

}  // namespace

ExportedSessions::ExportedSessions(Session& session, const Arguments& arguments,
                                   api::Context context)
    : session_(session), arguments_(arguments), context_(std::move(context)) {}

Result<std::unique_ptr<ExportedSessions>> ExportedSessions::make(Session& session,
                                                                 const Arguments& arguments) {
  std::unique_ptr<ExportedSessions> made(
      new ExportedSessions(session, arguments, TRY(session.context())));
  if (arguments.has("--redact")) {
    made->rules_ = TRY(redaction_rules(made->context_.workspace.store(), session.config()));
  }
  return made;
}

Result<std::vector<ExportedLine>> ExportedSessions::lines() {
  const auto sessions = TRY(api::list_sessions(context_));
  std::vector<ExportedLine> lines;
  for (const std::string& revision : arguments_.all("revision")) {
    lines.push_back({.head = TRY(context_.workspace.resolve(revision))});
    for (const api::Session& each : sessions) add_names(each, lines.back());
    lines.back().head = *TRY(prompt_commit(context_.workspace, arguments_, revision));
  }
  if (!lines.empty()) return lines;
  if (arguments_.has(kAt.name)) {
    return session_.usage_error("--at needs a REV, whose earlier turn it names",
                                "name a session: spoor export 1 --sft --at TURN");
  }
  const auto query = TRY(api::read_query<api::SessionsQuery>(context_, arguments_));
  for (auto each = sessions.rbegin(); each != sessions.rend(); ++each) {
    if (!api::matches(query, *each)) continue;
    lines.push_back({.head = each->lines.front().head});
    add_names(*each, lines.back());
  }
  return lines;
}

Result<bool> ExportedSessions::is_covered(const Oid& head) {
  if (!arguments_.has("--coverage")) return true;
  return is_covered(head, TRY(proxy::sent_turns(context_.workspace.repository(), head)));
}

Result<bool> ExportedSessions::is_covered(const Oid& head,
                                          const std::optional<proxy::SentTurns>& sent) {
  using trace::Presence;
  if (!arguments_.has("--coverage")) return true;
  auto coverage = TRY(trace::coverage_of(context_.workspace.repository(), head, nullptr));
  if (coverage.captured > 0 && sent) {
    const bool is_all = coverage.recorded + coverage.captured == coverage.answers;
    const Presence requests = is_all ? Presence::present : Presence::partial;
    coverage.system_prompt = std::min(coverage.system_prompt, requests);  // The fuller of the two.
    coverage.tools = std::min(coverage.tools, requests);
  }
  if (arguments_.text("--coverage") == "present") {
    return coverage.system_prompt == Presence::present && coverage.tools == Presence::present;
  }
  return coverage.system_prompt != Presence::absent || coverage.tools != Presence::absent;
}

Result<report::Conversation> ExportedSessions::read_whole(const ExportedLine& line) {
  return read_whole(line, TRY(proxy::sent_turns(context_.workspace.repository(), line.head)));
}

Result<report::Conversation> ExportedSessions::read_whole(
    const ExportedLine& line, const std::optional<proxy::SentTurns>& sent) {
  const graph::Repository& repository = context_.workspace.repository();
  report::Conversation made = TRY(report::read_conversation(
      repository, line.head, {.compile = compile_options(arguments_), .prices = &context_.prices},
      left_out_));
  if (sent) {
    add_tools(*sent, made, left_out_);
    TRY(add_instructions(*sent, made));
  } else if (TRY(llm::last_captured_request(repository, line.head))) {
    left_out_.add(report::left_out::kRequests);
  }
  made.title = line.title;
  made.licence = arguments_.text("--licence");
  if (rules_) {
    TRY(report::redact(made, guard::Redactor(*rules_, numbers_), left_out_));
  }
  return made;
}

Result<std::string> ExportedSessions::redact(std::string text) {
  if (!rules_) return text;
  std::vector<guard::Redaction> found;
  std::string clean = TRY(guard::Redactor(*rules_, numbers_).redact(std::move(text), {}, &found));
  for (const guard::Redaction& each : found) {
    left_out_.add(fmt::format("secrets replaced by the rule {}", each.rule));
  }
  return clean;
}

Result<std::optional<report::Conversation>> ExportedSessions::read(const ExportedLine& line) {
  const auto sent = TRY(proxy::sent_turns(context_.workspace.repository(), line.head));
  if (!TRY(is_covered(line.head, sent))) {
    left_out_.add(report::left_out::kCoverage);
    return std::optional<report::Conversation>();
  }
  return std::optional(TRY(read_whole(line, sent)));
}

void ExportedSessions::print_left_out(std::uint64_t exported, std::string_view unit) {
  Output& err = session_.err();
  if (arguments_.has("--json")) {
    api::JsonWriter json(true);
    json.object().member("exported", exported).member("unit", unit).key("left_out").object();
    for (const auto& [reason, count] : left_out_.counts()) json.member(reason, count);
    err.verbatim(json.end().end().take());
    return;
  }
  err.print(fmt::format("exported {}\n", counted(exported, unit)));
  if (left_out_.empty()) return;
  err.print("left out or changed:\n");
  for (const auto& [reason, count] : left_out_.counts()) {
    err.print(fmt::format("  {}  {}\n", grouped(count), reason));
  }
}

}  // namespace spoor::cli
