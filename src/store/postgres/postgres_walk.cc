// Histories of a store in PostgreSQL, which the server follows.

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "store/commit_head.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/stored_rows.h"

namespace spoor::store {
namespace {

using postgres::kRebuild;
using postgres::oid_at;
using postgres::row_at;
using postgres::Rows;
using postgres::StoredRow;

constexpr std::size_t kContentsAtOnce = 32U << 20U;  // In one answer, in bytes.

// A history with the contents of its first commits, up to $5 bytes, and with their fields, whose
// names are in the line after '\nfields '.
constexpr auto kWalk = R"(
  WITH RECURSIVE walk(place, oid, parent, content, body) AS (
    SELECT 1, oid, parent, content, body FROM spoor.objects
    WHERE store = $1 AND oid = $2 AND kind = $3
    UNION ALL
    SELECT w.place + 1, o.oid, o.parent, o.content, o.body
    FROM walk w CROSS JOIN LATERAL (
      SELECT * FROM spoor.objects WHERE store = $1 AND oid = w.parent AND kind = $3 LIMIT 1) o
    WHERE w.place < $4),
  named AS (
    SELECT w.*, CASE WHEN $5 > 0 THEN position('\x0a6669656c647320'::bytea IN w.body) END AS at
    FROM walk w ORDER BY place),
  sized AS (
    SELECT n.*, c.kind AS content_kind, c.body AS text, coalesce(sum(octet_length(c.body)) OVER (
        ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) < $5 AS is_given,
      CASE WHEN at > 0 THEN encode(substring(n.body FROM at + 8 FOR 64), 'escape') END AS fields
    FROM named n LEFT JOIN LATERAL (
      SELECT * FROM spoor.objects WHERE $5 > 0 AND store = $1 AND oid = n.content LIMIT 1) c
      ON true)
  SELECT s.oid, s.body, s.parent, s.content, octet_length(text)::int8,
    CASE WHEN is_given THEN content_kind END, CASE WHEN is_given THEN text END, f.kind, f.body, f.oid
  FROM sized s LEFT JOIN LATERAL (
    SELECT * FROM spoor.objects WHERE is_given AND store = $1
      AND oid = CASE WHEN s.fields ~ '^[0-9a-f]{64}$' THEN decode(s.fields, 'hex') END LIMIT 1) f
    ON true
  ORDER BY place)";

// The way from a commit to its ancestor $4 steps back: `next` is where a commit leads to, and
// `goal` the depth of that ancestor. It computes skips_toward() and skip_height() (store/commit.h).
constexpr auto kWay = R"(
  WITH RECURSIVE way(place, oid, body, next, goal) AS (
    SELECT 0, NULL::bytea, NULL::bytea, $2, NULL::int8
    UNION ALL
    SELECT w.place + 1, o.oid, o.body,
      CASE WHEN line.depth > goals.goal AND goals.goal >= 0 THEN
        CASE WHEN line.depth >= 2 AND heights.own >= goals.goal AND NOT (heights.own > goals.goal
            AND heights.parents >= goals.goal AND heights.parents + 2 < heights.own)
          THEN coalesce(line.skip, o.parent) ELSE o.parent END END,
      goals.goal
    FROM way w
    CROSS JOIN LATERAL (
      SELECT oid, parent, body, encode(substring(body FROM 1 FOR 400), 'escape') AS head
      FROM spoor.objects WHERE store = $1 AND oid = w.next AND kind = $3 LIMIT 1) o
    CROSS JOIN LATERAL (
      SELECT substring(o.head FROM '\ndepth ([0-9]{1,18})\n')::int8 AS depth,
        decode(substring(o.head FROM '\nskip ([0-9a-f]{64})\n'), 'hex') AS skip) line
    CROSS JOIN LATERAL (SELECT coalesce(w.goal, line.depth - $4) AS goal) goals
    CROSS JOIN LATERAL (
      SELECT max(height) FILTER (WHERE d = line.depth) AS own,
        max(height) FILTER (WHERE d < line.depth) AS parents
      FROM (SELECT d, CASE WHEN d < 2 THEN 0 WHEN d & 1 = 0 THEN d & (d - 1)
              ELSE ((d - 1) & (d - 2) & (((d - 1) & (d - 2)) - 1)) + 1 END AS height
            FROM (VALUES (line.depth), (line.depth - 1)) v(d)) h) heights
    WHERE w.place < $5)
  SELECT oid, body FROM way WHERE place > 0 ORDER BY place)";

// Checks what kWalk goes by: who hashes its commits must know that each is the parent of the one
// before.
Result<void> check_columns(const Rows& rows, std::size_t row) {
  const std::string_view body = rows.bytes(row, 1);
  if (rows.oid(row, 2) == first_parent_of(body) && rows.oid(row, 3) == content_of(body)) return {};
  return corrupt(fmt::format("the columns of commit {} are not what it says",
                             TRY(oid_at(rows, row, 0)).hex(12)),
                 kRebuild);
}

}  // namespace

// Asks for the beginning, then for the rest in large parts; with contents at once for all. Those
// that are too many for one answer are asked for in parts of a bounded size.
Result<void> PostgresStore::run(const Oid& from, std::size_t count, std::size_t contents,
                                const RunVisitor& visit) const {
  constexpr std::size_t kFirst = 64;
  constexpr std::size_t kMost = 16'384;
  std::optional<Oid> next = from;
  for (std::size_t stride = contents > 0 ? kMost : kFirst; next && count > 0; stride = kMost) {
    const std::size_t asked = std::min(count, stride);
    const Rows rows =
        TRY(ask_one(about(kWalk)
                        .add(*next)
                        .add(static_cast<std::int64_t>(Kind::commit))
                        .add(static_cast<std::int64_t>(asked))
                        .add(static_cast<std::int64_t>(std::min(contents, kContentsAtOnce)))));
    if (!TRY(visit_run(rows, contents, visit))) return {};
    next = rows.size() < asked ? std::nullopt : rows.oid(rows.size() - 1, 2);
    count -= asked;
  }
  return {};
}

Result<void> PostgresStore::follow(const Oid& from, std::uint64_t steps,
                                   const RunVisitor& visit) const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const Rows rows = TRY(ask_one(about(kWay)
                                    .add(from)
                                    .add(static_cast<std::int64_t>(Kind::commit))
                                    .add(static_cast<std::int64_t>(std::min(steps, kMost)))
                                    .add(static_cast<std::int64_t>(kLongestWay))));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!visit({TRY(oid_at(rows, i, 0)), rows.bytes(i, 1), nullptr})) return {};
  }
  return {};
}

// Visits rows of kWalk, and takes the contents' bytes from `contents`. False: the visitor wants no
// more.
Result<bool> PostgresStore::visit_run(const Rows& rows, std::size_t& contents,
                                      const RunVisitor& visit) const {
  std::vector<StoredRow> given;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows.is_null(i, 5)) given.push_back(TRY(row_at(rows, i, 3, 5)));
    if (!rows.is_null(i, 7)) given.push_back(TRY(row_at(rows, i, 9, 7)));
  }
  TRY(learn(given));
  for (std::size_t begin = 0; begin < rows.size();) {
    std::vector<Oid> missing;  // They did not fit into the answer.
    std::size_t end = begin;
    std::size_t left = contents;
    for (std::size_t bytes = 0; end < rows.size() && bytes < kContentsAtOnce; ++end) {
      const auto content = rows.oid(end, 3);
      if (left == 0 || !content || rows.is_null(end, 4)) continue;
      const auto size = static_cast<std::size_t>(rows.number(end, 4));
      left -= std::min(left, seals_ == nullptr ? size : postgres::least_text_of(size));
      if (!rows.is_null(end, 5)) continue;
      missing.push_back(*content);
      bytes += size;
    }
    auto found = TRY(get(missing, Unopened::is_absent));
    for (std::size_t next = 0; begin < end; ++begin) {
      TRY(check_columns(rows, begin));
      std::optional<Object> content;
      std::optional<Object> fields;
      if (!rows.is_null(begin, 5))
        content = TRY(readable(TRY(row_at(rows, begin, 3, 5)), Unopened::is_absent));
      if (!rows.is_null(begin, 7))
        fields = TRY(readable(TRY(row_at(rows, begin, 9, 7)), Unopened::is_absent));
      const bool is_missing = next < missing.size() && rows.oid(begin, 3) == missing[next];
      if (!content && is_missing) content = std::move(found[next++]);
      if (contents == 0) content.reset();
      if (content) contents -= std::min(contents, content->body.size());
      if (!visit({TRY(oid_at(rows, begin, 0)), rows.bytes(begin, 1), content ? &*content : nullptr,
                  fields ? &*fields : nullptr})) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace spoor::store
