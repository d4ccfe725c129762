// 'search' through the command line, held against a scan of what every reachable turn says.
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "graph/blame.h"
#include "graph/repository.h"
#include "store/ancestry.h"
#include "store/sqlite/text_index.h"
#include "tests/cli/program.h"
#include "tests/support/soak.h"

using namespace spoor;
using spoor::test::Program;
using store::Oid;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kPieces = {"cent",    "Cent", "\n",          "\"",   "\\n",
                                          "\\",      "tax ", "caf\xc3\xa9", "\xc3", "\t",
                                          "{\"a\":", "}",    "x-ray",       "%_*",  " "};

std::string random_text(std::mt19937& random, std::size_t most) {
  std::string text;
  for (std::size_t count = 1 + random() % most; count > 0; --count) {
    text += kPieces[random() % kPieces.size()];
  }
  return text;
}

// Calls whose arguments are JSON with all kinds of escapes, or any text at all.
std::vector<compile::ToolCall> random_calls(std::mt19937& random) {
  std::vector<compile::ToolCall> calls;
  for (std::size_t count = random() % 3; count > 0; --count) {
    const std::string text = random_text(random, 5);
    std::string arguments =
        R"({"text":)" + spoor::json::write_string(text) + R"(,"n":[1,"\u0063ent"]})";
    if (random() % 4 == 0) arguments = text;
    calls.push_back({"c1", random() % 2 == 0 ? "run" : "tax cent", arguments});
  }
  return calls;
}

// Turns, edits, pins, a summary and a merge on two branches, and turns that no branch has any more.
void make_history(const std::string& path, std::mt19937& random) {
  const auto repository = graph::Repository::create(path).value();
  std::vector<Oid> entries;
  for (int step = 0; step < 40; ++step) {
    auto branch = repository->branch(step < 20 || random() % 2 == 0 ? "main" : "side");
    if (step == 20) {
      const Oid at = *repository->branch("main").tip().value();
      repository->create_branch("side", at).value();
    }
    const std::string text = random_text(random, 6);
    switch (random() % 6) {
      case 0:
        entries.push_back(branch.reasoning(text).value());
        break;
      case 1:
        entries.push_back(branch.assistant(text, random_calls(random)).value());
        break;
      case 2:
        // Refused where the target is on the other branch only.
        if (!entries.empty()) {
          const Oid target = entries[random() % entries.size()];
          if (random() % 2 == 0) (void)branch.edit(target, text);
          graph::Edit edit;  // Of the calls alone; refused where it is no answer.
          edit.tool_calls = random_calls(random);
          (void)branch.edit(target, edit);
        }
        break;
      case 3:
        if (!entries.empty()) {
          (void)branch.annotate(entries[random() % entries.size()], store::Priority::pinned, text);
        }
        break;
      default:
        entries.push_back(branch.user(text).value());
    }
  }
  const Oid lost = *repository->branch("side").tip().value();
  repository
      ->transact("reset", graph::OnConflict::fail,
                 [&](graph::Draft& draft) -> spoor::Result<void> {
                   const auto parent = repository->reader().commit(lost).value()->parents[0];
                   return draft.move(store::branch_ref("side"), parent);
                 })
      .value();
}

// The turns that a branch leads to that say the needle, in their text or their calls.
std::set<std::string> scan(const std::string& path, const std::string& needle) {
  const auto repository = graph::Repository::open(path).value();
  std::vector<Oid> tips;
  for (const store::Ref& ref : repository->store().refs("refs/heads/").value()) {
    tips.push_back(ref.target);
  }
  std::set<std::string> found;
  store::walk_history(repository->reader(), tips, [&](const store::NamedCommit& each) {
    if (each.commit->op == store::Op::annotate) return true;
    const auto text = compile::text_of(repository->reader(), *each.commit).value();
    const auto calls = compile::fields_of(repository->reader(), *each.commit).value().tool_calls;
    if (graph::says(*text, calls ? &*calls : nullptr, needle)) found.insert(each.oid.hex());
    return true;
  }).value();
  return found;
}

std::set<std::string> hashes_in(const std::string& document, std::string_view member = "turns") {
  const auto parsed = spoor::json::parse(document);
  REQUIRE(parsed);
  std::set<std::string> hashes;
  for (const auto& turn : parsed.value().root().find(member).elements()) {
    hashes.insert(turn.find("hash").text());
  }
  return hashes;
}

}  // namespace

TEST_SUITE("cli/search") {
  TEST_CASE("search finds exactly the turns that say it, on random histories") {
    std::mt19937 random(spoor::testing::seeded(20'261'122));
    std::size_t found = 0;
    for (int round = 0; round < spoor::testing::rounds(6); ++round) {
      Program spoor;
      const std::string path = spoor.folder.path + "/.spoor";
      make_history(path, random);
      for (int look = 0; look < 12; ++look) {
        const std::string needle = random_text(random, 2);
        CAPTURE(needle);
        const auto expected = scan(path, needle);
        CHECK(hashes_in(spoor.out({"search", "--json", "--", needle})) == expected);
        const std::string log = spoor.out({"log", "--all", "--json", "--grep", needle});
        CHECK(hashes_in(log, "commits") == expected);
        found += expected.size();
      }
    }
    CHECK(found > 100);
  }

  TEST_CASE(
      "a private store's index finds as any other, for its owner alone, also without the key") {
    Program spoor;
    REQUIRE(spoor({"init", "--private"}).status == 0);
    const fs::path file = spoor.folder.path + "/.spoor";
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    spoor({"user", "the word is xylophone"});
    spoor({"user", "nothing of it"});
    const auto seek = [&] {
      return hashes_in(spoor.out({"search", "--query", "--json", "xylo*"}));
    };
    CHECK(seek().size() == 1);
    const fs::path index = store::text_index_path(file.string());
    REQUIRE(fs::exists(index));
    CHECK(fs::status(index).permissions() == fs::status(file).permissions());

    fs::remove_all(spoor.folder.path + "/.local");
    fs::remove(index);
    CHECK(seek().size() == 1);
    CHECK(spoor({"user", "more"}).status == 1);
  }

  TEST_CASE("a query shows the lines of what it finds, whatever the letters") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "first\na na\u00efve reading\nlast"});
    spoor({"user", "she said \u201chello\u201d\u2014twice"});
    spoor({"user", std::string("\u00c4rger\0und \u0395\u03bb\u03bb\u03ac\u03b4\u03b1", 22)});
    const auto lines = [&](const std::string& query) {
      const std::string out = spoor.out({"search", "--query", query});
      const std::size_t end = out.find('\n');
      return end == std::string::npos ? std::string() : out.substr(end + 1);
    };
    CHECK(lines("NA\u00cfVE") == "    a na\u00efve reading\n");
    CHECK(lines("hello") == "    she said \u201chello\u201d\u2014twice\n");
    CHECK(lines("TWIC*") == "    she said \u201chello\u201d\u2014twice\n");
    CHECK(lines("\u00e4rger") != "");
    CHECK(spoor.out({"search", "--query", "NA\u00cfVE", "--json"}).find("\"offset\": 8,") !=
          std::string::npos);
    CHECK(lines("naive") == "");  // Accents stay.
  }
}
