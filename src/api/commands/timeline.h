#pragma once

#include "api/command.h"

namespace spoor::api {

/// The parameters of `spoor timeline`.
struct TimelineQuery {
  std::string revision;
  std::optional<std::uint64_t> buckets;

  template <class Visit>
  static void parameters(Visit&& visit) {
    visit(Parameter{"revision", "REV", "a session, or its history up to a commit (default: HEAD)",
                    0, Takes::revision},
          &TimelineQuery::revision);
    visit(Parameter{"--buckets", "N", "at most N rows (default: 20)", 0, Takes::positive},
          &TimelineQuery::buckets);
  }
};

/// A row of `spoor timeline`: a piece of a line.
struct TimelineRow {
  std::uint64_t from = 0, to = 0;
  std::optional<Timestamp> started, ended;
  std::uint64_t requests = 0, answers = 0, calls = 0, failed_calls = 0, decisions = 0;
  std::uint64_t failed_requests = 0, compactions = 0;
  std::int64_t model_ms = 0, tool_ms = 0;
  std::uint64_t input_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0, output_tokens = 0;
  std::uint64_t largest_prompt = 0;
  std::optional<llm::Money> cost_usd;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("from", &TimelineRow::from, "the position of its first commit");
    visit("to", &TimelineRow::to, "the position of its last commit");
    visit("started", &TimelineRow::started, "the first time in it");
    visit("ended", &TimelineRow::ended, "the last time in it");
    visit("requests", &TimelineRow::requests, "requests of the user");
    visit("answers", &TimelineRow::answers, "answers of models");
    visit("calls", &TimelineRow::calls, "tool calls with a result");
    visit("failed_calls", &TimelineRow::failed_calls, "of these, failed or refused");
    visit("failed_requests", &TimelineRow::failed_requests, "requests that no model answered");
    visit("decisions", &TimelineRow::decisions, "decisions of the agent or its runtime");
    visit("compactions", &TimelineRow::compactions, "summaries that replaced turns");
    visit("model_ms", &TimelineRow::model_ms, "milliseconds until models had answered");
    visit("tool_ms", &TimelineRow::tool_ms, "milliseconds until tools had answered");
    visit("input_tokens", &TimelineRow::input_tokens, "tokens sent, not from a cache");
    visit("cache_read_tokens", &TimelineRow::cache_read_tokens, "tokens read from caches");
    visit("cache_write_tokens", &TimelineRow::cache_write_tokens, "tokens written to caches");
    visit("output_tokens", &TimelineRow::output_tokens, "tokens of the answers");
    visit("largest_prompt", &TimelineRow::largest_prompt, "tokens of the largest request");
    visit("cost_usd", &TimelineRow::cost_usd, "US dollars, as stated or by list price");
  }
};

/// Lists a line in pieces of equal length, oldest first: what each took and what failed in it.
extern const Listing<TimelineQuery, TimelineRow> kTimeline;

}  // namespace spoor::api
