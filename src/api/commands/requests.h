#pragma once

#include "api/command.h"

namespace spoor::api {

/// The parameters of `spoor requests`.
struct RequestsQuery {
  std::string revision;
  std::optional<std::uint64_t> limit;
  bool brief = false;

  template <class Visit>
  static void parameters(Visit&& visit) {
    visit(Parameter{"revision", "REV", "a session, or its history up to a commit (default: HEAD)",
                    0, Takes::revision},
          &RequestsQuery::revision);
    visit(Parameter{"--limit", "N", "at most N requests", 'n', Takes::number},
          &RequestsQuery::limit);
    visit(Parameter{"--brief", "", "without what the agent did: only its counts"},
          &RequestsQuery::brief);
  }
};

/// One thing that an agent did.
struct ActionRow {
  std::string kind;  ///< thinking, text, call, failure, compaction or note
  std::optional<Timestamp> time;
  std::string text, tool, target, outcome;
  std::optional<std::int64_t> exit_code, duration_ms, lines_added, lines_removed;
  Oid commit;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("kind", &ActionRow::kind,
          "thinking, text, call, failure, compaction, or note: a command to the "
          "agent's program, or its mark");
    visit("time", &ActionRow::time, "when it was recorded");
    visit("text", &ActionRow::text, "the beginning of a thought, an answer or a failure");
    visit("tool", &ActionRow::tool, "of a call: the tool, as the agent names it");
    visit("target", &ActionRow::target, "of a call: what it is about");
    visit("outcome", &ActionRow::outcome, "of a call: ok, failed, refused or unanswered");
    visit("exit_code", &ActionRow::exit_code, "of a command, where it is known");
    visit("duration_ms", &ActionRow::duration_ms, "milliseconds from the call to its result");
    visit("lines_added", &ActionRow::lines_added, "of an edit, where they are known");
    visit("lines_removed", &ActionRow::lines_removed, "of an edit, where they are known");
    visit("commit", &ActionRow::commit, "the commit; of a call its result, if it has one");
  }
};

/// A row of `spoor requests`: a request, and the agent's actions after it.
struct RequestRow {
  std::uint64_t number = 0;
  std::optional<Oid> commit;
  std::optional<std::uint64_t> position;
  std::optional<Timestamp> time, ended;
  std::string text;
  std::uint64_t calls = 0, failed_calls = 0;
  std::uint64_t output_tokens = 0;
  std::optional<llm::Money> cost_usd;
  bool is_complete = true;
  std::vector<ActionRow> actions;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("number", &RequestRow::number, "1 is the first of the session; 0 is what precedes it");
    visit("commit", &RequestRow::commit, "the user's turn");
    visit("position", &RequestRow::position, "its place on the line, from 0");
    visit("time", &RequestRow::time, "when it was asked for");
    visit("ended", &RequestRow::ended, "the last time before the next request");
    visit("text", &RequestRow::text, "its beginning");
    visit("calls", &RequestRow::calls, "tool calls");
    visit("failed_calls", &RequestRow::failed_calls, "of these, failed or refused");
    visit("output_tokens", &RequestRow::output_tokens, "tokens of the answers, where known");
    visit("cost_usd", &RequestRow::cost_usd, "US dollars, as stated or by list price");
    visit("is_complete", &RequestRow::is_complete, "false if an answer has no counts or no price");
    visit("actions", &RequestRow::actions,
          "what the agent thought, wrote and called, in order; none with --brief");
  }
};

/// Lists the requests of a session, newest first, each with the agent's actions in order.
extern const Listing<RequestsQuery, RequestRow> kRequests;

}  // namespace spoor::api
