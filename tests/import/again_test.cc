#include <doctest/doctest.h>

#include "graph/draft.h"
#include "graph/undo.h"
#include "import/again.h"
#include "import/rules.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::Result;
using spoor::graph::Draft;
using spoor::import::import_again;
using spoor::import::lines_of_older_rules;
using spoor::import::rules_ref;
using spoor::import::TextSource;
using spoor::import::Updated;
using spoor::store::Priority;

namespace {

const std::string kLine = "refs/heads/codex/7e57c0de";

// One message of a Codex session.
struct Item {
  const char* role;
  const char* text;
  int minute;
};

std::string at(int minute) {
  return R"({"timestamp":"2026-03-02T09:)" + std::string(minute < 10 ? "0" : "") +
         std::to_string(minute) + R"(:00.000Z","type":)";
}

std::string session(const std::vector<Item>& items) {
  std::string lines = at(0) +
                      R"("session_meta","payload":{"id":"7e57c0de-1","timestamp":"x",)"
                      R"("cwd":"/p","cli_version":"0.98.0","originator":"x"}})"
                      "\n" +
                      at(0) + R"("turn_context","payload":{"cwd":"/p","model":"gpt-5-codex"}})" +
                      "\n";
  for (const Item& item : items) {
    const std::string kind = std::string(item.role) == "user" ? "input_text" : "output_text";
    lines += at(item.minute) + R"("response_item","payload":{"type":"message","role":")" +
             item.role + R"(","content":[{"type":")" + kind + R"(","text":")" + item.text +
             R"("}]}})" + "\n";
  }
  return lines;
}

void import_codex(Repository& repository, const std::string& text) {
  TextSource source("rollout.jsonl", text);
  spoor::import::import_source(source, repository, {}).value();
}

const std::vector<Item> kBefore = {{"user", "one", 1},   {"assistant", "<t>first", 2},
                                   {"user", "two", 3},   {"assistant", "second", 4},
                                   {"user", "three", 5}, {"assistant", "third", 6}};
// The same session under other rules: what the first answer says is less, a turn more is read, and
// two turns stand elsewhere.
const std::vector<Item> kNow = {{"user", "one", 1},         {"assistant", "first", 2},
                                {"user", "aha", 2},         {"user", "three", 5},
                                {"assistant", "second", 4}, {"user", "two", 3},
                                {"assistant", "third", 6}};

struct World {
  std::unique_ptr<Repository> repository = Repository::in_memory();
  spoor::graph::Branch line = repository->branch("codex/7e57c0de");

  World() {
    import_codex(*repository, session(kBefore));
    repository
        ->transact("test", spoor::graph::OnConflict::fail,
                   [](Draft& draft) { return draft.move(rules_ref(kLine), std::nullopt); })
        .value();
  }

  Oid find(const std::string& text) const {
    for (const Step& step : history(*repository, kLine)) {
      if (step.turn.text == text) return step.oid;
    }
    FAIL("no turn says ", text);
    return {};
  }

  Result<Updated> again(const std::vector<Item>& items) {
    return import_again(*repository, [&](Repository& fresh) -> Result<void> {
      import_codex(fresh, session(items));
      return {};
    });
  }
  std::vector<std::string> prompt(const std::string& ref = kLine) const {
    return prompt_texts(*repository, ref);
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE("import/again") {
  TEST_CASE("an update that only says by which rules a line was read is no bar to an undo") {
    const auto repository = Repository::in_memory();
    import_codex(*repository, session(kBefore));
    repository
        ->transact("mark", spoor::graph::OnConflict::fail,
                   [](Draft& draft) {
                     Turn mark{.type = spoor::compile::Type::note, .text = "read again"};
                     return draft.move(rules_ref(kLine),
                                       draft.append_to(std::nullopt, mark).value());
                   })
        .value();
    repository
        ->transact("undo", spoor::graph::OnConflict::fail,
                   [&](Draft& draft) {
                     const auto step = spoor::graph::step_to_undo(repository->store());
                     return spoor::graph::take_back(draft, step.value());
                   })
        .value();
    CHECK_FALSE(repository->store().ref(kLine).value());
  }

  TEST_CASE("a further branch that another holds now is removed, unless it is kept or has turns") {
    const auto again_with = [](const std::string& kept, bool adds) {
      World world;
      const Oid early = world.find("one");
      world.repository->create_branch("codex/7e57c0de-2", early).value();
      if (adds) {
        Turn own{.text = "My own."};
        world.repository->branch("codex/7e57c0de-2").commit(own).value();
      }
      const auto read = [&](Repository& fresh) -> Result<void> {
        import_codex(fresh, session(kNow));
        return {};
      };
      const Updated updated = import_again(*world.repository, read, kept).value();
      const auto is_two = [](const auto& branch) { return branch.name == kLine + "-2"; };
      const auto two = std::find_if(updated.branches.begin(), updated.branches.end(), is_two);
      const bool is_there = world.repository->store().ref(kLine + "-2").value().has_value();
      CHECK((is_there || (two != updated.branches.end() && !two->after)));
      return is_there;
    };
    CHECK_FALSE(again_with("", false));
    CHECK(again_with(kLine + "-2", false));
    CHECK(again_with("", true));
  }

  TEST_CASE("a line without a mark was read by older rules, a new one was not") {
    World world;
    CHECK(lines_of_older_rules(*world.repository).value() == Texts{"codex/7e57c0de"});
    const auto fresh = Repository::in_memory();
    import_codex(*fresh, session(kBefore));
    CHECK(lines_of_older_rules(*fresh).value().empty());
    // One that grows is still of the older rules; a branch of the user's own is no session.
    import_codex(*world.repository, session({{"user", "one", 1}, {"assistant", "<t>first", 2}}));
    world.repository->branch("codex/notes").user("by hand").value();
    CHECK(lines_of_older_rules(*world.repository).value() == Texts{"codex/7e57c0de"});
  }

  TEST_CASE("sessions that are read as before are marked, and nothing moves") {
    World world;
    const std::string before = world.prompt().back();
    const Oid tip = *world.line.tip().value();
    const auto updated = world.again(kBefore).value();
    CHECK(updated.lines == 1);
    CHECK(updated.branches.empty());
    CHECK(*world.line.tip().value() == tip);
    CHECK(lines_of_older_rules(*world.repository).value().empty());
  }

  TEST_CASE("a branch without work of its own is what a new store would have") {
    World world;
    const auto updated = world.again(kNow).value();
    const auto fresh = Repository::in_memory();
    import_codex(*fresh, session(kNow));
    CHECK(refs_text(*world.repository) == refs_text(*fresh));
    CHECK(updated.replaced > 0);
    CHECK(updated.carried == 0);
  }

  TEST_CASE("pins, skips, edits, judgements and turns of the user's own are carried") {
    World world;
    const Oid second = world.find("second");
    world.line.annotate(world.find("one"), Priority::pinned, "the task").value();
    world.line.annotate(world.find("three"), Priority::skip).value();
    world.line.edit(second, "second, mended").value();
    world.line.edit(world.find("<t>first"), "first, mended").value();
    world.line.user("by hand").value();
    world.repository
        ->transact("test", spoor::graph::OnConflict::fail,
                   [&](Draft& draft) -> Result<void> {
                     Turn note{.type = spoor::compile::Type::note, .text = "wrong"};
                     note.about = {second};
                     return draft.move("refs/notes/evaluation",
                                       TRY(draft.append_to(std::nullopt, note)));
                   })
        .value();
    const auto updated = world.again(kNow).value();
    CHECK(updated.carried == 6);
    CHECK(updated.dropped.empty());
    CHECK(world.prompt() ==
          Texts{"one", "first, mended", "aha", "second, mended", "two", "third", "by hand"});
    const auto state = world.repository->folder().at(*world.line.tip().value()).value();
    const Oid moved = world.find("second");
    CHECK(moved != second);
    CHECK(state->find(world.find("one"))->priority == Priority::pinned);
    const auto notes = history(*world.repository, "refs/notes/evaluation");
    REQUIRE(notes.size() == 2);
    CHECK(notes.back().commit.about == std::vector<Oid>{moved});
    CHECK(notes.back().turn.text == "wrong");
  }

  TEST_CASE("a branch of the user's own that begins within a session follows it") {
    World world;
    world.repository->create_branch("mine", world.find("second")).value();
    auto mine = world.repository->branch("mine");
    mine.user("another way").value();
    world.repository->create_branch("other", world.find("two")).value();
    world.again(kNow).value();
    // All that is read of the history up to "second", in the order in which it is read now.
    CHECK(world.prompt("refs/heads/mine") ==
          Texts{"one", "first", "aha", "three", "second", "two", "another way"});
    CHECK(world.prompt("refs/heads/other") ==
          Texts{"one", "first", "aha", "three", "second", "two"});
  }

  TEST_CASE("a merge of two branches of one session is carried once, with both sides") {
    World world;
    world.repository->create_branch("mine", world.find("second")).value();
    world.repository->branch("mine").user("left").value();
    world.repository->create_branch("other", world.find("second")).value();
    world.repository->branch("other").user("right").value();
    world.repository
        ->transact("merge", spoor::graph::OnConflict::fail,
                   [&](Draft& draft) -> Result<void> {
                     const auto other = world.repository->branch("other").tip();
                     TRY(draft.merge("refs/heads/mine", *other.value(), spoor::store::Mode::append,
                                     {}, nullptr, {}));
                     return {};
                   })
        .value();
    world.again(kNow).value();
    CHECK(world.prompt("refs/heads/mine") ==
          Texts{"one", "first", "aha", "three", "second", "two", "left", "right"});
  }

  TEST_CASE("a directive of a turn that is not read any more is dropped, and told") {
    World world;
    const Oid pin = world.line.annotate(world.find("two"), Priority::pinned).value();
    const auto updated = world
                             .again({{"user", "one", 1},
                                     {"assistant", "first", 2},
                                     {"user", "three", 5},
                                     {"assistant", "third", 6},
                                     {"user", "four", 7},
                                     {"assistant", "fourth", 8}})
                             .value();
    CHECK(updated.dropped == std::vector<Oid>{pin});
    CHECK(world.prompt() == Texts{"one", "first", "three", "third", "four", "fourth"});
  }

  TEST_CASE("a file that ends before what was imported changes nothing, and the line is told") {
    World world;
    const Oid tip = *world.line.tip().value();
    const auto updated = world.again({{"user", "one", 1}, {"assistant", "first", 2}}).value();
    CHECK(updated.shorter == Texts{"codex/7e57c0de"});
    CHECK(*world.line.tip().value() == tip);
    CHECK(lines_of_older_rules(*world.repository).value() == Texts{"codex/7e57c0de"});
  }

  TEST_CASE("an undo gives the branches back, and the line is of older rules again") {
    World world;
    world.line.annotate(world.find("one"), Priority::pinned).value();
    const Oid tip = *world.line.tip().value();
    world.again(kNow).value();
    REQUIRE(*world.line.tip().value() != tip);
    const auto step = spoor::graph::step_to_undo(world.repository->store()).value();
    world.repository
        ->transact(spoor::graph::kUndo, spoor::graph::OnConflict::fail,
                   [&](Draft& draft) { return spoor::graph::take_back(draft, step); })
        .value();
    CHECK(*world.line.tip().value() == tip);
    CHECK(lines_of_older_rules(*world.repository).value() == Texts{"codex/7e57c0de"});
  }

  TEST_CASE("all of it is one operation, which maps old turns to new and keeps no note twice") {
    World world;
    const Oid first = world.find("<t>first");
    const auto before = world.repository->store().newest_operation().value()->number;
    world.again(kNow).value();
    const auto operations = world.repository->store().operations(before, 10).value();
    REQUIRE(operations.size() == 1);
    CHECK(operations[0].body.find("map " + first.hex() + " " + world.find("first").hex()) !=
          std::string::npos);
    CHECK(history(*world.repository, "refs/sources/codex/7e57c0de-1").size() == 2);
    // Once more: nothing is left to do.
    const auto done = world.repository->store().newest_operation().value()->number;
    CHECK(world.again(kNow).value().branches.empty());
    CHECK(world.repository->store().newest_operation().value()->number == done);
  }
}
