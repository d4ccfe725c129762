// fsck on store files in which a row is not there, or one is there that nobody wrote: it says
// which, and changes nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "store/fsck.h"
#include "store/sha256.h"
#include "store/sqlite/compression.h"
#include "tests/store/row_edits.h"
#include "tests/store/turns.h"
#include "tests/store/world_file.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

// "RULE of SUBJECT" for each problem; who says it twice, says it once here.
using Said = std::set<std::string>;

struct RowLoss {
  std::string what;
  std::function<void(Editor&)> make;
  Said said;
};

Said said_by(const FsckReport& report) {
  Said said;
  for (const auto& each : report.problems) {
    said.insert(std::string(name_of(each.rule)) + " of " + each.subject);
  }
  return said;
}

std::function<void(Editor&)> sql(const std::string& text) {
  return [text](Editor& file) { file.run(text); };
}

std::string named(const Oid& oid) { return " WHERE oid=" + sql_blob(oid.view()); }

// An object of each kind, and what else is told of it.
struct Victim {
  std::string what;
  Oid oid;
  Kind kind;
  Said when_lost;
};

const Oid kNothing = object_name(Kind::blob, "a name of nothing");

class Losses {
 public:
  Losses(const StoryFile& story, StoryState state)
      : world_(story.world), state_(state), settled_(newest_settled(story.bytes)) {}

  std::vector<RowLoss> of_objects() const {
    std::vector<RowLoss> losses;
    for (const Victim& each : victims()) {
      const std::string table = each.kind == Kind::commit ? "commits" : "objects";
      losses.push_back(
          {"without " + each.what, sql("DELETE FROM " + table + named(each.oid)), each.when_lost});
      losses.push_back({"under another name too: " + each.what,
                        sql(copy_of(each.kind, each.oid, sql_blob(kNothing.view()))),
                        {"name of " + kNothing.hex()}});
      losses.push_back({"twice: " + each.what,
                        sql(copy_of(each.kind, each.oid, "oid")),
                        {"engine of " + each.oid.hex()}});
    }
    for (const NewObject& each : strangers()) {
      const std::string what = "a new " + std::string(name_of(each.kind));
      losses.push_back({what + " of a name that is not its own",
                        sql(row_of(each, kNothing)),
                        {"name of " + kNothing.hex()}});
      // The rows that came last, and no index has them: as if their operation were gone.
      losses.push_back({what + " that nobody put",
                        sql(row_of(each, each.oid)),
                        {"engine of " + each.oid.hex(), "engine of " + operation(newest() + 1)}});
    }
    return losses;
  }

  std::vector<RowLoss> of_operations() const;
  std::vector<RowLoss> of_refs() const;

 private:
  static std::string operation(std::uint64_t number) {
    return "operation " + std::to_string(number);
  }
  std::uint64_t newest() const { return world_.log.back().number; }

  // The names that came up to this operation are in the table of names.
  static std::uint64_t newest_settled(const std::string& bytes) {
    const TempDir folder;
    write_bytes(folder / "store", bytes);
    Database file(folder / "store");
    return std::stoull(
        file.ask("SELECT value FROM derived WHERE key=CAST('snames' AS BLOB)").at(0));
  }

  // What the engine calls a row that only it knows of: the table of names has the first digits.
  std::string engine_of(const Oid& oid) const {
    return "engine of " + (state_ == StoryState::rebuilt ? oid.hex(12) : oid.hex());
  }

  // The rows of what an operation brought.
  Said carried_by(std::uint64_t number) const {
    Said said;
    const Operation moved = parse_operation(world_.log[number - 1].body).value();
    const Oid to = moved.refs[0].after.value();
    said.insert("engine of " + to.hex());
    const auto commit = world_.commits.find(to);
    if (commit != world_.commits.end()) {
      said.insert("engine of " + commit->second.content->oid.hex());
    }
    return said;
  }

  Oid first(Kind kind) const {
    return std::find_if(world_.objects.begin(), world_.objects.end(),
                        [kind](const NewObject& each) { return each.kind == kind; })
        ->oid;
  }

  const std::string& body_of(const Oid& oid) const {
    return std::find_if(world_.objects.begin(), world_.objects.end(),
                        [&oid](const NewObject& each) { return each.oid == oid; })
        ->body;
  }

  std::vector<Victim> victims() const {
    const Oid answer = world_.refs.at(kAnswers);
    const Oid tag = world_.refs.at(tag_ref("v1"));
    const Oid list = first(Kind::chunks);
    const Oid stone = first(Kind::tombstone);
    const Oid attest = first(Kind::attest);
    const Oid turn = world_.commits.at(world_.commits.at(answer).parents[0]).parents[0];
    const auto missing = [](const Oid& oid) { return Said{"missing of " + oid.hex()}; };
    const Oid content = world_.commits.at(turn).content->oid;
    const Oid part = parse_chunks(body_of(list)).value().parts[0];
    const Oid erased = parse_tombstone(body_of(stone))->erased[0];
    return {
        {"a content", content, Kind::blob, missing(content)},
        {"a part of a content", part, Kind::blob, missing(part)},
        {"a chunk list", list, Kind::chunks, missing(list)},
        {"a bundle", first(Kind::bundle), Kind::bundle, missing(first(Kind::bundle))},
        {"a tag", tag, Kind::tag, {"ref_commit of " + tag_ref("v1"), engine_of(tag)}},
        {"a tombstone", stone, Kind::tombstone, {"missing of " + erased.hex(), engine_of(stone)}},
        {"an attest", attest, Kind::attest, {engine_of(attest)}},
        {"a commit", turn, Kind::commit, missing(turn)},
        {"the commit of a ref",
         answer,
         Kind::commit,
         {"ref_commit of " + kAnswers, engine_of(answer)}},
    };
  }

  // Well-formed objects that are in no store.
  std::vector<NewObject> strangers() const {
    const Oid main = world_.refs.at(kMain);
    World other = world_;
    Commit commit = other.behind({main});
    commit.type = Type::user;
    commit.content = world_.commits.at(main).content;
    ChunkList list = parse_chunks(body_of(first(Kind::chunks))).value();
    list.size += kChunkPart;
    list.parts.insert(list.parts.begin(), list.parts[0]);
    const Tag tag{.target = main, .name = "v2", .author = "tester", .time = at(5), .note = {}};
    Bundle bundle;
    bundle.commit = main;
    bundle.renderer = "anthropic/1";
    bundle.sent = object_name(Kind::blob, "another request");
    bundle.bytes = 9;
    const Tombstone stone{.erased = {kNothing}, .reason = {}, .author = "nobody", .time = at(9)};
    return {
        blob("a text that nobody wrote"),
        new_object(Kind::chunks, serialize(list)),
        new_object(Kind::commit, serialize(commit).value()),
        new_object(Kind::bundle, serialize(bundle).value()),
        new_object(Kind::tag, serialize(tag).value()),
        new_object(Kind::tombstone, serialize(stone).value()),
        new_object(Kind::attest, serialize(sign(std::string(kSigningKeyBytes, 'x'), main).value())),
    };
  }

  // Behind all objects; a commit in a segment of its own.
  static std::string copy_of(Kind kind, const Oid& oid, const std::string& name) {
    if (kind == Kind::commit) {
      return "INSERT INTO commits SELECT ((SELECT max(place) FROM commits)>>32)+1<<32," + name +
             ",codec,size,body FROM commits" + named(oid);
    }
    return "INSERT INTO objects SELECT (SELECT max(handle) FROM objects)+1," + name +
           ",kind,codec,size,body FROM objects" + named(oid);
  }
  static std::string row_of(const NewObject& object, const Oid& name) {
    const std::string rest =
        "0," + std::to_string(object.body.size()) + "," + sql_blob(object.body);
    const std::string oid = sql_blob(name.view());
    if (object.kind == Kind::commit) {
      return "INSERT INTO commits SELECT (max(place)>>32)+1<<32," + oid + "," + rest +
             " FROM commits";
    }
    return "INSERT INTO objects SELECT max(handle)+1," + oid + "," +
           std::to_string(static_cast<int>(object.kind)) + "," + rest + " FROM objects";
  }

  const World& world_;
  const StoryState state_;
  const std::uint64_t settled_;
};

// Of an operation the engine has a number, and what follows says that one is not there.
std::vector<RowLoss> Losses::of_operations() const {
  const std::uint64_t last = newest();
  const auto lost = [&](std::uint64_t number, Said said) {
    // Names that no other row has go with the operation that carried them.
    if (number > settled_) said.merge(carried_by(number));
    return RowLoss{"without " + operation(number),
                   sql("DELETE FROM operations WHERE number=" + std::to_string(number)), said};
  };
  const auto inserted = [&](const std::string& what, std::uint64_t number, const Oid& name,
                            const std::string& body, const std::set<std::string>& rules) {
    Said said;
    for (const std::string& rule : rules) said.insert(rule + " of " + operation(number));
    return RowLoss{what,
                   sql("INSERT INTO operations(number,name,codec,size,body,names) VALUES(" +
                       std::to_string(number) + "," + sql_blob(name.view()) + ",0," +
                       std::to_string(body.size()) + "," + sql_blob(body) + ",x'')"),
                   said};
  };
  const auto copied = [&](std::uint64_t of, std::uint64_t to, const std::set<std::string>& rules) {
    const LoggedOperation& logged = world_.log[of - 1];
    return inserted(operation(of) + " as " + operation(to), to, logged.name, logged.body, rules);
  };
  Operation next = parse_operation(world_.log.back().body).value();
  next.prev = world_.log.back().name;
  next.refs = {{branch_ref("new"), std::nullopt, world_.refs.at(kMain)}};
  const std::string body = serialize(next).value();
  const Oid name = operation_name(body);
  return {
      // The third moves what the first had made; the second made another branch.
      lost(1, {"op_number of " + operation(2), "op_prev of " + operation(2),
               "op_before of " + operation(3)}),
      lost(100, {"op_number of " + operation(101), "op_prev of " + operation(101),
                 "op_before of " + operation(102)}),
      lost(last, {"engine of " + operation(last)}),
      inserted("one whose number is too high", last + 5, name, body, {"op_number"}),
      inserted("one of another name", last + 1, kNothing, body, {"op_name"}),
      inserted("one that does not follow", last + 1, world_.log[99].name, world_.log[99].body,
               {"op_prev", "op_time", "op_before"}),
      copied(1, 0, {"engine"}),
      copied(20, last + 1, {"op_prev", "op_time", "op_before"}),
      copied(last, last + 1, {"op_prev", "op_before"}),
      copied(last, last + 7, {"op_number", "op_prev", "op_before"}),
  };
}

std::vector<RowLoss> Losses::of_refs() const {
  const std::string start = branch_ref("start");
  // Whoever reads the refs takes them from the log, so only the table itself is wrong.
  const std::string table = "engine of ";
  const auto copy = [](const std::string& from, const std::string& to) {
    return sql("INSERT INTO refs SELECT '" + to + "',target FROM refs WHERE name='" + from + "'");
  };
  return {
      {"without a ref", sql("DELETE FROM refs WHERE name='" + start + "'"), {table + start}},
      {"a ref under another name too",
       copy(start, branch_ref("twin")),
       {table + branch_ref("twin")}},
      {"a tag that nobody made", copy(start, tag_ref("v9")), {table + tag_ref("v9")}},
  };
}

Said rows_with_dictionary(const std::string& bytes, std::uint64_t number) {
  const TempDir folder;
  write_bytes(folder / "store", bytes);
  Database file(folder / "store");
  Said said;
  for (const char* table : {"objects", "commits"}) {
    const auto rows =
        file.ask("SELECT oid,body FROM " + std::string(table) + " WHERE (codec&2)!=0");
    for (std::size_t i = 0; i < rows.size(); i += 2) {
      if (sqlite::dictionary_of(rows[i + 1]) != number) continue;
      said.insert("engine of " + Oid::from_bytes(rows[i])->hex());
    }
  }
  return said;
}

}  // namespace

TEST_SUITE("store/lost_rows") {
  TEST_CASE("whatever row is lost, or comes from nowhere, fsck says which and nothing else") {
    for (const auto state : {StoryState::written, StoryState::packed, StoryState::rebuilt}) {
      CAPTURE(static_cast<int>(state));
      const StoryFile story = story_file(state);
      const Losses losses(story, state);
      int count = 0;
      for (const auto& some : {losses.of_objects(), losses.of_operations(), losses.of_refs()}) {
        for (const RowLoss& each : some) {
          CAPTURE(each.what);
          const FsckReport report = report_after(story.bytes, each.make);
          INFO(shown_problems(report));
          CHECK((said_by(report) == each.said));
          ++count;
        }
      }
      CHECK(count == 54);
    }
  }

  TEST_CASE("a dictionary that is lost, or comes from nowhere, is named") {
    const StoryFile story = story_file(StoryState::packed);
    const auto problems = [&story](const std::string& change) {
      return said_by(report_after(story.bytes, sql(change)));
    };
    for (const std::uint64_t number : {1U, 2U}) {
      CAPTURE(number);
      Said said = rows_with_dictionary(story.bytes, number);
      CHECK(said.size() > 100);
      // A name whose tombstone is lost is missing.
      for (const NewObject& each : story.world.objects) {
        if (each.kind != Kind::tombstone || !said.contains("engine of " + each.oid.hex())) continue;
        const Tombstone stone = parse_tombstone(each.body).value();
        for (const Oid& erased : stone.erased) said.insert("missing of " + erased.hex());
      }
      said.insert("engine of dictionary " + std::to_string(number));
      CHECK((problems("DELETE FROM dictionaries WHERE number=" + std::to_string(number)) == said));
    }
    const Said ninth = {"engine of dictionary 9"};
    const std::string copy =
        "INSERT INTO dictionaries SELECT 9,serves,learned,hash,body FROM "
        "dictionaries WHERE number=1";
    CHECK((problems(copy) == ninth));
    CHECK((problems("INSERT INTO dictionaries VALUES(9,'objects',7," +
                    sql_blob(sha256("no dictionary").view()) + "," + sql_blob("no dictionary") +
                    ")") == ninth));
    CHECK((problems("INSERT INTO dictionaries VALUES(9,'objects',7,zeroblob(32),x'00')") == ninth));
  }

  // docs/format.md: nothing names the newest operation, so its name is to be kept elsewhere.
  TEST_CASE("a newest operation that brought nothing is not missed, but the newest is another") {
    const TempDir folder;
    const std::string path = folder / "store";
    const World world = write_story(path);
    {
      const auto store = SqliteStore::open(path).value();
      const auto to = world.refs.at(kMain);
      store->commit(move_ref(branch_ref("new"), std::nullopt, to, {}, at(10'000))).value();
    }
    empty_log(path);
    const FsckReport whole = report_of_file(path);
    CHECK(whole.is_sound());
    Database(path).run("DELETE FROM operations WHERE number=(SELECT max(number) FROM operations)");
    empty_log(path);
    const FsckReport report = report_of_file(path);
    INFO(shown_problems(report));
    CHECK(report.is_sound());
    CHECK(report.newest_operation == world.log.back().name);
    CHECK(whole.newest_operation != report.newest_operation);
    CHECK(report.refs + 1 == whole.refs);
  }
}
