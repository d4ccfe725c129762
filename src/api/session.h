#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/command.h"

namespace spoor::api {

/// How a session ended.
enum class Outcome {
  finished,     ///< with an answer; a run: its goal was achieved
  interrupted,  ///< with a request, a call or a result that no answer follows
  failed,       ///< with a failed request; a run: at its limits, or with an error
};
std::string_view name_of(Outcome outcome);

/// Tokens and money of one model on one day.
struct Spending {
  std::string day;  ///< UTC, `2026-11-21`; empty if the source has no times
  std::string model;
  std::uint64_t answers = 0;
  std::optional<std::uint64_t> input_tokens, cache_read_tokens, cache_write_tokens, output_tokens;
  std::optional<llm::Money> cost_usd;
  bool is_complete = true;  ///< every answer and every lost request has counts and a cost

  template <class Visit>
  static void members(Visit&& visit) {
    visit("day", &Spending::day, "the day in UTC; empty if the source has no times");
    visit("model", &Spending::model, "the model; 'unknown' if the source names none");
    visit("answers", &Spending::answers, "answers of the model");
    visit("input_tokens", &Spending::input_tokens, "tokens sent, without those read from caches");
    visit("cache_read_tokens", &Spending::cache_read_tokens, "tokens read from caches");
    visit("cache_write_tokens", &Spending::cache_write_tokens, "tokens written to caches");
    visit("output_tokens", &Spending::output_tokens, "tokens of answers, with their reasoning");
    visit("cost_usd", &Spending::cost_usd, "US dollars, as stated or by list price");
    visit("is_complete", &Spending::is_complete,
          "false if an answer or a lost request has no counts or no price");
  }
};

/// The facts of a session: a conversation with an agent, with its forks and sub-agents.
struct SessionFacts {
  std::string title;
  std::string project;
  std::string outcome;
  std::optional<Timestamp> started, ended;
  std::uint64_t turns = 0, requests = 0, answers = 0, calls = 0, failed_calls = 0;
  std::uint64_t files = 0;
  std::int64_t lines_added = 0, lines_removed = 0;
  std::vector<Spending> spendings;
  std::vector<std::string> runs;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("title", &SessionFacts::title, "the agent's own title, else the first request");
    visit("project", &SessionFacts::project, "the folder it worked in; may be empty");
    visit("outcome", &SessionFacts::outcome, "finished, interrupted or failed");
    visit("started", &SessionFacts::started, "time of the first turn");
    visit("ended", &SessionFacts::ended, "time of the last turn");
    visit("turns", &SessionFacts::turns, "messages of the conversation");
    visit("requests", &SessionFacts::requests, "requests of the user");
    visit("answers", &SessionFacts::answers, "answers of models");
    visit("calls", &SessionFacts::calls, "tool calls");
    visit("failed_calls", &SessionFacts::failed_calls, "tool calls that failed or were refused");
    visit("files", &SessionFacts::files, "files it changed");
    visit("lines_added", &SessionFacts::lines_added, "lines it added, where they are known");
    visit("lines_removed", &SessionFacts::lines_removed, "lines it removed, where they are known");
    visit("spendings", &SessionFacts::spendings, "tokens and cost by day and model");
    visit("runs", &SessionFacts::runs, "ids of the runs of spoor's own agent, oldest first");
  }
};

/// A line of a session, named by the branch that ends it.
struct SessionLine {
  std::string branch;  ///< short name; `origin/…` for a branch of another store
  Oid head;
  std::string own_name;  ///< the branch's name in the store that it is of
};

/// A session and its branches.
struct Session {
  std::uint64_t number = 0;        ///< 1 is the session that started first
  std::string agent;               ///< the importer's name, such as `claude-code`; else `spoor`
  std::string id;                  ///< the source's; for spoor's own sessions the branch
  std::vector<SessionLine> lines;  ///< the main line first
  std::vector<Oid> shared;         ///< heads of sessions that share its beginning and count it
  SessionFacts facts;

  const std::string& name() const { return lines.front().branch; }
};

/// Returns the sessions of a store, the one that started last first. Facts are kept in the store's
/// cache, so only sessions that grew are read.
///
/// A session is all branches of one session of an agent, including forks made with spoor; else all
/// branches that begin with one commit. A turn that sessions share, as resumed ones do, is counted
/// in the session that ended first; a copy counts as the turn that it copies. Numbers follow the
/// time of the first turn, so sessions keep theirs as new ones come.
Result<std::vector<Session>> list_sessions(const Context& context);

/// Returns the session that `word` names: a number, a branch, or the beginning of an id (4 digits
/// or more). Returns Code::not_found or Code::ambiguous, with what to try next.
Result<Session> find_session(const Context& context, std::string_view word);

}  // namespace spoor::api
