#pragma once

#include "api/session.h"

namespace spoor::api {

/// The parameters of `spoor cost`.
struct CostQuery {
  std::vector<std::string> by;
  std::optional<Timestamp> since;
  std::string project, agent, model;

  template <class Visit>
  static void parameters(Visit&& visit) {
    visit(
        Parameter{"--by", "WHAT",
                  "a row for each day, model, project or agent (default: day); may be given again",
                  0, Takes::choice, Count::many, "day|model|project|agent"},
        &CostQuery::by);
    visit(Parameter{"--since", "TIME", "only days from this one on", 0, Takes::time},
          &CostQuery::since);
    visit(Parameter{"--project", "TEXT", "only sessions whose folder contains this"},
          &CostQuery::project);
    visit(Parameter{"--agent", "NAME", "only sessions of this agent"}, &CostQuery::agent);
    visit(Parameter{"--model", "TEXT", "only models whose name contains this"}, &CostQuery::model);
  }
};

/// A row of `spoor cost`.
struct CostRow {
  std::optional<std::string> day, model, project, agent;
  std::uint64_t sessions = 0, answers = 0;
  std::uint64_t input_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0, output_tokens = 0;
  std::optional<llm::Money> cost_usd;
  bool is_complete = true;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("day", &CostRow::day,
          "the day in UTC; empty if not known, null if costs are not listed by day");
    visit("model", &CostRow::model, "the model, likewise");
    visit("project", &CostRow::project, "the folder, likewise; empty if it is not known");
    visit("agent", &CostRow::agent, "the agent, likewise");
    visit("sessions", &CostRow::sessions, "how many sessions are in it");
    visit("answers", &CostRow::answers, "answers of models");
    visit("input_tokens", &CostRow::input_tokens, "tokens sent, without those from caches");
    visit("cache_read_tokens", &CostRow::cache_read_tokens, "tokens read from caches");
    visit("cache_write_tokens", &CostRow::cache_write_tokens, "tokens written to caches");
    visit("output_tokens", &CostRow::output_tokens, "tokens of answers, with their reasoning");
    visit("cost_usd", &CostRow::cost_usd, "US dollars, as stated or by list price");
    visit("is_complete", &CostRow::is_complete, "false if an answer has no counts or no price");
  }
};

/// Adds up the tokens and costs of sessions. Days are listed newest first, other rows by cost,
/// highest first.
extern const Listing<CostQuery, CostRow> kCost;

}  // namespace spoor::api
