#pragma once

#include "api/command.h"

namespace spoor::api {

/// The parameters of `spoor turns`.
struct TurnsQuery {
  std::string revision;
  std::optional<std::uint64_t> from, limit, chars;

  template <class Visit>
  static void parameters(Visit&& visit) {
    visit(Parameter{"revision", "REV", "a session, or its history up to a commit (default: HEAD)",
                    0, Takes::revision},
          &TurnsQuery::revision);
    visit(Parameter{"--from", "N", "begin at this position; 0 is the oldest (default: the last)", 0,
                    Takes::number},
          &TurnsQuery::from);
    visit(Parameter{"--limit", "N", "at most N commits, 1000 at most (default: 100)", 'n',
                    Takes::number},
          &TurnsQuery::limit);
    visit(
        Parameter{"--chars", "N", "at most N bytes of each text (default: 4000)", 0, Takes::number},
        &TurnsQuery::chars);
  }
};

/// A file that a call changed.
struct TurnEdit {
  std::string path, diff;
  std::optional<std::int64_t> lines_added, lines_removed;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("path", &TurnEdit::path, "the file, as the call names it");
    visit("lines_added", &TurnEdit::lines_added, "lines it added, where they are known");
    visit("lines_removed", &TurnEdit::lines_removed, "lines it removed, where they are known");
    visit("diff", &TurnEdit::diff, "lines of a unified diff; empty if nothing shows the change");
  }
};

/// A call that a turn asks for, or the one whose result it is.
struct TurnCall {
  std::string id, tool, target, arguments, outcome;
  std::optional<std::int64_t> exit_code, duration_ms;
  std::optional<std::uint64_t> position;
  std::string child_run;
  std::vector<TurnEdit> edits;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("id", &TurnCall::id, "the provider's id of the call");
    visit("tool", &TurnCall::tool, "the tool, as the agent names it");
    visit("target", &TurnCall::target, "what the call is about");
    visit("arguments", &TurnCall::arguments, "its arguments, cut at --chars");
    visit("outcome", &TurnCall::outcome, "ok, failed, refused or unanswered");
    visit("exit_code", &TurnCall::exit_code, "of a command, where it is known");
    visit("duration_ms", &TurnCall::duration_ms, "milliseconds from the call to its result");
    visit("position", &TurnCall::position,
          "of a call: the position of its result; of a result: of the answer that asked");
    visit("child_run", &TurnCall::child_run, "the run of the agent that was called; may be empty");
    visit("edits", &TurnCall::edits, "of a result: the files that the call changed");
  }
};

/// A picture or file of a turn.
struct TurnContent {
  Oid hash;
  std::string media_type;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("hash", &TurnContent::hash, "its content");
    visit("media_type", &TurnContent::media_type, "as the source names it");
  }
};

/// A row of `spoor turns`: one commit of a line.
struct TurnRow {
  std::uint64_t position = 0;
  Oid commit;
  std::string kind;
  std::optional<Timestamp> time;
  std::string author, model, text;
  std::uint64_t text_bytes = 0;
  bool is_injected = false, is_error = false, is_absent = false, is_erased = false;
  std::string decision, priority;
  bool edited = false, summarised = false;
  std::vector<TurnCall> calls;
  std::vector<TurnContent> attach;
  std::vector<Oid> targets;
  bool ends_answer = false;
  std::optional<std::int64_t> duration_ms;
  std::optional<std::uint64_t> input_tokens, cache_read_tokens, cache_write_tokens, output_tokens;
  std::optional<llm::Money> cost_usd;
  std::string finish_reason;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("position", &TurnRow::position, "its place on the line, from 0");
    visit("commit", &TurnRow::commit, "the commit");
    visit("kind", &TurnRow::kind, "user, reasoning, assistant, tool, …, edit, annotate, merge");
    visit("time", &TurnRow::time, "when it was recorded");
    visit("author", &TurnRow::author, "who wrote it");
    visit("model", &TurnRow::model, "the model, of what a model wrote");
    visit("text", &TurnRow::text, "its text, cut at --chars");
    visit("text_bytes", &TurnRow::text_bytes, "the size of the whole text");
    visit("is_injected", &TurnRow::is_injected, "a program wrote this turn of the user");
    visit("is_error", &TurnRow::is_error, "a result that is marked as an error");
    visit("is_absent", &TurnRow::is_absent, "its text is not in this store");
    visit("is_erased", &TurnRow::is_erased, "its text was erased");
    visit("decision", &TurnRow::decision, "of a decision, its word");
    visit("priority", &TurnRow::priority, "skip, normal or pinned, as set; empty: not set");
    visit("edited", &TurnRow::edited, "a later edit replaces its text");
    visit("summarised", &TurnRow::summarised, "a later summary replaces it");
    visit("calls", &TurnRow::calls, "the calls that it asks for, or the one that it answers");
    visit("attach", &TurnRow::attach, "pictures and files");
    visit("targets", &TurnRow::targets, "of an edit, an annotation or a summary: its turns");
    visit("ends_answer", &TurnRow::ends_answer, "the last commit of a model's answer");
    visit("duration_ms", &TurnRow::duration_ms, "milliseconds of the answer, or of the call");
    visit("input_tokens", &TurnRow::input_tokens, "of the answer: sent, not from a cache");
    visit("cache_read_tokens", &TurnRow::cache_read_tokens, "of the answer: read from a cache");
    visit("cache_write_tokens", &TurnRow::cache_write_tokens, "of the answer: written to a cache");
    visit("output_tokens", &TurnRow::output_tokens, "of the answer: generated");
    visit("cost_usd", &TurnRow::cost_usd, "US dollars of the answer, as stated or by list price");
    visit("finish_reason", &TurnRow::finish_reason, "of the answer: the provider's word");
  }
};

/// Lists a part of a line by position, oldest first. Costs the part, not the line.
extern const Listing<TurnsQuery, TurnRow> kTurns;

}  // namespace spoor::api
