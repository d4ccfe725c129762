// A packed store in the hands of a user: gc packs it, cat says its bytes, and the verifier of
// docs/format.md, which knows no compression, finds it sound.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "store/sqlite/schema.h"
#include "tests/cli/program.h"
#include "tests/support/holds.h"

using namespace spoor;

namespace {

using spoor::testing::holds;

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_to(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A conversation that is worth a dictionary, by one batch.
void make_long_history(test::Program& spoor) {
  spoor({"init"});
  std::mt19937_64 random(3);
  for (int i = 0; i < 120; ++i) {
    std::string text;
    for (int word = 0; word < 150; ++word) text += "word" + std::to_string(random() % 400) + ' ';
    REQUIRE(spoor({i % 2 == 0 ? "user" : "assistant", text}).status == 0);
  }
}

}  // namespace

TEST_SUITE("cli/packing") {
  TEST_CASE("gc packs, once, and what is read stays the same") {
    test::Program spoor;
    make_long_history(spoor);
    const std::string log = spoor.out({"log", "--json"});
    const std::string prompt = spoor.out({"compile"});
    CHECK(holds(spoor.out({"store", "gc"}), "nothing to remove"));
    const std::string said = spoor.out({"store", "gc", "--prune", "--vacuum"});
    CHECK(holds(said, "\npacked "));
    CHECK(holds(said, " rows: "));
    CHECK(holds(said, " became "));
    CHECK_FALSE(holds(spoor.out({"store", "gc", "--prune"}), "packed"));
    CHECK(holds(spoor.out({"store", "gc", "--prune", "--json"}), "\"rows\": 0"));
    CHECK(spoor.out({"log", "--json"}) == log);
    CHECK(spoor.out({"compile"}) == prompt);
    CHECK(spoor({"store", "fsck"}).status == 0);
  }

  TEST_CASE("gc upgrades a store of an earlier spoor, once") {
    test::Program spoor;
    REQUIRE(spoor({"user", "hello"}).status == 0);
    const std::string path = spoor.folder.path + "/old.spoor";
    store::sqlite::write_empty_store(path, store::sqlite::kFirstFormat).value();
    REQUIRE(spoor({"-s", path, "trust"}).status == 0);
    REQUIRE(spoor({"-s", path, "user", "a turn of old"}).status == 0);
    CHECK(holds(spoor.out({"-s", path, "gc", "--upgrade", "--json"}), "\"upgraded\": true"));
    CHECK(holds(spoor.out({"-s", path, "gc", "--upgrade", "--json"}), "\"upgraded\": false"));
    CHECK(spoor.out({"-s", path, "gc", "--upgrade"}) ==
          "the store already has the newest format\n");
    CHECK(holds(spoor.out({"-s", path, "log"}), "a turn of old"));
  }

  TEST_CASE("the document's verifier works on a packed store, by way of cat --all --framed") {
    if (std::system("python3 --version >/dev/null 2>&1") != 0) {
      MESSAGE("skipped: no python3");
      return;
    }
    test::Program spoor;
    make_long_history(spoor);
    const std::string folder = spoor.folder.path + "/";
    const std::string document = contents_of(SPOOR_SOURCE_DIR "/docs/format.md");
    const std::string fence = "```python\n";
    const std::size_t begin = document.find(fence) + fence.size();
    write_to(folder + "verify.py", document.substr(begin, document.find("```\n", begin) - begin));

    const auto verified = [&](std::string frames) {
      write_to(folder + "frames", frames);
      const std::string command =
          "cd '" + folder + "' && python3 verify.py .spoor <frames >said 2>&1";
      const int status = std::system(command.c_str());
      return std::to_string(WEXITSTATUS(status)) + " " + contents_of(folder + "said");
    };
    const auto do_all = [&](const std::vector<std::vector<std::string>>& commands) {
      for (const auto& command : commands) {
        const auto run = spoor(command);
        CHECK_MESSAGE(run.status == 0, run.err);
      }
    };
    // After each kind of gc, and of what else moves rows.
    const std::vector<std::vector<std::vector<std::string>>> chores = {
        {},
        {{"store", "gc", "--prune"}},
        {{"user", "one more"}, {"store", "gc", "--upgrade"}},
        {{"undo"}, {"store", "gc", "--prune", "--retention", "now"}},
        {{"user", "to be erased"},
         {"store", "erase", "HEAD", "--reason", "a test", "--yes"},
         {"store", "gc", "--vacuum"}},
        {{"user", "again"}, {"store", "rebuild"}},
        {{"undo"}, {"store", "gc", "--prune", "--retention", "now", "--vacuum"}},
        {{"store", "gc", "--prune"}},
    };
    std::string frames;
    for (const auto& each : chores) {
      do_all(each);
      frames = spoor.out({"store", "cat", "--all", "--framed"});
      CHECK(verified(frames).starts_with("0 ok: "));
      CHECK(spoor({"store", "fsck"}).status == 0);
    }
    CHECK(holds(verified(""), ": shape"));  // Packed rows that nobody gave.
    std::string changed = frames;
    changed[changed.find("word")] = 'W';
    CHECK(holds(verified(changed), ": name"));
  }

  TEST_CASE("cat prints what a name is the hash of, and is not for terminals") {
    test::Program spoor;
    spoor.make_history();
    const std::string frames = spoor.out({"store", "cat", "--all", "--framed"});
    const std::size_t at = frames.find(" commit ");
    REQUIRE(at != std::string::npos);
    const std::string name = frames.substr(at - 64, 64);
    CHECK(holds(frames, spoor.out({"store", "cat", name})));
    CHECK(holds(spoor.out({"store", "cat", name}), "op "));
    CHECK(spoor({"store", "cat", std::string(64, '0')}).status != 0);
    CHECK(holds(spoor.out({"store", "cat", "HEAD"}), "\ngen "));
    CHECK(spoor({"store", "cat", "nosuch"}).status == 1);
    CHECK(spoor({"store", "cat"}).status == 2);
    CHECK(spoor({"store", "cat", "--all"}).status == 2);
    spoor.tty = true;
    const auto refused = spoor({"store", "cat", name});
    CHECK(refused.out.empty());
    CHECK(holds(refused.err, "on a terminal"));
  }
}
