// Rows on a server that somebody changed: fsck names each, and who reads gets what was written, or
// an error.
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "store/ancestry.h"
#include "store/fsck.h"
#include "store/operation_walk.h"
#include "store/postgres/postgres_store.h"
#include "store/revision.h"
#include "tests/store/postgres_server.h"
#include "tests/store/postgres_sql.h"
#include "tests/store/sample.h"
#include "tests/store/sound.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

constexpr int kMainTurns = 20;
constexpr int kFork = 7;

// A branch, and one that begins at one of its turns.
struct Written {
  explicit Written(std::unique_ptr<PostgresStore> made) : store(std::move(made)) {
    for (int i = 0; i < kMainTurns; ++i) {
      REQUIRE(append(*store, history, "main", "main " + std::to_string(i), at(i)));
      main.push_back(history.last());
    }
    REQUIRE(store->commit(move_ref(branch_ref("side"), {}, main[kFork], {}, at(kMainTurns))));
    for (int i = 0; i < 3; ++i) {
      REQUIRE(append(*store, history, "side", "side " + std::to_string(i), at(kMainTurns + 1 + i)));
      side.push_back(history.last());
    }
    REQUIRE(store->newest_operation());  // Gives the operations their numbers.
  }

  std::unique_ptr<PostgresStore> store;
  History history;
  std::vector<Oid> main;
  std::vector<Oid> side;
};

// The answers of each way to read a store.
using Told = std::map<std::string, Result<std::string>>;

Result<std::string> line_of(const Reader& reader, const std::string& ref) {
  const auto tip = TRY(reader.store().ref(ref));
  if (!tip) return std::string("none");
  std::string text;
  std::vector<Oid> contents;
  TRY(reader.run(
      *tip, 1'000,
      [&](const NamedCommit& each) {
        text += each.oid.hex() + "\n";
        contents.push_back(each.commit->content->oid);
        return true;
      },
      Reader::Keep::newest, Store::kAllContents));
  for (const auto& content : TRY(reader.contents(contents))) text += *content + "\n";
  return text;
}

Result<std::string> told_refs(const Store& store) {
  std::string text;
  for (const Ref& each : TRY(store.refs(""))) text += each.name + " " + each.target.hex() + "\n";
  return text;
}

Result<std::string> log_of(const Store& store) {
  std::string text;
  TRY(walk_operations(store, [&](const LoggedOperation& each) -> Result<bool> {
    text += std::to_string(each.number) + " " + each.body;
    return true;
  }));
  return text;
}

Result<std::string> resolved(const Reader& reader, const std::string& revision) {
  return TRY(resolve(reader, revision, {.head = std::nullopt, .head_ref = "", .now = at(1'000)}))
      .hex();
}

Told told_by(const std::string& address) {
  const auto store = PostgresStore::open(address, {}).value();
  const auto fresh = [&](const auto& read) { return read(Reader(*store)); };
  Told told;
  told.emplace("refs", told_refs(*store));
  told.emplace("log", log_of(*store));
  for (const char* each : {"main", "side"}) {
    told.emplace(each,
                 fresh([&](const Reader& reader) { return line_of(reader, branch_ref(each)); }));
  }
  for (const char* each : {"main~15", "side~9", "main@{3}"}) {
    told.emplace(each, fresh([&](const Reader& reader) { return resolved(reader, each); }));
  }
  return told;
}

std::string in_sql(const Oid& oid) { return "'\\x" + oid.hex() + "'::bytea"; }

struct Forgery {
  std::string what;
  std::string sql;
  std::string subject;     // A problem must name it.
  bool is_hidden = false;  // A reader cannot know of it.
};

std::vector<Forgery> forgeries_of(const Written& of) {
  const Oid& turn = of.main[4];
  const Oid content = blob("main 4").oid;
  const Oid other = blob("main 5").oid;
  const std::string this_turn = " WHERE store = $1 AND oid = " + in_sql(turn);
  const std::string this_content = " WHERE store = $1 AND oid = " + in_sql(content);
  const std::string main = "name = 'refs/heads/main'";
  const auto operations = of.store->operations(0, 100).value();
  const Oid& sixth = operations[5].name;
  const auto swap = [](const Oid& one, const Oid& two) {
    return "UPDATE spoor.objects o SET body = p.body, parent = p.parent, content = p.content "
           "FROM spoor.objects p WHERE o.store = $1 AND p.store = $1 AND (o.oid, p.oid) IN ((" +
           in_sql(one) + ", " + in_sql(two) + "), (" + in_sql(two) + ", " + in_sql(one) + "))";
  };
  const auto is_changed = [](const std::string& column) {
    return "SET " + column + " = set_byte(" + column + ", octet_length(" + column + ") - 1, 65)";
  };
  return {
      {"a content changed", "UPDATE spoor.objects " + is_changed("body") + this_content,
       content.hex()},
      {"a content of another kind", "UPDATE spoor.objects SET kind = 4" + this_content,
       content.hex()},
      {"a content removed", "DELETE FROM spoor.objects" + this_content, content.hex()},
      {"two contents swapped", swap(content, other), content.hex()},
      {"a commit changed",
       "UPDATE spoor.objects SET body = convert_to(replace(convert_from(body, 'UTF8'), 'user', "
       "'tool'), 'UTF8')" +
           this_turn,
       turn.hex()},
      {"a commit removed", "DELETE FROM spoor.objects" + this_turn, turn.hex()},
      {"two commits swapped", swap(turn, of.main[9]), turn.hex()},
      {"a commit's column of its parent",
       "UPDATE spoor.objects SET parent = " + in_sql(of.main[0]) + this_turn, turn.hex()},
      {"a commit without that column", "UPDATE spoor.objects SET parent = NULL" + this_turn,
       turn.hex()},
      {"a commit's column of its content",
       "UPDATE spoor.objects SET content = " + in_sql(other) + this_turn, turn.hex()},
      {"an operation changed",
       "UPDATE spoor.operations SET body = convert_to(replace(convert_from(body, 'UTF8'), "
       "'tester', "
       "'nobody'), 'UTF8') WHERE store = $1 AND number = 6",
       "operation 6"},
      {"an operation removed", "DELETE FROM spoor.operations WHERE store = $1 AND number = 6",
       "operation 7"},
      {"two operations swapped",
       "UPDATE spoor.operations o SET body = p.body FROM spoor.operations p "
       "WHERE o.store = $1 AND p.store = $1 AND o.number + p.number = 13 AND o.number IN (6, 7)",
       "operation 6"},
      {"an operation of another number",
       "UPDATE spoor.operations SET number = 60 WHERE store = $1 AND number = 6", "operation 7"},
      {"a chain that is cut",
       "DELETE FROM spoor.moves WHERE store = $1 AND operation = " + in_sql(sixth),
       "refs/heads/main"},
      {"a chain that goes on elsewhere",
       "UPDATE spoor.moves SET operation = " + in_sql(operations[8].name) +
           " WHERE store = $1 AND operation = " + in_sql(sixth),
       "refs/heads/main"},
      {"a ref that is elsewhere",
       "UPDATE spoor.refs SET target = " + in_sql(of.main[3]) + " WHERE store = $1 AND " + main,
       "refs/heads/main"},
      {"a ref that is gone", "DELETE FROM spoor.refs WHERE store = $1 AND " + main,
       "refs/heads/main", true},
      {"a ref that nobody made",
       "INSERT INTO spoor.refs SELECT store, 'refs/heads/new', number, target, operation, at "
       "FROM spoor.refs WHERE store = $1 AND " +
           main,
       "refs/heads/new"},
      {"two refs swapped",
       "UPDATE spoor.refs r SET number = s.number, target = s.target, operation = s.operation "
       "FROM spoor.refs s WHERE r.store = $1 AND s.store = $1 AND r.name <> s.name",
       "refs/heads/main"},
  };
}

}  // namespace

TEST_SUITE("store/postgres") {
  TEST_CASE("fsck names each forged row, and nobody reads it as what was written") {
    if (PostgresServer::get() == nullptr) return;
    for (std::size_t i = 0;; ++i) {
      const std::string address = PostgresServer::get()->new_address();
      const Written written(PostgresStore::create(address, {}).value());
      const std::vector<Forgery> forgeries = forgeries_of(written);
      if (i == forgeries.size()) break;
      const Forgery& forgery = forgeries[i];
      CAPTURE(forgery.what);
      const Told before = told_by(address);
      for (const auto& each : before) REQUIRE_MESSAGE(each.second, each.first);
      REQUIRE(run_sql(address, forgery.sql.c_str()));

      bool is_named = false;
      std::string named;
      for (const auto& each : fsck(*PostgresStore::open(address, {}).value()).value().problems) {
        is_named |= each.subject == forgery.subject;
        named += each.subject + ": " + each.message + "\n";
      }
      CAPTURE(named);
      CHECK(is_named);
      for (const auto& [what, text] : told_by(address)) {
        const auto& shown = what;
        CAPTURE(shown);
        if (text && !forgery.is_hidden) CHECK(*text == *before.at(what));
        if (!text) CHECK_FALSE(text.error().message.empty());
      }
    }
  }
}
