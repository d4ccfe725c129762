#include "graph/rewrite.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "graph/refs.h"
#include "graph/repository.h"
#include "graph/restore.h"
#include "graph/undo.h"
#include "store/ancestry.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::compile;
using namespace spoor::graph;

namespace {

const std::string kMain = store::branch_ref("main");

std::unique_ptr<Repository> empty_repository() { return Repository::in_memory(); }

// The texts of the prompt at a commit.
std::vector<std::string> texts(const Repository& repository, const Oid& commit) {
  std::vector<std::string> all;
  for (const Message& message : repository.compile(commit).value().messages) {
    all.push_back(message.text());
  }
  return all;
}

Oid tip(Repository& repository, const std::string& branch = "main") {
  return repository.branch(branch).tip().value().value();
}

Result<Rewritten> write(Repository& repository, const std::string& command,
                        const std::function<Result<Rewritten>(Draft&)>& body) {
  Rewritten done;
  const auto written =
      repository.transact(command, OnConflict::fail, [&](Draft& draft) -> Result<void> {
        done = TRY(body(draft));
        return {};
      });
  if (!written) return written.error();
  return done;
}

Result<void> undo(Repository& repository) {
  const Step step = TRY(step_to_undo(repository.store()));
  TRY(repository.transact(kUndo, OnConflict::fail,
                          [&](Draft& draft) { return take_back(draft, step); }));
  return {};
}

Result<void> redo(Repository& repository) {
  const Step step = TRY(step_to_redo(repository.store()));
  TRY(repository.transact(kRedo, OnConflict::fail,
                          [&](Draft& draft) { return take_back(draft, step); }));
  return {};
}

std::vector<store::Ref> refs(const Repository& repository) {
  return repository.store().refs("refs/").value();
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE("graph/rewrite") {
  TEST_CASE("a rebase copies what is its own, and every line but place and targets stays") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    const Oid base = main.user("base").value();
    REQUIRE(repository->create_branch("side", base));
    REQUIRE(main.user("main turn"));
    auto side = repository->branch("side");
    Turn turn{.type = Type::assistant, .text = "side turn"};
    turn.raw = {{R"({"type":"text"})", "application/json"}};
    turn.fields.tool_calls = {{{"c1", "run", "{}"}}};
    const Oid original = side.commit(turn).value();
    const Oid result = side.tool("result", "c1", "run").value();
    REQUIRE(side.edit(original, "edited"));
    REQUIRE(side.annotate(result, Priority::pinned, "keep"));

    const auto done = write(*repository, "rebase", [&](Draft& draft) {
      return rebase(draft, repository->reader(), store::branch_ref("side"), tip(*repository));
    });
    REQUIRE(done);
    REQUIRE(done->copies.size() == 4);
    CHECK(texts(*repository, done->tip) == Texts{"base", "main turn", "edited", "result"});
    const auto before = repository->reader().commit(original).value();
    const auto after = repository->reader().commit(done->copies[0].second).value();
    CHECK(after->change == original.hex(32));
    CHECK(after->content == before->content);
    CHECK(after->raw == before->raw);
    CHECK(after->fields == before->fields);
    CHECK(after->author == before->author);
    CHECK(after->time == before->time);
    CHECK(after->parents[0] == tip(*repository));
    const auto edit = repository->reader().commit(done->copies[2].second).value();
    CHECK(edit->target == std::vector{done->copies[0].second});
    CHECK(texts(*repository, original) == Texts{"base", "side turn"});
  }

  TEST_CASE("the mapping stands in the operation") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    const Oid base = main.user("base").value();
    REQUIRE(repository->create_branch("side", base));
    REQUIRE(main.user("main turn"));
    REQUIRE(repository->branch("side").user("side turn"));
    const auto done = write(*repository, "rebase", [&](Draft& draft) {
      return rebase(draft, repository->reader(), store::branch_ref("side"), tip(*repository));
    });
    REQUIRE(done);
    const auto newest = repository->store().newest_operation().value();
    CHECK(store::parse_operation(newest->body)->map == done->copies);
  }

  TEST_CASE("a rebase onto what is there already, or with nothing of its own") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    const Oid base = main.user("base").value();
    REQUIRE(repository->create_branch("side", base));
    const Oid newest = main.user("more").value();
    const auto nothing = write(*repository, "rebase", [&](Draft& draft) {
      return rebase(draft, repository->reader(), kMain, base);
    });
    CHECK(nothing->copies.empty());
    CHECK(tip(*repository) == newest);
    const auto moved = write(*repository, "rebase", [&](Draft& draft) {
      return rebase(draft, repository->reader(), store::branch_ref("side"), newest);
    });
    CHECK(moved->copies.empty());
    CHECK(tip(*repository, "side") == newest);
  }

  TEST_CASE("an edit of what is not on the new chain is refused, and nothing moves") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    const Oid base = main.user("base").value();
    REQUIRE(repository->create_branch("side", base));
    auto side = repository->branch("side");
    const Oid turn = side.user("side").value();
    const Oid edit = side.edit(turn, "edited").value();
    const auto before = refs(*repository);
    const auto done = write(*repository, "cherry-pick", [&](Draft& draft) {
      return cherry_pick(draft, repository->reader(), kMain, {edit});
    });
    REQUIRE_FALSE(done);
    CHECK(done.error().code == spoor::Error::Code::not_found);
    CHECK(refs(*repository) == before);
    const auto both = write(*repository, "cherry-pick", [&](Draft& draft) {
      return cherry_pick(draft, repository->reader(), kMain, {turn, edit});
    });
    REQUIRE(both);
    CHECK(texts(*repository, both->tip) == Texts{"base", "edited"});
  }

  TEST_CASE("a revert takes a call and its results, and what was said about them") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    REQUIRE(main.user("ask"));
    const Oid call = main.assistant("calling", {{"c1", "run", "{}"}}).value();
    const Oid result = main.tool("result", "c1", "run").value();
    REQUIRE(main.annotate(result, Priority::pinned));
    REQUIRE(main.user("thanks"));
    const auto done = write(*repository, "revert", [&](Draft& draft) {
      return abandon(draft, repository->reader(), repository->folder(), kMain, {call});
    });
    REQUIRE(done);
    CHECK(done->dropped.size() == 3);
    CHECK(texts(*repository, done->tip) == Texts{"ask", "thanks"});
  }

  TEST_CASE("a revert of everything is refused; of the root it is not") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    const Oid first = main.user("first").value();
    const auto all = write(*repository, "revert", [&](Draft& draft) {
      return abandon(draft, repository->reader(), repository->folder(), kMain, {first});
    });
    REQUIRE_FALSE(all);
    CHECK(all.error().code == spoor::Error::Code::invalid);
    REQUIRE(main.user("second"));
    const auto done = write(*repository, "revert", [&](Draft& draft) {
      return abandon(draft, repository->reader(), repository->folder(), kMain, {first});
    });
    REQUIRE(done);
    CHECK(texts(*repository, done->tip) == Texts{"second"});
    CHECK(repository->reader().commit(done->tip).value()->parents.empty());
  }

  TEST_CASE("an amendment says it anew, without the provider's items, and what follows stays") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    REQUIRE(main.user("ask"));
    Turn turn{.type = Type::assistant, .text = "wrong"};
    turn.raw = {{R"({"x":1})", "application/json"}};
    const Oid answer = main.commit(turn).value();
    REQUIRE(main.annotate(answer, Priority::pinned));
    REQUIRE(main.user("more"));
    const auto done = write(*repository, "amend", [&](Draft& draft) {
      return amend(draft, repository->reader(), kMain, answer, {.text = "right", .message = "m"});
    });
    REQUIRE(done);
    CHECK(texts(*repository, done->tip) == Texts{"ask", "right", "more"});
    const auto copy = repository->reader().commit(done->copies[0].second).value();
    CHECK(copy->raw.empty());
    CHECK(copy->change == answer.hex(32));
    CHECK(repository->compile(done->tip)->messages[1].parts[0].priority == Priority::pinned);
  }

  TEST_CASE("a merge that would bring back what is rewritten is a conflict") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    const Oid first = main.user("A").value();
    const Oid base = main.user("B").value();
    REQUIRE(repository->create_branch("side", base));
    const Oid side = repository->branch("side").user("X").value();
    REQUIRE(main.user("C"));
    const auto merged = repository->transact("merge", OnConflict::fail, [&](Draft& draft) {
      return draft.merge(kMain, side, store::Mode::append, {}, nullptr, {}).has_value()
                 ? Result<void>()
                 : Result<void>(spoor::invalid("merge"));
    });
    REQUIRE(merged);
    const auto before = refs(*repository);
    for (const auto& body : std::initializer_list<std::function<Result<Rewritten>(Draft&)>>{
             [&](Draft& draft) {
               return abandon(draft, repository->reader(), repository->folder(), kMain, {first});
             },
             [&](Draft& draft) {
               return amend(draft, repository->reader(), kMain, base, {.text = "Z"});
             }}) {
      const auto done = write(*repository, "rewrite", body);
      REQUIRE_FALSE(done);
      CHECK(done.error().code == spoor::Error::Code::conflict);
      CHECK(refs(*repository) == before);
    }
    // What was written after the fork touches the other side not.
    const Oid tip_now = tip(*repository);
    const Oid c = repository->reader().commit(tip_now).value()->parents[0];
    const auto done = write(*repository, "revert", [&](Draft& draft) {
      return abandon(draft, repository->reader(), repository->folder(), kMain, {c});
    });
    REQUIRE(done);
    CHECK(texts(*repository, done->tip) == Texts{"A", "B", "X"});
  }

  TEST_CASE("a merge can be reverted with what was said about what it brought") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    const Oid base = main.user("A").value();
    REQUIRE(repository->create_branch("side", base));
    const Oid side = repository->branch("side").user("X").value();
    REQUIRE(main.user("B"));
    Oid merge;
    REQUIRE(repository->transact("merge", OnConflict::fail, [&](Draft& draft) -> Result<void> {
      merge = TRY(draft.merge(kMain, side, store::Mode::append, {}, nullptr, {}));
      return {};
    }));
    REQUIRE(main.edit(side, "X edited"));
    REQUIRE(main.user("C"));
    const auto done = write(*repository, "revert", [&](Draft& draft) {
      return abandon(draft, repository->reader(), repository->folder(), kMain, {merge});
    });
    REQUIRE(done);
    CHECK(texts(*repository, done->tip) == Texts{"A", "B", "C"});
    CHECK(done->dropped.size() == 2);
  }

  TEST_CASE("a call that is summarised goes with its result, too") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    REQUIRE(main.user("ask"));
    const Oid call = main.assistant("calling", {{"c1", "run", "{}"}}).value();
    const Oid result = main.tool("result", "c1", "run").value();
    REQUIRE(main.user("thanks"));
    REQUIRE(repository->transact("compress", OnConflict::fail, [&](Draft& draft) -> Result<void> {
      const Turn summary{.type = Type::summary, .text = "sum"};
      TRY(draft.compress(kMain, {.from = call, .to = result, .only = {}}, summary, {}));
      return {};
    }));
    const auto done = write(*repository, "revert", [&](Draft& draft) {
      return abandon(draft, repository->reader(), repository->folder(), kMain, {call});
    });
    REQUIRE(done);
    CHECK(done->dropped.size() == 3);
    CHECK(texts(*repository, done->tip) == Texts{"ask", "thanks"});
  }

  TEST_CASE("a rebase does not copy what was picked already") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    const Oid base = main.user("base").value();
    REQUIRE(repository->create_branch("side", base));
    auto side = repository->branch("side");
    const Oid one = side.user("one").value();
    REQUIRE(side.edit(one, "one edited"));
    REQUIRE(side.user("two"));
    REQUIRE(write(*repository, "cherry-pick", [&](Draft& draft) {
      return cherry_pick(draft, repository->reader(), kMain, {one});
    }));
    const auto done = write(*repository, "rebase", [&](Draft& draft) {
      return rebase(draft, repository->reader(), store::branch_ref("side"), tip(*repository));
    });
    REQUIRE(done);
    CHECK(done->dropped == std::vector{one});
    CHECK(texts(*repository, done->tip) == Texts{"base", "one edited", "two"});
  }

  TEST_CASE(
      "the own commits of a line are those that a walk over the other history does not meet") {
    std::mt19937 random(spoor::testing::seeded(71));
    for (int round = 0; round < spoor::testing::rounds(20); ++round) {
      const auto repository = empty_repository();
      std::vector<std::string> names = {"main"};
      std::vector<Oid> commits = {repository->branch("main").user("root").value()};
      const auto any = [&](const auto& all) { return all[random() % all.size()]; };
      for (int i = 0; i < 60; ++i) {
        const std::string name = any(names);
        auto branch = repository->branch(name);
        if (random() % 6 == 0) {
          names.push_back(std::to_string(i));
          REQUIRE(repository->create_branch(names.back(), any(commits)));
        } else if (random() % 5 == 0) {
          const Oid source = any(commits);
          REQUIRE(repository->transact("merge", OnConflict::fail, [&](Draft& draft) {
            const auto merged =
                draft.merge(store::branch_ref(name), source, store::Mode::append, {}, nullptr, {});
            if (merged) commits.push_back(*merged);
            return Result<void>();
          }));
        } else {
          commits.push_back(branch.user(std::to_string(i)).value());
        }
      }
      for (int i = 0; i < 40; ++i) {
        const Oid tip = any(commits);
        const Oid other = any(commits);
        std::set<Oid> history;
        REQUIRE(store::walk_history(repository->reader(), {other}, [&](const auto& named) {
          history.insert(named.oid);
          return true;
        }));
        const auto line_to = [&](const Oid& end) {
          std::vector<Oid> line = {end};
          while (true) {
            const auto commit = repository->reader().commit(line.back()).value();
            if (commit->parents.empty()) return line;
            line.push_back(commit->parents[0]);
          }
        };
        const std::vector<Oid> line = line_to(tip);
        std::vector<Oid> expected;
        for (const Oid& at : line) {
          if (!history.contains(at)) expected.insert(expected.begin(), at);
        }
        std::vector<Oid> visited;
        const auto own = own_commits(repository->reader(), tip, other,
                                     [&](const auto& named) { visited.push_back(named.oid); });
        CHECK(own.value() == expected);
        std::vector<Oid> beside;
        for (const Oid& at : line_to(other)) {
          if (std::find(line.begin(), line.end(), at) == line.end()) beside.push_back(at);
        }
        CHECK(visited == beside);
      }
    }
  }

  TEST_CASE("a commit elsewhere can neither be amended nor reverted") {
    const auto repository = empty_repository();
    const Oid other = repository->branch("other").user("x").value();
    REQUIRE(repository->branch("main").user("y"));
    for (const auto& body : std::initializer_list<std::function<Result<Rewritten>(Draft&)>>{
             [&](Draft& draft) {
               return amend(draft, repository->reader(), kMain, other, {.text = "z"});
             },
             [&](Draft& draft) {
               return abandon(draft, repository->reader(), repository->folder(), kMain, {other});
             }}) {
      const auto done = write(*repository, "rewrite", body);
      REQUIRE_FALSE(done);
      CHECK(done.error().code == spoor::Error::Code::not_found);
    }
  }

  TEST_CASE("one that fails half-way adds nothing to the draft") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    const Oid base = main.user("base").value();
    REQUIRE(repository->create_branch("side", base));
    auto side = repository->branch("side");
    const Oid first = side.user("first").value();
    const Oid answer = side.assistant("second").value();
    side.annotate(first, Priority::pinned).value();
    auto draft = repository->draft();
    const auto is_untouched = [&draft] {
      return draft->size() == 0 && draft->bytes() == 0 && draft->moves().empty();
    };

    // The pin names what is not on main: the answer was copied by then.
    const auto picked =
        cherry_pick(*draft, repository->reader(), kMain, {answer, tip(*repository, "side")});
    REQUIRE_FALSE(picked);
    CHECK(is_untouched());

    // Text and copy are there before it turns out that the merge cannot be copied.
    REQUIRE(main.user("later"));
    REQUIRE(write(*repository, "merge", [&](Draft& into) -> Result<Rewritten> {
      const Oid made =
          TRY(into.merge(kMain, tip(*repository, "side"), store::Mode::append, {}, nullptr, {}));
      return Rewritten{{}, {}, made};
    }));
    draft = repository->draft();
    const auto amended = amend(*draft, repository->reader(), kMain, base, {.text = "anew"});
    REQUIRE_FALSE(amended);
    CHECK(is_untouched());

    // What is done with the draft afterwards tells nothing of it.
    REQUIRE(draft->append(kMain, Turn{.type = Type::user, .text = "alone"}));
    REQUIRE(draft->write("user"));
    const auto newest = repository->store().newest_operation().value();
    CHECK(store::parse_operation(newest->body).value().map.empty());
  }
}

TEST_SUITE("graph/undo") {
  TEST_CASE("steps are taken back one by one, and done again in the other order") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    std::vector<std::vector<store::Ref>> states = {refs(*repository)};
    for (const char* text : {"one", "two", "three"}) {
      REQUIRE(repository->branch("main").user(text));
      states.push_back(refs(*repository));
    }
    for (std::size_t i = 3; i-- > 0;) {
      REQUIRE(undo(*repository));
      CHECK(refs(*repository) == states[i]);
    }
    const auto none = undo(*repository);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == spoor::Error::Code::not_found);
    for (std::size_t i = 1; i <= 3; ++i) {
      REQUIRE(redo(*repository));
      CHECK(refs(*repository) == states[i]);
    }
    CHECK_FALSE(redo(*repository));
  }

  TEST_CASE("after a new step there is nothing to redo, and undo goes on behind it") {
    const auto repository = empty_repository();
    REQUIRE(repository->branch("main").user("one"));
    REQUIRE(repository->branch("main").user("two"));
    REQUIRE(undo(*repository));
    REQUIRE(repository->branch("main").user("three"));
    CHECK_FALSE(redo(*repository));
    REQUIRE(undo(*repository));
    CHECK(texts(*repository, tip(*repository)) == Texts{"one"});
    REQUIRE(undo(*repository));
    CHECK(refs(*repository).empty());
  }

  TEST_CASE("a step whose ref has gone on since is a conflict") {
    const auto repository = empty_repository();
    REQUIRE(repository->branch("main").user("one"));
    const Step step = step_to_undo(repository->store()).value();
    REQUIRE(repository->branch("main").user("two"));
    const auto done = repository->transact(kUndo, OnConflict::fail,
                                           [&](Draft& draft) { return take_back(draft, step); });
    REQUIRE_FALSE(done);
    CHECK(done.error().code == spoor::Error::Code::conflict);
  }

  TEST_CASE("what an import recorded of its source stays, and stands in no undo's way") {
    const auto repository = empty_repository();
    const Oid early = repository->branch("main").user("early").value();
    const std::string source = "refs/sources/tool/1";
    REQUIRE(repository->transact("import", OnConflict::fail, [&](Draft& draft) -> Result<void> {
      const Turn note{.type = Type::note, .text = "record"};
      TRY(draft.append(source, note));
      TRY(draft.append(kMain, Turn{.type = Type::user, .text = "imported"}));
      return {};
    }));
    REQUIRE(repository->transact("import", OnConflict::fail, [&](Draft& draft) -> Result<void> {
      TRY(draft.append(source, Turn{.type = Type::note, .text = "another"}));
      return {};
    }));
    const auto record = repository->store().ref(source).value();
    REQUIRE(undo(*repository));
    CHECK(tip(*repository) == early);
    CHECK(repository->store().ref(source).value() == record);
    REQUIRE(undo(*repository));
    CHECK_FALSE(repository->branch("main").tip().value());
  }

  TEST_CASE("a text is restored as a new version") {
    const auto repository = empty_repository();
    auto main = repository->branch("main");
    const Oid turn = main.user("first").value();
    REQUIRE(main.edit(turn, "second"));
    const auto back = [&](std::size_t version) {
      return repository->transact("restore", OnConflict::fail, [&](Draft& draft) -> Result<void> {
        TRY(restore(draft, repository->reader(), repository->folder(), kMain, turn, version, {}));
        return {};
      });
    };
    REQUIRE(back(0));
    CHECK(texts(*repository, tip(*repository)) == Texts{"first"});
    const auto none = back(3);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == spoor::Error::Code::not_found);
  }
}

// Random histories, rewritten at random. What was compiled once never changes; the texts of a
// branch are those of its turns; undo and redo go back and forth.
TEST_SUITE("graph/rewrite_property") {
  TEST_CASE("rewriting leaves every old prompt alone, keeps edits and pins, and can be undone") {
    for (unsigned seed = 1; seed <= spoor::testing::rounds(40U); ++seed) {
      CAPTURE(seed);
      std::mt19937 random(spoor::testing::seeded(seed));
      const auto repository = empty_repository();
      std::map<Oid, std::string> hashes;  // Of every tip there ever was, its prompt.
      std::vector<Oid> turns;
      const auto pick = [&](const std::vector<Oid>& from) { return from[random() % from.size()]; };
      REQUIRE(repository->branch("main").user("root"));
      REQUIRE(repository->create_branch("side", tip(*repository)));
      for (int step = 0; step < 40; ++step) {
        const std::string name = random() % 2 == 0 ? "main" : "side";
        const std::string ref = store::branch_ref(name);
        auto branch = repository->branch(name);
        const auto before = refs(*repository);
        const store::Reader& reader = repository->reader();
        const Oid here = tip(*repository, name);
        bool moved = false;
        switch (random() % 9) {
          case 0:
          case 1:
          case 2:
            turns.push_back(branch.user("turn " + std::to_string(step)).value());
            moved = true;
            break;
          case 3:
            moved = !turns.empty() &&
                    branch.edit(pick(turns), "edit " + std::to_string(step)).has_value();
            break;
          case 4:
            moved = !turns.empty() && branch.annotate(pick(turns), Priority::pinned).has_value();
            break;
          case 5: {
            const Oid onto = tip(*repository, name == "main" ? "side" : "main");
            const auto old = repository->compile(here).value();
            const auto done = write(*repository, "rebase",
                                    [&](Draft& draft) { return rebase(draft, reader, ref, onto); });
            REQUIRE(done);
            moved = done->tip != here;
            // What it showed of its own is there still, as it was edited and pinned.
            const auto now = repository->compile(done->tip).value();
            for (const auto& [original, copy] : done->copies) {
              const auto find = [](const Prompt& prompt, const Oid& oid) -> const Part* {
                for (const Message& each : prompt.messages) {
                  if (each.hash() == oid) return &each.parts[0];
                }
                return nullptr;
              };
              const Part* was = find(old, original);
              const Part* is = find(now, copy);
              REQUIRE((was == nullptr) == (is == nullptr));
              if (was == nullptr) continue;
              CHECK(*was->text == *is->text);
              CHECK(was->priority == is->priority);
              CHECK(was->is_edited == is->is_edited);
            }
            break;
          }
          case 6:
            moved = !turns.empty() &&
                    write(*repository, "revert", [&](Draft& draft) {
                      return abandon(draft, reader, repository->folder(), ref, {pick(turns)});
                    }).has_value();
            break;
          case 7:
            moved = !turns.empty() &&
                    write(*repository, "amend", [&](Draft& draft) {
                      return amend(draft, reader, ref, pick(turns), {.text = "amended"});
                    }).has_value();
            break;
          case 8:
            moved = !turns.empty() && write(*repository, "cherry-pick", [&](Draft& draft) {
                                        return cherry_pick(draft, reader, ref, {pick(turns)});
                                      }).has_value();
            break;
        }
        const auto after = refs(*repository);
        if (!moved) CHECK(after == before);
        if (after != before) {  // To say again what it says already moves nothing.
          REQUIRE(undo(*repository));
          CHECK(refs(*repository) == before);
          REQUIRE(redo(*repository));
          CHECK(refs(*repository) == after);
        }
        // Copies are turns too.
        REQUIRE(reader.run(tip(*repository, name), 100, [&](const store::NamedCommit& each) {
          const bool is_turn = each.commit->op == store::Op::append;
          if (is_turn && std::find(turns.begin(), turns.end(), each.oid) == turns.end())
            turns.push_back(each.oid);
          return true;
        }));
        repository->drop_caches();
        for (const auto& [commit, hash] : hashes) {
          REQUIRE(repository->compile(commit)->hash.hex() == hash);
        }
        const Oid now = tip(*repository, name);
        hashes.emplace(now, repository->compile(now)->hash.hex());
      }
    }
  }

  TEST_CASE("the tags of a turn go with its copies, and refs/tags stay where they are") {
    for (unsigned seed = 1; seed <= spoor::testing::rounds(20U); ++seed) {
      CAPTURE(seed);
      std::mt19937 random(spoor::testing::seeded(seed));
      const auto repository = empty_repository();
      const store::Reader& reader = repository->reader();
      REQUIRE(repository->branch("main").user("root"));
      REQUIRE(repository->create_branch("side", tip(*repository)));
      std::map<std::string, std::vector<Oid>> turns;
      for (int number = 0; number < 12; ++number) {
        const std::string name = random() % 2 == 0 ? "main" : "side";
        Turn turn{.type = Type::user, .text = "turn " + std::to_string(number)};
        turn.extra.tags = {"number-" + std::to_string(number)};
        REQUIRE(repository->transact("user", OnConflict::fail, [&](Draft& draft) -> Result<void> {
          turns[name].push_back(TRY(draft.append(store::branch_ref(name), turn)));
          return create_tag(draft, "t" + std::to_string(number), turns[name].back());
        }));
      }
      if (turns["main"].empty() || turns["side"].empty()) continue;
      const auto tags = repository->store().refs("refs/tags/").value();
      REQUIRE(tags.size() == 12);

      const auto keeps_tags = [&](const Result<Rewritten>& done) {
        REQUIRE(done);
        for (const auto& [original, copy] : done->copies) {
          CHECK(reader.commit(copy).value()->extra == reader.commit(original).value()->extra);
          CHECK(reader.commit(copy).value()->extra.has_value());
        }
        CHECK(repository->store().refs("refs/tags/").value() == tags);
        return done->copies.size();
      };
      const auto pick = [&](const std::string& name) {
        return turns[name][random() % turns[name].size()];
      };
      const Oid reverted = pick("main");
      keeps_tags(write(*repository, "revert", [&](Draft& draft) {
        return abandon(draft, reader, repository->folder(), kMain, {reverted});
      }));
      CHECK(keeps_tags(write(*repository, "cherry-pick", [&](Draft& draft) {
              return cherry_pick(draft, reader, kMain, {pick("side"), reverted});
            })) == 2);
      CHECK(keeps_tags(write(*repository, "rebase",
                             [&](Draft& draft) {
                               return rebase(draft, reader, store::branch_ref("side"),
                                             tip(*repository));
                             })) +
                1 >=
            turns["side"].size());
    }
  }
}
