#include "store/sqlite/rebuild.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "store/commit_head.h"
#include "store/sqlite/audit.h"
#include "store/sqlite/local_facts.h"
#include "store/sqlite/names.h"
#include "store/sqlite/objects.h"

namespace spoor::store::sqlite {
namespace {

// Assigned places are never this far below zero, nor this large.
constexpr Handle kMostBelow = Handle{1} << 62U;

struct Placed {
  Handle place = 0;
  Oid oid;
  std::optional<Oid> parent;
  Handle new_place = 0;  // 0 until assigned.
};

Result<std::vector<Placed>> all_commits(Connection& connection) {
  std::vector<Placed> commits;
  TRY(each_commit(connection, [&](Handle place, const CommitRow& found) {
    commits.push_back({place, found.oid, first_parent_of(found.body)});
    return true;
  }));
  return commits;
}

// Assigns every commit its place by the rule of place_for(), parents first.
class Planner {
 public:
  explicit Planner(std::vector<Placed>& commits) : commits_(commits) {
    for (std::size_t i = 0; i < commits_.size(); ++i) by_oid_.emplace(commits_[i].oid, i);
  }

  void plan() {
    for (std::size_t i = 0; i < commits_.size(); ++i) {
      // Climb to the nearest ancestor with a place, then assign places on the way down. Only forged
      // rows can form a cycle, which is cut where it closes.
      std::vector<std::size_t> line;
      std::optional<std::size_t> at = i;
      while (at && commits_[*at].new_place == 0 && line.size() <= commits_.size()) {
        line.push_back(*at);
        at = parent_of(*at);
      }
      for (; !line.empty(); line.pop_back()) {
        if (commits_[line.back()].new_place == 0) give_place(line.back());
      }
    }
  }

 private:
  std::optional<std::size_t> parent_of(std::size_t i) const {
    if (!commits_[i].parent) return std::nullopt;
    const auto found = by_oid_.find(*commits_[i].parent);
    if (found == by_oid_.end()) return std::nullopt;
    return found->second;
  }

  void give_place(std::size_t i) {
    const auto parent = parent_of(i);
    const Handle behind = parent ? commits_[*parent].new_place : 0;
    Handle& last = behind != 0 ? last_of_[segment_of(behind)] : none_;
    Handle& place = commits_[i].new_place;
    if (behind != 0 && last == behind) {
      place = last = behind + 1;
    } else {
      place = first_of_segment(++segments_);
      last_of_[segments_] = place;
    }
  }

  std::vector<Placed>& commits_;
  std::unordered_map<Oid, std::size_t> by_oid_;
  std::unordered_map<Handle, Handle> last_of_;  // The last place of each segment.
  Handle segments_ = 0;
  Handle none_ = 0;
};

Result<void> place_anew(Connection& connection) {
  std::vector<Placed> commits = TRY(all_commits(connection));
  Planner(commits).plan();
  // Moves all via unused places below the lowest existing one, to avoid conflicts.
  Handle lowest = 0;
  for (const Placed& each : commits) lowest = std::min(lowest, each.place);
  if (lowest < -kMostBelow) {
    return corrupt(fmt::format("a commit has the place {}", lowest),
                   "restore the store from a copy");
  }
  for (const Placed& each : commits) {
    Statement row = TRY(connection.use(Query::move_commit));
    TRY(connection.run(row.bind(1, each.place).bind(2, lowest - each.new_place)));
  }
  return connection.execute(
      fmt::format("UPDATE commits SET place={0}-place WHERE place<{0}", lowest));
}

Result<void> name_rows(Connection& connection, Query keys_query) {
  Statement keys = TRY(connection.use(keys_query));
  keys.bind(1, kBeforeAll);
  while (TRY(connection.next(keys))) {
    const Handle handle = keys.integer(0);
    if (const auto oid = TRY(oid_of_row(connection, handle))) {
      TRY(add_name(connection, {*oid, handle}));
    }
  }
  return {};
}

// Drops what operations carry, in every row. It does not first select the rows that carry
// something: SQLite allows no more writes in a transaction that has read damage, and unread data
// does no harm. Skips rows with a column of the wrong type, which fsck reports: SQLite would not
// write their other columns either.
constexpr const char* kDropCarried =
    "UPDATE operations SET {} WHERE typeof(name)='blob' AND typeof(codec)='integer'"
    " AND typeof(size)='integer' AND typeof(body)='blob'";

}  // namespace

Result<void> rebuild(Connection& connection, std::span<const Salvaged> arrived, RefCache& refs) {
  if (!TRY(are_places_sound(connection))) TRY(place_anew(connection));
  TRY(connection.execute("DELETE FROM names; DELETE FROM derived; DELETE FROM refs"));
  TRY(seal_local_facts(connection));
  const bool has_objects = TRY(takes_arrivals(connection));
  TRY(connection.execute(
      fmt::format(kDropCarried, has_objects ? "names=x'',objects=x''" : "names=x''")));
  TRY(set_indexed_to_newest(connection));
  TRY(name_rows(connection, Query::objects_from));
  TRY(name_rows(connection, Query::commits_from));
  TRY(add_salvaged(connection, arrived));
  TRY(refs.catch_up(connection));
  return refs.write_whole_snapshot(connection);
}

}  // namespace spoor::store::sqlite
