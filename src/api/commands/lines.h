#pragma once

#include "api/command.h"

namespace spoor::api {

/// The parameters of `spoor lines`.
struct LinesQuery {
  std::vector<std::string> revisions;

  template <class Visit>
  static void parameters(Visit&& visit) {
    visit(Parameter{"revision", "REV", "a session, for all its branches; a branch or a commit", 0,
                    Takes::revision, Count::some},
          &LinesQuery::revisions);
  }
};

/// A row of `spoor lines`: a branch, or the history of a commit.
struct LineRow {
  std::string name;
  Oid head;
  std::uint64_t length = 0, own = 0;
  std::optional<std::string> parts_from;
  std::uint64_t parts_at = 0;
  std::optional<Oid> base;
  std::optional<Timestamp> started, ended;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("name", &LineRow::name, "the branch, or the revision as it was given");
    visit("head", &LineRow::head, "its last commit");
    visit("length", &LineRow::length, "its commits");
    visit("own", &LineRow::own, "of these, those that no earlier row has");
    visit("parts_from", &LineRow::parts_from, "the earlier row that it shares most commits with");
    visit("parts_at", &LineRow::parts_at, "the position of its first own commit");
    visit("base", &LineRow::base, "the last commit that it shares with that row");
    visit("started", &LineRow::started, "the time of its first own commit");
    visit("ended", &LineRow::ended, "the time of its last commit");
  }
};

/// Lists lines and where they part. Costs a few reads for each pair of lines, not the lines.
extern const Listing<LinesQuery, LineRow> kLineList;

}  // namespace spoor::api
