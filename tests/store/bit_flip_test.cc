// fsck on real store files with one bit changed, and on files whose tables were
// tampered with.
#include <doctest/doctest.h>

#include <fstream>
#include <random>

#include "store/fsck.h"
#include "store/sha256.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/database.h"
#include "tests/store/temp_dir.h"
#include "tests/store/world_file.h"

using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

constexpr std::size_t kFlips = 2'000;

// Small texts, so that every row lies within one page, and its bytes in one piece.
World small_world(std::mt19937_64& random) {
  World world;
  Oid tip = world.grow(std::nullopt, 1, "the first of them");
  for (int i = 0; i < 40; ++i) {
    std::string text(random() % 400, ' ');
    for (char& byte : text) byte = static_cast<char>(random());
    Commit commit = world.turn({tip}, text, static_cast<Type>(random() % 10));
    if (random() % 2 == 0) commit.author = "agent/a";
    if (random() % 2 == 0) commit.time = at(i);
    if (random() % 3 == 0) commit.meta = "{\"model\":\"m\"}";
    if (random() % 3 == 0) commit.attach = {{world.content(text + "!"), "image/png"}};
    tip = world.add(commit);
    if (random() % 4 == 0) world.move(kMain, tip);
    if (random() % 8 == 0) world.move(kSide, tip);
  }
  world.move(branch_ref("end"), tip);
  return world;
}

// Texts of words, which a dictionary serves.
World wordy_world(std::mt19937_64& random) {
  World world;
  std::optional<Oid> tip;
  for (int i = 0; i < 200; ++i) {
    std::string text;
    for (int word = 0; word < 60; ++word) text += "word" + std::to_string(random() % 500) + ' ';
    Commit commit = world.turn(tip ? std::vector{*tip} : std::vector<Oid>(), text, Type::user);
    commit.meta = "{\"model\":\"a-model\",\"usage\":{\"input_tokens\":" + std::to_string(i) + "}}";
    tip = world.add(commit);
  }
  world.move(kMain, *tip);
  return world;
}

void write_byte(const std::string& path, std::size_t at, char byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

// Where a row lies in the file: its whole payload, SQLite's header of it included.
struct Payload {
  std::string subject;  // What a problem must name.
  Oid oid;
  Object object;  // Nothing for an operation.
  std::size_t begin;
  std::size_t end;
};

// The payload of a row that holds `name`, a few bytes of numbers, and `body`.
Payload find_payload(const std::string& file, const Oid& name, const std::string& body) {
  constexpr std::size_t kMostNumbers = 6;
  for (std::size_t at = file.find(name.view()); at != file.npos;
       at = file.find(name.view(), at + 1)) {
    const std::size_t behind = at + name.bytes.size();
    for (std::size_t gap = 0; gap <= kMostNumbers; ++gap) {
      if (file.compare(behind + gap, body.size(), body) != 0) continue;
      // A header begins with its own length; the key and a blob of 32 bytes follow.
      for (std::size_t header = 4; header <= 12; ++header) {
        const char* begin = file.data() + at - header;
        if (begin[0] == static_cast<char>(header) && begin[1] == 0 && begin[2] == 0x4c) {
          return {name.hex(), name, {}, at - header, behind + gap + body.size()};
        }
      }
    }
  }
  throw std::logic_error("no row of " + name.hex());
}

// The bytes of a row's body, as the file's tables have them.
std::string row_bytes(Database& database, const std::string& table, const Oid& oid) {
  return database.ask("SELECT body FROM " + table + " WHERE oid=x'" + oid.hex() + "'").at(0);
}

std::vector<Payload> find_payloads(const World& world, const std::string& path) {
  const std::string file = read_file(path);
  Database database(path);
  std::vector<Payload> all;
  for (const NewObject& each : world.objects) {
    const std::string table = each.kind == Kind::commit ? "commits" : "objects";
    all.push_back(find_payload(file, each.oid, row_bytes(database, table, each.oid)));
    all.back().object = {each.kind, each.body};
  }
  for (const LoggedOperation& each : world.log) {
    all.push_back(find_payload(file, each.name, each.body));
    all.back().subject = "operation " + std::to_string(each.number);
    all.back().object.kind = Kind::attest;  // Not stored under this name: never equal.
  }
  return all;
}

bool names(const FsckReport& report, const std::string& subject) {
  for (const auto& each : report.problems) {
    if (each.subject == subject || each.message.find(subject) != subject.npos) return true;
  }
  return false;
}

std::string shown(const FsckReport& report) {
  std::string text;
  for (const auto& each : report.problems) {
    text += each.subject + ": " + std::string(name_of(each.rule)) + ": " + each.message + "\n";
  }
  return text;
}

std::unique_ptr<SqliteStore> open_read_only(const std::string& path) {
  return SqliteStore::open(path, {.mode = SqliteStore::Mode::read_only}).value();
}

// What was done to the tables, and the problem's rule.
struct Tampering {
  std::string sql;
  Rule rule;
};

// Flips kFlips bits of enduring rows, one at a time: fsck names each, or the object reads equal.
void check_flips(const World& world, const std::string& path, std::mt19937_64& random) {
  Database(path).run("PRAGMA wal_checkpoint(TRUNCATE)");
  REQUIRE(fsck(*open_read_only(path))->is_sound());

  const std::string sound = read_file(path);
  const std::vector<Payload> payloads = find_payloads(world, path);
  std::size_t total = 0;
  for (const Payload& each : payloads) total += each.end - each.begin;

  std::size_t named = 0;
  std::size_t read_back = 0;
  for (std::size_t i = 0; i < kFlips; ++i) {
    std::size_t place = random() % total;
    const Payload* row = payloads.data();
    for (; place >= row->end - row->begin; ++row) place -= row->end - row->begin;
    const std::size_t at = row->begin + place;
    const auto bit = static_cast<char>(1U << (random() % 8));
    CAPTURE(row->subject);
    CAPTURE(place);
    CAPTURE(static_cast<int>(bit));
    write_byte(path, at, static_cast<char>(sound[at] ^ bit));
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ bit);
    {
      const auto store = open_read_only(path);
      const auto report = fsck(*store);
      REQUIRE_MESSAGE(report, (report ? "" : report.error().message));
      INFO(shown(*report));
      const auto got = store->get(std::array{row->oid});
      const bool is_equal = got && (*got)[0] == row->object;
      CHECK((names(*report, row->subject) || is_equal));
      const bool is_absent = got && !(*got)[0] && row->object.kind != Kind::attest;
      CHECK_FALSE(is_absent);  // Damaged, not lost.
      named += names(*report, row->subject) ? 1 : 0;
      read_back += is_equal ? 1 : 0;
    }
    CHECK(sha256(read_file(path)) == sha256(damaged));  // fsck mended nothing.
    write_byte(path, at, sound[at]);
  }
  MESSAGE(named << " of " << kFlips << " named, " << read_back << " read back equal");
  CHECK(sha256(read_file(path)) == sha256(sound));
}

}  // namespace

TEST_SUITE("store/bit_flip") {
  TEST_CASE("of 2,000 flipped bits in enduring rows fsck names each, or the object reads equal") {
    std::mt19937_64 random(500);
    const TempDir folder;
    const World world = small_world(random);
    write_world(world, folder / "store");
    check_flips(world, folder / "store", random);
  }

  TEST_CASE("the same of rows that are packed") {
    std::mt19937_64 random(501);
    const TempDir folder;
    const World world = wordy_world(random);
    const std::string path = folder / "store";
    write_world(world, path);
    CHECK(SqliteStore::open(path).value()->pack([] { return false; })->rows > 300);
    check_flips(world, path, random);
  }

  TEST_CASE("fsck finds what is wrong with the tables, each by its rule alone") {
    const std::string some = "(SELECT min(handle) FROM objects)";
    const std::string tip = "(SELECT max(place) FROM commits)";
    const std::vector<Tampering> tamperings = {
        {"UPDATE objects SET codec=7 WHERE handle=" + some, Rule::engine},
        {"UPDATE objects SET size=size+1 WHERE handle=" + some, Rule::engine},
        {"UPDATE objects SET kind=9 WHERE handle=" + some, Rule::engine},
        {"UPDATE objects SET kind=2 WHERE handle=" + some, Rule::engine},
        {"UPDATE commits SET codec=7 WHERE place=" + tip, Rule::engine},
        {"UPDATE commits SET size=0 WHERE place=" + tip, Rule::engine},
        {"UPDATE commits SET place=place+(9<<32)+1 WHERE place=" + tip, Rule::engine},
        {"DELETE FROM names WHERE handle=" + some, Rule::engine},
        {"UPDATE names SET handle=7777 WHERE handle=" + some, Rule::engine},
        {"INSERT INTO names VALUES(zeroblob(32),7777)", Rule::engine},
        {"INSERT INTO names VALUES(zeroblob(31),7777)", Rule::engine},
        {"DELETE FROM derived", Rule::engine},
        {"UPDATE derived SET value=CAST('x' AS BLOB)", Rule::engine},
        {"UPDATE derived SET value=CAST('99' AS BLOB)", Rule::engine},
        {"UPDATE refs SET target=zeroblob(31)", Rule::engine},
        {"UPDATE refs SET target=zeroblob(32) WHERE name='refs/tags/v1'", Rule::ref_table},
        {"UPDATE operations SET name=zeroblob(31) WHERE number=2", Rule::engine},
        {"UPDATE objects SET body=CAST(body||'x' AS BLOB),size=size+1 WHERE handle=" + some,
         Rule::name},
        {"DELETE FROM commits WHERE place=" + tip, Rule::ref_commit},
        {"DELETE FROM objects WHERE handle=" + some, Rule::missing},
    };
    for (const Tampering& each : tamperings) {
      CAPTURE(each.sql);
      const TempDir folder;
      const std::string path = folder / "store";
      World world;
      const Oid tip_oid = world.grow(std::nullopt, 3, "turn");
      world.move(kMain, tip_oid);
      world.move(tag_ref("v1"), tip_oid);
      world.move(kSide, tip_oid);
      write_world(world, path);
      Database(path).run(each.sql);
      const auto report = fsck(*open_read_only(path));
      REQUIRE(report);
      INFO(shown(*report));
      CHECK_FALSE(report->is_sound());
      for (const auto& problem : report->problems) {
        // A ref names the lost commit; so does the index.
        const bool is_index = each.rule == Rule::ref_commit && problem.rule == Rule::engine;
        CHECK((problem.rule == each.rule || is_index));
      }
    }
  }

  TEST_CASE("fsck can be asked while another connection writes") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto writer =
        SqliteStore::create(path, {.durability = SqliteStore::Durability::normal}).value();
    std::vector<NewObject> many;  // So that progress is told in the middle of the scan.
    for (int i = 0; i < 2'000; ++i) many.push_back(blob(std::to_string(i)));
    REQUIRE(writer->put(many));
    History history;
    REQUIRE(append(*writer, history, "main", "before"));
    const auto reader = open_read_only(path);
    int appended = 0;
    FsckOptions options;
    options.progress = [&](std::uint64_t) {
      REQUIRE(append(*writer, history, "main", "meanwhile " + std::to_string(++appended)));
    };
    const auto report = fsck(*reader, options);
    REQUIRE(report);
    CHECK_MESSAGE(report->is_sound(), shown(*report));
    CHECK(appended == 2);
  }
}
