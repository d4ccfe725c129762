// fsck on real store files with one bit changed, and on files whose tables were
// tampered with.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "store/fsck.h"
#include "store/sha256.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/database.h"
#include "tests/store/old_format.h"
#include "tests/store/row_bytes.h"
#include "tests/store/story.h"
#include "tests/store/temp_dir.h"
#include "tests/store/world_file.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

const std::size_t kFlips = spoor::testing::rounds<std::size_t>(2'000);

// Some objects of each kind that a turn has none of. The parts of the chunk lists were erased, for
// they would be most of the file.
void write_rare_kinds(World& world, Scribe& scribe, const Oid& tip) {
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i);
    ChunkList list{.size = 5 * kChunkPart - 1, .parts = {}};
    Tombstone tombstone{.erased = {}, .reason = {}, .author = "tester", .time = at(9)};
    for (int part = 0; part < 5; ++part) {
      list.parts.push_back(object_name(Kind::blob, number + "/" + std::to_string(part)));
    }
    tombstone.erased = list.parts;
    std::sort(tombstone.erased.begin(), tombstone.erased.end());
    tombstone.reason = world.content("asked for " + number);
    Bundle bundle;
    bundle.commit = tip;
    bundle.renderer = "anthropic/1";
    bundle.model = "a-model";
    bundle.params = world.content("{\"max_tokens\":" + number + "}");
    bundle.sent = object_name(Kind::blob, "request " + number);
    bundle.bytes = 100;
    world.add(Kind::chunks, serialize(list));
    world.add(Kind::tombstone, serialize(tombstone).value());
    world.add(Kind::bundle, serialize(bundle).value());
    world.add(Kind::attest, serialize(sign(std::string(kSigningKeyBytes, number[0]), tip).value()));
    const Tag tag{.target = tip, .name = "v" + number, .author = "t", .time = at(5), .note = {}};
    scribe.move(tag_ref(tag.name), world.add(Kind::tag, serialize(tag).value()));
  }
}

// Texts of all lengths and bytes, and of all types.
void write_small_world(const std::string& path, std::mt19937_64& random) {
  const auto store = create_old(path);
  World world;
  Scribe scribe(*store, world);
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
    scribe.move(kMain, tip);
    if (random() % 4 == 0) scribe.move(kSide, tip);
  }
  write_rare_kinds(world, scribe, tip);
}

// Texts of words, which a dictionary serves.
void write_wordy_world(const std::string& path, std::mt19937_64& random) {
  const auto store = create_old(path);
  World world;
  Scribe scribe(*store, world);
  std::optional<Oid> tip;
  for (int i = 0; i < 198; ++i) {
    std::string text;
    for (int word = 0; word < 60; ++word) text += "word" + std::to_string(random() % 500) + ' ';
    Commit commit = world.turn(tip ? std::vector{*tip} : std::vector<Oid>(), text, Type::user);
    commit.meta = "{\"model\":\"a-model\",\"usage\":{\"input_tokens\":" + std::to_string(i) + "}}";
    tip = world.add(commit);
    if (i % 3 == 2) scribe.move(kMain, tip);
  }
  write_rare_kinds(world, scribe, *tip);
  CHECK(store->pack([] { return false; })->rows > 300);
}

void write_byte(const std::string& path, std::size_t at, char byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

// Bytes of an enduring row, of which a bit may be flipped.
struct Part {
  std::string what;     // A column; `operation` or `dictionary`, any of theirs; or `header`.
  std::string subject;  // What a problem must name.
  std::vector<std::size_t> places;
  std::string object;  // The kind of object; empty where it is none's.
};

// The parts of all rows, by what they are. A column is what the row's header says of it, for a
// small number has no other bytes, and its own bytes; `header` is how long the header is, and what
// it says of the row's key. Left out are an operation's `names`, which are derived, a dictionary's
// `learned`, where any number will do, and the header of its row (see below).
class Parts {
 public:
  explicit Parts(const std::string& path) : file_(read_file(path)), database_(path) {
    for (const auto& row : rows("objects")) {
      const auto kind =
          database_.ask("SELECT kind FROM objects WHERE handle=" + std::to_string(row.key));
      add(row, subject(row), {"header", "oid", "kind", "codec", "size", "body"},
          std::string(name_of(static_cast<Kind>(std::stoi(kind.at(0))))));
    }
    for (const auto& row : rows("commits")) {
      add(row, subject(row), {"header", "oid", "codec", "size", "body"}, "commit");
    }
    for (const auto& row : rows("operations")) {
      const std::string which = "operation " + std::to_string(row.key);
      add(row, which, {"header", "operation", "operation", "operation", "operation", ""}, "");
    }
    if (database_.ask("SELECT 1 FROM sqlite_schema WHERE name='dictionaries'").empty()) return;
    for (const auto& row : rows("dictionaries")) {
      for (const std::size_t column : {1U, 3U, 4U}) {
        const std::string which = "dictionary " + std::to_string(row.key);
        add({"dictionary", which, row.columns.at(column).value, ""}, {});
      }
    }
  }

  std::set<std::string> subjects() const {
    std::set<std::string> subjects;
    for (const Part& each : parts_) subjects.insert(each.subject);
    return subjects;
  }

  // By turns a bit of each kind of part, one of each kind of object, and any bit of them all.
  std::pair<const Part*, std::size_t> draw(std::size_t turn, std::mt19937_64& random) const {
    const auto& kinds = turn % 4 == 1 ? by_object_ : by_kind_;
    auto kind = kinds.begin();
    std::advance(kind, (turn % 4 == 1 ? turn / 4 : turn / 2) % kinds.size());
    const std::vector<const Part*>& some = turn % 4 == 3 ? all_ : kind->second;
    std::size_t total = 0;
    for (const Part* each : some) total += each->places.size();
    std::size_t place = random() % total;
    for (const Part* each : some) {
      if (place < each->places.size()) return {each, each->places[place]};
      place -= each->places.size();
    }
    throw std::logic_error("no such byte");
  }

 private:
  std::vector<RowBytes::Row> rows(const std::string& table) {
    const auto root =
        database_.ask("SELECT rootpage FROM sqlite_schema WHERE name='" + table + "'");
    return RowBytes::of_table(file_, std::stoul(root.at(0)));
  }
  std::string subject(const RowBytes::Row& row) const {
    return Oid::from_bytes(RowBytes::bytes_at(file_, row.columns.at(1).value))->hex();
  }
  void add(const RowBytes::Row& row, const std::string& subject,
           const std::vector<std::string>& columns, const std::string& object) {
    add({columns[0], subject, row.header_size, object}, row.columns.at(0).type);
    REQUIRE(row.columns.size() == columns.size());
    for (std::size_t i = 1; i < columns.size(); ++i) {
      if (columns[i].empty()) continue;
      add({columns[i], subject, row.columns[i].type, object}, row.columns[i].value);
    }
  }
  void add(Part part, const std::vector<std::size_t>& places) {
    part.places.insert(part.places.end(), places.begin(), places.end());
    parts_.push_back(std::move(part));
    by_kind_[parts_.back().what].push_back(&parts_.back());
    if (!parts_.back().object.empty()) {
      by_object_[parts_.back().object].push_back(&parts_.back());
    }
    all_.push_back(&parts_.back());
  }

  const std::string file_;
  Database database_;
  std::deque<Part> parts_;
  std::vector<const Part*> all_;
  std::map<std::string, std::vector<const Part*>> by_kind_;
  std::map<std::string, std::vector<const Part*>> by_object_;
};

bool names(const FsckReport& report, const std::string& subject) {
  for (const auto& each : report.problems) {
    if (each.subject == subject) return true;
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

// What the store says that is there under a problem's subject.
std::string read_back(const Store& store, const std::string& subject) {
  if (const auto oid = Oid::from_hex(subject)) {
    const auto got = store.get(std::array{*oid});
    if (!got) return "damaged";
    return (*got)[0] ? std::string(name_of((*got)[0]->kind)) + (*got)[0]->body : "lost";
  }
  constexpr std::string_view kOperation = "operation ";
  if (!subject.starts_with(kOperation)) return "";
  const auto got = store.operations(std::stoull(subject.substr(kOperation.size())) - 1, 1);
  if (!got) return "damaged";
  return got->empty() ? "lost" : (*got)[0].name.hex() + (*got)[0].body;
}

// The one bit that says nothing. A row's key stands before the row, and its header has NULL for it;
// with this bit it has 0, and SQLite reads neither.
bool is_without_meaning(const Part& part, std::size_t at, char bit) {
  return part.what == "header" && at == part.places.back() && bit == 8;
}

// Flips kFlips bits of enduring rows, one at a time: fsck names each, unless it has no meaning.
void check_flips(const std::string& path, std::mt19937_64& random) {
  Database(path).run("PRAGMA wal_checkpoint(TRUNCATE)");
  REQUIRE(fsck(*open_read_only(path))->is_sound());

  const std::string sound = read_file(path);
  const Parts parts(path);
  std::map<std::string, std::string> said;
  for (const std::string& subject : parts.subjects()) {
    said[subject] = read_back(*open_read_only(path), subject);
  }
  std::map<std::string, int> flips;
  std::map<std::string, int> flips_of_objects;
  int equal = 0;
  for (std::size_t i = 0; i < kFlips; ++i) {
    const auto drawn = parts.draw(i, random);
    const Part* part = drawn.first;
    const std::size_t at = drawn.second;
    const auto bit = static_cast<char>(1U << (random() % 8));
    ++flips[part->what];
    if (!part->object.empty()) ++flips_of_objects[part->object];
    CAPTURE(part->what);
    CAPTURE(part->subject);
    CAPTURE(at - part->places.front());
    CAPTURE(static_cast<int>(bit));
    write_byte(path, at, static_cast<char>(sound[at] ^ bit));
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ bit);
    {
      const auto store = open_read_only(path);
      const auto report = fsck(*store);
      REQUIRE_MESSAGE(report, (report ? "" : report.error().message));
      INFO(shown(*report));
      const std::string read = read_back(*store, part->subject);
      CHECK(read != "lost");
      if (is_without_meaning(*part, at, bit)) {
        ++equal;
        CHECK(report->is_sound());
        CHECK((read == said.at(part->subject)));
      } else {
        CHECK(names(*report, part->subject));
      }
    }
    CHECK(sha256(read_file(path)) == sha256(damaged));  // fsck mended nothing.
    write_byte(path, at, sound[at]);
  }
  std::string told;
  for (const auto& [part, count] : flips) {
    told += (told.empty() ? "" : ", ") + std::to_string(count) + " of " + part;
    CHECK(count >= 100);
  }
  std::string told_of_objects;
  for (const auto& [object, count] : flips_of_objects) {
    told_of_objects += ", " + std::to_string(count) + " in a " + object;
    CHECK(count >= 70);
  }
  CHECK(flips_of_objects.size() == 7);  // Each kind there is.
  CHECK(equal <= spoor::testing::rounds(25));
  MESSAGE("bits flipped: " << told << told_of_objects << "; " << equal
                           << " of them without any meaning");
  CHECK(sha256(read_file(path)) == sha256(sound));
}

}  // namespace

TEST_SUITE("store/bit_flip") {
  TEST_CASE("of 2,000 flipped bits in enduring rows fsck names each that says anything") {
    std::mt19937_64 random(spoor::testing::seeded(500));
    const TempDir folder;
    write_small_world(folder / "store", random);
    check_flips(folder / "store", random);
  }

  TEST_CASE("the same of rows that are packed, and of their dictionaries") {
    std::mt19937_64 random(spoor::testing::seeded(501));
    const TempDir folder;
    write_wordy_world(folder / "store", random);
    check_flips(folder / "store", random);
  }

  TEST_CASE("a dictionary with a flipped bit in the header of its row is named") {
    std::mt19937_64 random(spoor::testing::seeded(501));
    const TempDir folder;
    const std::string path = folder / "store";
    write_wordy_world(path, random);
    Database(path).run("PRAGMA wal_checkpoint(TRUNCATE)");
    const std::string sound = read_file(path);
    const auto root =
        Database(path).ask("SELECT rootpage FROM sqlite_schema WHERE name='dictionaries'");
    int unnamed = 0;
    for (const auto& row : RowBytes::of_table(sound, std::stoul(root.at(0)))) {
      std::vector<std::size_t> places = row.header_size;
      for (const std::size_t column : {1U, 3U, 4U}) {
        const auto& type = row.columns.at(column).type;
        places.insert(places.end(), type.begin(), type.end());
      }
      for (const std::size_t at : places) {
        for (unsigned bit = 1; bit < 256; bit *= 2) {
          write_byte(path, at, static_cast<char>(sound[at] ^ static_cast<char>(bit)));
          const FsckReport report = fsck(*open_read_only(path)).value();
          CHECK_FALSE(report.is_sound());
          if (!names(report, "dictionary " + std::to_string(row.key))) ++unnamed;
        }
        write_byte(path, at, sound[at]);
      }
    }
    CHECK(unnamed == 0);
  }

  TEST_CASE("the newest operation is named when its row cannot be read, with a mark and without") {
    std::mt19937_64 random(spoor::testing::seeded(501));
    for (const bool has_mark : {true, false}) {
      CAPTURE(has_mark);
      const TempDir folder;
      const std::string path = folder / "store";
      write_wordy_world(path, random);
      Database(path).run("PRAGMA wal_checkpoint(TRUNCATE)");
      if (!has_mark) std::filesystem::remove(path + "-mark");
      const std::string sound = read_file(path);
      const auto root =
          Database(path).ask("SELECT rootpage FROM sqlite_schema WHERE name='operations'");
      const auto rows = RowBytes::of_table(sound, std::stoul(root.at(0)));
      const auto newest =
          std::ranges::max_element(rows, {}, [](const auto& row) { return row.key; });
      const std::size_t at = newest->header_size.front();
      write_byte(path, at, static_cast<char>(sound[at] ^ 8));
      const FsckReport report = fsck(*open_read_only(path)).value();
      INFO(shown(report));
      CHECK(names(report, "operation " + std::to_string(newest->key)));
    }
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
      for (const auto& problem : report->problems) CHECK(problem.rule == each.rule);
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
