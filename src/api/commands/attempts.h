#pragma once

#include "api/command.h"
#include "api/commands/compare.h"

namespace spoor::api {

/// An estimate of pass@k.
struct PassAtK {
  std::uint64_t k = 0;
  double value = 0, low = 0, high = 0;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("k", &PassAtK::k, "the number of attempts of which one must pass");
    visit("value", &PassAtK::value, "the unbiased estimate; the mean over tasks");
    visit("low", &PassAtK::low, "the lower bound of the 95 % bootstrap interval");
    visit("high", &PassAtK::high, "the upper bound of the 95 % bootstrap interval");
  }
};

/// One attempt of a tree.
struct AttemptRow {
  std::string tree;
  std::uint64_t number = 0;
  std::string branch;
  std::optional<std::string> run;
  std::string state, stopped, by, verdict;
  std::optional<Oid> end, answer;
  std::uint64_t steps = 0, tokens = 0;
  std::optional<llm::Money> cost_usd;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("tree", &AttemptRow::tree, "the id of its tree");
    visit("number", &AttemptRow::number, "its number in the tree, from 1");
    visit("branch", &AttemptRow::branch, "its branch");
    visit("run", &AttemptRow::run, "the id of its run; null: not begun");
    visit("state", &AttemptRow::state, "waiting, unfinished, ended, or dropped with its branch");
    visit("stopped", &AttemptRow::stopped, "how it ended, as of a run; empty: it has not");
    visit("by", &AttemptRow::by, "what ended it: final_answer, no-recorded-result, …");
    visit("verdict", &AttemptRow::verdict, "pass, fail or unjudged");
    visit("end", &AttemptRow::end, "the commit that is judged; null: it has not ended");
    visit("answer", &AttemptRow::answer, "the model's last answer");
    visit("steps", &AttemptRow::steps, "answers of the model");
    visit("tokens", &AttemptRow::tokens, "tokens of requests and answers");
    visit("cost_usd", &AttemptRow::cost_usd, "US dollars; null: unknown");
  }
};

/// The sums over the attempts of one model.
struct VariantRow {
  std::string model;
  std::uint64_t tasks = 0, attempts = 0, ended = 0, judged = 0, passes = 0;
  std::vector<PassAtK> pass_at_k;
  std::uint64_t tokens = 0;
  std::optional<llm::Money> cost_usd;
  bool is_complete = true;
  std::optional<llm::Money> cost_per_pass_usd;
  std::vector<AttemptRow> rows;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("model", &VariantRow::model, "the model, PROVIDER/MODEL");
    visit("tasks", &VariantRow::tasks, "trees; for a data set one for each item");
    visit("attempts", &VariantRow::attempts, "attempts, without those whose branch was deleted");
    visit("ended", &VariantRow::ended, "of these, how many have ended");
    visit("judged", &VariantRow::judged, "of these, how many were judged");
    visit("passes", &VariantRow::passes, "of these, how many pass");
    visit("pass_at_k", &VariantRow::pass_at_k, "for each k that the judged attempts allow");
    visit("tokens", &VariantRow::tokens, "tokens of requests and answers");
    visit("cost_usd", &VariantRow::cost_usd, "US dollars, the known part; null: unknown");
    visit("is_complete", &VariantRow::is_complete, "false if a part of the cost is unknown");
    visit("cost_per_pass_usd", &VariantRow::cost_per_pass_usd,
          "cost_usd for each pass; null: no pass, or no cost");
    visit("rows", &VariantRow::rows, "its attempts");
  }
};

/// Compares the models of a tree of attempts, or of a data set: passes, pass@k, tokens and cost.
extern const Listing<CompareQuery, VariantRow> kCompareTree;

/// Makes the Command `compare`, which lists calls, or models with `--tree` or `--dataset`.
Command compare_command();

/// Reports whether the line asks for kCompareTree.
bool compares_attempts(const Arguments& arguments);

}  // namespace spoor::api
