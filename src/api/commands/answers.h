#pragma once

#include "api/command.h"

namespace spoor::api {

/// The parameters of `spoor answers`.
struct AnswersQuery {
  std::string revision, by;
  std::optional<std::uint64_t> limit;

  template <class Visit>
  static void parameters(Visit&& visit) {
    visit(Parameter{"revision", "REV", "a session, or its history up to a commit (default: HEAD)",
                    0, Takes::revision},
          &AnswersQuery::revision);
    visit(Parameter{"--by", "WHAT",
                    "those with the most of this first (default: time, the newest first)", 0,
                    Takes::choice, Count::optional, "time|cost|output|prompt|duration"},
          &AnswersQuery::by);
    visit(Parameter{"--limit", "N", "at most N answers (default: 20)", 'n', Takes::number},
          &AnswersQuery::limit);
  }
};

/// A row of `spoor answers`: an answer of a model.
struct AnswerRow {
  std::uint64_t position = 0;
  Oid commit;
  std::optional<Timestamp> time;
  std::string model, text;
  std::uint64_t calls = 0;
  std::optional<std::int64_t> duration_ms;
  std::optional<std::uint64_t> input_tokens, cache_read_tokens, cache_write_tokens, output_tokens;
  std::optional<std::uint64_t> prompt_tokens;
  std::optional<llm::Money> cost_usd;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("position", &AnswerRow::position, "the place of its last commit on the line, from 0");
    visit("commit", &AnswerRow::commit, "its last commit");
    visit("time", &AnswerRow::time, "when that was recorded");
    visit("model", &AnswerRow::model, "the model; may be empty");
    visit("text", &AnswerRow::text, "the beginning of its text; empty if it only calls tools");
    visit("calls", &AnswerRow::calls, "the calls that it asks for");
    visit("duration_ms", &AnswerRow::duration_ms, "milliseconds until it was complete");
    visit("input_tokens", &AnswerRow::input_tokens, "tokens sent, not from a cache");
    visit("cache_read_tokens", &AnswerRow::cache_read_tokens, "tokens read from a cache");
    visit("cache_write_tokens", &AnswerRow::cache_write_tokens, "tokens written to a cache");
    visit("output_tokens", &AnswerRow::output_tokens, "tokens generated");
    visit("prompt_tokens", &AnswerRow::prompt_tokens, "tokens of the request in all");
    visit("cost_usd", &AnswerRow::cost_usd, "US dollars, as stated or by list price");
  }
};

/// Lists the answers of a line, in the order that is asked for. An answer whose number is unknown
/// comes last.
extern const Listing<AnswersQuery, AnswerRow> kAnswers;

}  // namespace spoor::api
