#pragma once

#include "api/session.h"

namespace spoor::api {

/// The parameters of `spoor sessions`.
struct SessionsQuery {
  std::optional<Timestamp> since;
  std::string project, agent, model;
  bool failed = false;
  std::optional<std::uint64_t> limit;

  template <class Visit>
  static void parameters(Visit&& visit) {
    visit(Parameter{"--since", "TIME", "only sessions with turns at or after this time", 0,
                    Takes::time},
          &SessionsQuery::since);
    visit(Parameter{"--project", "TEXT", "only sessions whose folder contains this"},
          &SessionsQuery::project);
    visit(Parameter{"--agent", "NAME", "only sessions of this agent, such as claude-code"},
          &SessionsQuery::agent);
    visit(Parameter{"--model", "TEXT", "only sessions with a model whose name contains this"},
          &SessionsQuery::model);
    visit(Parameter{"--failed", "", "only sessions that failed or were interrupted"},
          &SessionsQuery::failed);
    visit(Parameter{"--limit", "N", "at most N sessions", 'n', Takes::number},
          &SessionsQuery::limit);
  }
};

/// A row of `spoor sessions`.
struct SessionRow {
  std::uint64_t number = 0;
  std::string session, agent, id, title, project, outcome;
  std::optional<Timestamp> started, ended;
  std::uint64_t turns = 0, requests = 0, answers = 0, calls = 0, failed_calls = 0, files = 0;
  std::int64_t lines_added = 0, lines_removed = 0;
  std::vector<std::string> models, branches;
  std::uint64_t input_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0, output_tokens = 0;
  std::optional<llm::Money> cost_usd;
  bool is_complete = true;
  Oid head;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("number", &SessionRow::number, "a short name; 1 is the session that started first");
    visit("session", &SessionRow::session, "the branch of its main line");
    visit("agent", &SessionRow::agent, "the agent, such as claude-code; spoor for your own");
    visit("id", &SessionRow::id, "the agent's id of the session");
    visit("title", &SessionRow::title, "the agent's own title, else the first request");
    visit("project", &SessionRow::project, "the folder it worked in; may be empty");
    visit("outcome", &SessionRow::outcome, "finished, interrupted or failed");
    visit("started", &SessionRow::started, "time of the first turn");
    visit("ended", &SessionRow::ended, "time of the last turn");
    visit("turns", &SessionRow::turns, "messages of the conversation");
    visit("requests", &SessionRow::requests, "requests of the user");
    visit("answers", &SessionRow::answers, "answers of models");
    visit("calls", &SessionRow::calls, "tool calls");
    visit("failed_calls", &SessionRow::failed_calls, "tool calls that failed or were refused");
    visit("files", &SessionRow::files, "files it changed");
    visit("lines_added", &SessionRow::lines_added, "lines it added, where they are known");
    visit("lines_removed", &SessionRow::lines_removed, "lines it removed, where they are known");
    visit("models", &SessionRow::models, "models that answered, the one that answered most first");
    visit("branches", &SessionRow::branches, "its branches: forks and sub-agents, too");
    visit("input_tokens", &SessionRow::input_tokens, "tokens sent, without those from caches");
    visit("cache_read_tokens", &SessionRow::cache_read_tokens, "tokens read from caches");
    visit("cache_write_tokens", &SessionRow::cache_write_tokens, "tokens written to caches");
    visit("output_tokens", &SessionRow::output_tokens, "tokens of answers, reasoning included");
    visit("cost_usd", &SessionRow::cost_usd, "US dollars, as stated or by list price");
    visit("is_complete", &SessionRow::is_complete, "false if an answer has no counts or no price");
    visit("head", &SessionRow::head, "the last commit of its main line");
  }
};

/// Lists the sessions of a store, the one that started last first.
extern const Listing<SessionsQuery, SessionRow> kSessions;

/// Returns true if a session matches the query. Ignores the limit, which the caller applies.
bool matches(const SessionsQuery& query, const Session& session);

/// Returns the row of a session.
SessionRow row_of(const Session& session);

}  // namespace spoor::api
