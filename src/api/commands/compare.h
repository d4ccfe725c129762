#pragma once

#include "api/command.h"

namespace spoor::api {

/// The parameters of `spoor compare`.
struct CompareQuery {
  std::string before, after;
  bool all = false;
  std::vector<std::string> tree;
  std::string dataset;
  std::vector<std::string> k;

  template <class Visit>
  static void parameters(Visit&& visit) {
    visit(Parameter{"before", "A", "a session, or its history up to a commit", 0, Takes::revision},
          &CompareQuery::before);
    visit(Parameter{"after", "B", "the session or revision to compare with", 0, Takes::revision},
          &CompareQuery::after);
    visit(Parameter{"--all", "", "also what both did the same; of trees, each attempt"},
          &CompareQuery::all);
    visit(Parameter{"--tree", "TREE", "the models of this tree of attempts; may be given again", 0,
                    Takes::text, Count::many},
          &CompareQuery::tree);
    visit(Parameter{"--dataset", "NAME", "the models of all trees of this data set"},
          &CompareQuery::dataset);
    visit(Parameter{"--k", "K", "estimate pass@K (default: 1 and all); may be given again", 0,
                    Takes::positive, Count::many},
          &CompareQuery::k);
  }
};

/// A row of `spoor compare`: a call or text of one attempt, or two that match.
struct ComparedRow {
  std::string change;  ///< same, changed, removed (only A) or added (only B)
  std::string tool, target;
  std::optional<std::string> outcome_before, outcome_after;
  std::optional<Oid> before, after;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("change", &ComparedRow::change,
          "same; changed (other arguments, outcome or text); removed: only in A; added: only in B");
    visit("tool", &ComparedRow::tool,
          "the tool, as the agent names it; system or answer for a text");
    visit("target", &ComparedRow::target, "what the call is about; of a text its beginning");
    visit("outcome_before", &ComparedRow::outcome_before, "the outcome in A");
    visit("outcome_after", &ComparedRow::outcome_after, "the outcome in B");
    visit("before", &ComparedRow::before, "the commit of the result in A");
    visit("after", &ComparedRow::after, "the commit of the result in B");
  }
};

/// Compares the tool calls of two attempts by tool, target and content. Leaves out the history that
/// they share.
extern const Listing<CompareQuery, ComparedRow> kCompare;

}  // namespace spoor::api
