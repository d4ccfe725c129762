#include "api/commands/sessions.h"

#include <algorithm>
#include <array>
#include <map>

namespace spoor::api {
namespace {

constexpr std::array kExamples = {
    Example{"spoor sessions -n 20", "the last twenty"},
    Example{"spoor sessions --agent codex --since yesterday", "those of Codex since yesterday"},
    Example{"spoor log 57", "the history of session 57"},
};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

Result<void> run(Context& context, const SessionsQuery& query, const Sink<SessionRow>& sink) {
  std::uint64_t left = query.limit.value_or(~0ULL);
  for (const Session& session : TRY(list_sessions(context))) {
    if (left == 0) break;
    if (!matches(query, session)) continue;
    if (!sink(row_of(session))) break;
    --left;
  }
  return {};
}

}  // namespace

bool matches(const SessionsQuery& query, const Session& session) {
  const SessionFacts& facts = session.facts;
  if (query.since && (!facts.ended || *facts.ended < *query.since)) return false;
  if (!contains(facts.project, query.project)) return false;
  if (!query.agent.empty() && session.agent != query.agent) return false;
  if (query.failed && facts.outcome == name_of(Outcome::finished)) return false;
  return query.model.empty() || std::ranges::any_of(facts.spendings, [&](const Spending& each) {
           return contains(each.model, query.model);
         });
}

SessionRow row_of(const Session& session) {
  const SessionFacts& facts = session.facts;
  SessionRow row{.number = session.number,
                 .session = session.name(),
                 .agent = session.agent,
                 .id = session.id,
                 .title = facts.title,
                 .project = facts.project,
                 .outcome = facts.outcome,
                 .started = facts.started,
                 .ended = facts.ended,
                 .turns = facts.turns,
                 .requests = facts.requests,
                 .answers = facts.answers,
                 .calls = facts.calls,
                 .failed_calls = facts.failed_calls,
                 .files = facts.files,
                 .lines_added = facts.lines_added,
                 .lines_removed = facts.lines_removed,
                 .head = session.lines.front().head};
  std::map<std::string, std::uint64_t> answers;
  for (const Spending& each : facts.spendings) {
    answers[each.model] += each.answers;
    row.input_tokens += each.input_tokens.value_or(0);
    row.cache_read_tokens += each.cache_read_tokens.value_or(0);
    row.cache_write_tokens += each.cache_write_tokens.value_or(0);
    row.output_tokens += each.output_tokens.value_or(0);
    if (each.cost_usd) row.cost_usd = row.cost_usd.value_or(llm::Money{}) + *each.cost_usd;
    row.is_complete = row.is_complete && each.is_complete;
  }
  for (const auto& [model, count] : answers) row.models.push_back(model);
  std::ranges::stable_sort(row.models, [&](const std::string& a, const std::string& b) {
    return answers[a] > answers[b];
  });
  for (const SessionLine& line : session.lines) row.branches.push_back(line.branch);
  return row;
}

constexpr Listing<SessionsQuery, SessionRow> kSessions{
    .name = "sessions",
    .summary = "List the sessions of agents, newest first",
    .rows = "sessions",
    .group = Group::start,
    .details =
        "A session is a conversation with an agent: the branches that 'spoor import' made\n"
        "of it, and their forks; or, of your own, all branches that begin with the same\n"
        "commit. Its number, its branches and the beginning of its id are revisions: 'spoor\n"
        "log 57' shows its history. Sessions are numbered by their start: numbers stay as\n"
        "new sessions start, and change if an older one is imported or one is deleted. A\n"
        "branch of the same name has precedence.\n"
        "\n"
        "The title is the agent's own, else the first request. A session is finished if it\n"
        "ends with an answer, interrupted if a request or a call has none, and failed if\n"
        "its last request to a model failed. A cost is the one that the source states, else\n"
        "tokens at list price; '≥' marks one of which a part is unknown.",
    .examples = kExamples,
    .run = run,
};

}  // namespace spoor::api
