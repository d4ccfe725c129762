// docs/format.md is executed: its example is made again, and its verifier is run
// against real store files, sound and forged.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "store/fsck.h"
#include "store/gc.h"
#include "store/operation.h"
#include "tests/store/forgeries.h"
#include "tests/store/program.h"
#include "tests/store/temp_dir.h"
#include "tests/store/world_file.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

std::string document() {
  std::ifstream file(SPOOR_SOURCE_DIR "/docs/format.md", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  REQUIRE(from != text.npos);
  const std::size_t to = text.find(end, from + begin.size());
  REQUIRE(to != text.npos);
  return text.substr(from + begin.size(), to - from - begin.size());
}

std::string bytes_of_hex(const std::string& digits) {
  std::istringstream words(digits);
  std::string bytes;
  for (std::string word; words >> word;) {
    bytes.push_back(static_cast<char>(std::stoi(word, nullptr, 16)));
  }
  return bytes;
}

// The verifier in a file of its own; run() gives its lines, or nothing without python3.
class Verifier {
 public:
  Verifier() {
    std::ofstream file(folder_ / "verify.py", std::ios::binary);
    file << between(document(), "```python\n", "```\n");
  }

  std::optional<ProgramRun> run(const std::string& store) const {
    return run_program({"python3", folder_ / "verify.py", store});
  }

 private:
  TempDir folder_;
};

bool has_python() { return run_program({"python3", "--version"}).has_value(); }

}  // namespace

TEST_SUITE("store/format_document") {
  TEST_CASE("the example has the names that the page says, and is sound text") {
    const std::string example = between(document(), "## A worked example", "\n## ");
    const std::regex block("`(\\w+) ([0-9a-f]{64})`\n\n```\n([^`]*)```");
    int blocks = 0;
    for (std::sregex_iterator at(example.begin(), example.end(), block), end; at != end; ++at) {
      const std::string kind = (*at)[1];
      CAPTURE(kind);
      std::string body = (*at)[3];
      if (kind == "blob") body = bytes_of_hex(body);
      const Oid name =
          kind == "op" ? operation_name(body) : object_name(kind_from(kind).value(), body);
      CHECK(name.hex() == (*at)[2]);
      if (kind == "commit") CHECK(serialize(parse_commit(body).value()).value() == body);
      if (kind == "op") CHECK(serialize(parse_operation(body).value()).value() == body);
      ++blocks;
    }
    CHECK(blocks == 6);
  }

  TEST_CASE("the schema is the one that a new store has") {
    const TempDir folder;
    const auto store = SqliteStore::create(folder / "store").value();
    CHECK(Database(folder / "store").ask("SELECT COUNT(*)||'' FROM sqlite_schema").at(0) == "9");
    REQUIRE(store->put(std::array{blob(std::string(10'000, 'a'))}));
    REQUIRE(store->pack([] { return false; }));
    const auto tables =
        Database(folder / "store").ask("SELECT sql FROM sqlite_schema ORDER BY name");
    std::string schema;
    for (const std::string& table : tables) schema += table + "\n";
    CHECK(between(document(), "```sql\n", "```\n") == schema);
  }

  TEST_CASE("the verifier has at most 98 lines, of at most 110 characters") {
    std::istringstream lines(between(document(), "```python\n", "```\n"));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) CHECK(line.size() <= 110);
    CHECK(count <= 98);
  }

  TEST_CASE("each rule of the verifier has a forgery") {
    std::set<std::string> forged;
    for (const Forgery& forgery : forgeries()) forged.insert(forgery.verifier_rule);
    forged.erase("");
    const std::string list = between(document(), "The rules are ", " for refs.");
    const std::regex word("`(\\w+)`");
    std::set<std::string> rules;
    for (std::sregex_iterator at(list.begin(), list.end(), word), end; at != end; ++at) {
      rules.insert((*at)[1]);
    }
    CHECK(rules.size() == 13);
    CHECK(forged == rules);
  }

  TEST_CASE("the verifier finds a sound store sound, and names its newest operation") {
    if (!has_python()) {
      MESSAGE("skipped: no python3");
      return;
    }
    const TempDir folder;
    const World world = sound_world();
    write_world(world, folder / "store");
    const auto run = Verifier().run(folder / "store");
    CHECK(run->status == 0);
    const std::string expected = "ok: " + std::to_string(world.objects.size()) + " objects, " +
                                 std::to_string(world.commits.size()) + " commits, " +
                                 std::to_string(world.log.size()) + " operations, newest " +
                                 world.log.back().name.hex() + "\n";
    CHECK(run->output == expected);
  }

  TEST_CASE("a store whose log was folded is sound, too") {
    if (!has_python()) return;
    const TempDir folder;
    const auto store = SqliteStore::create(folder / "store").value();
    History history;
    for (int i = 0; i < 70; ++i) {
      REQUIRE(append(*store, history, i % 3 == 0 ? "main" : "side", std::to_string(i), at(i)));
    }
    GcOptions options;
    options.keep_since = at(66);
    options.actor = "tester";
    REQUIRE(store->sweep(find_garbage(*store, options).value().sweep));
    const auto run = Verifier().run(folder / "store");
    CHECK(run->status == 0);
    CHECK(run->output == "ok: 140 objects, 70 commits, 70 operations, newest " +
                             store->newest_operation().value()->name.hex() + "\n");
  }

  TEST_CASE("an empty store is sound, too") {
    if (!has_python()) return;
    const TempDir folder;
    write_world(World(), folder / "store");
    const auto run = Verifier().run(folder / "store");
    CHECK(run->status == 0);
    CHECK(run->output == "ok: 0 objects, 0 commits, 0 operations, newest \n");
  }

  TEST_CASE("each forgery in a file is found by fsck's rule, and by the verifier's alone") {
    const bool can_verify = has_python();
    if (!can_verify) MESSAGE("the verifier is skipped: no python3");
    const Verifier verifier;
    const TempDir folder;
    int number = 0;
    for (const Forgery& forgery : forgeries()) {
      CAPTURE(forgery.what);
      World world = sound_world();
      const std::string subject = forgery.forge(world);
      const std::string path = folder / std::to_string(++number);
      write_world(world, path);

      const auto store = SqliteStore::open(path, {.mode = SqliteStore::Mode::read_only}).value();
      const FsckReport report = fsck(*store).value();
      REQUIRE_FALSE(report.problems.empty());
      CHECK(report.problems[0].subject == subject);
      CHECK(name_of(report.problems[0].rule) == name_of(forgery.rule));
      for (const auto& each : report.problems) CHECK(each.rule == forgery.rule);

      if (!can_verify || forgery.verifier_rule.empty()) continue;
      const auto run = verifier.run(path);
      CHECK(run->status == 1);
      CHECK(run->output == subject + ": " + forgery.verifier_rule + "\n");
    }
  }
}
