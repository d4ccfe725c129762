#pragma once

#include "api/command.h"

namespace spoor::api {

/// The parameters of `spoor trees`.
struct TreesQuery {
  std::string dataset;
  std::optional<std::uint64_t> limit;

  template <class Visit>
  static void parameters(Visit&& visit) {
    visit(Parameter{"--dataset", "NAME", "only trees of this data set"}, &TreesQuery::dataset);
    visit(Parameter{"--limit", "N", "at most N trees", 'n', Takes::number}, &TreesQuery::limit);
  }
};

/// A row of `spoor trees`.
struct TreeRow {
  std::string tree;
  Oid commit, base;
  std::uint64_t position = 0;
  std::optional<Timestamp> time;
  std::string goal, dataset;
  std::vector<std::string> models;
  std::uint64_t attempts = 0, ended = 0, judged = 0, passes = 0, tokens = 0;
  std::optional<llm::Money> cost_usd;
  bool is_complete = true;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("tree", &TreeRow::tree, "its id");
    visit("commit", &TreeRow::commit, "where its branches begin");
    visit("base", &TreeRow::base, "the turn that the attempts go on from");
    visit("position", &TreeRow::position, "the position of the base");
    visit("time", &TreeRow::time, "when it was made");
    visit("goal", &TreeRow::goal, "the request that the attempts answer");
    visit("dataset", &TreeRow::dataset, "the data set that it runs an item of; may be empty");
    visit("models", &TreeRow::models, "the models, PROVIDER/MODEL");
    visit("attempts", &TreeRow::attempts, "attempts, without those whose branch was deleted");
    visit("ended", &TreeRow::ended, "of these, how many have ended");
    visit("judged", &TreeRow::judged, "of these, how many were judged");
    visit("passes", &TreeRow::passes, "of these, how many pass");
    visit("tokens", &TreeRow::tokens, "tokens of requests and answers");
    visit("cost_usd", &TreeRow::cost_usd, "US dollars, the known part; null: unknown");
    visit("is_complete", &TreeRow::is_complete, "false if a part of the cost is unknown");
  }
};

/// Lists the trees of attempts that still have a branch, the newest first. Reads the runs of each.
extern const Listing<TreesQuery, TreeRow> kTrees;

}  // namespace spoor::api
