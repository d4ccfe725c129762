#include "attempts/tree.h"

#include <doctest/doctest.h>

#include "attempts/dataset.h"
#include "attempts/recorded_tools.h"
#include "attempts/table.h"
#include "tests/agent/stage.h"

namespace {

using namespace spoor;
using agent::testing::calls;
using agent::testing::ListModel;
using agent::testing::must;
using agent::testing::Stage;
using attempts::Answers;
using attempts::Plan;
using attempts::State;
using attempts::Verdict;
using store::Oid;

// A run that calls `look` twice with equal arguments, and its tree.
struct Grown {
  Stage stage;
  Oid base;
  Plan plan;

  Grown() {
    int calls_made = 0;
    stage.add("look", [&](std::string_view) {
      return agent::gave("seen " + std::to_string(++calls_made));
    });
    ListModel model({calls({{"look", R"({"at": 1, "deep": true})"}}),
                     calls({{"look", R"({ "deep":true,"at":1})"}}), llm::say("done")});
    find_it(stage, model);
    // The goal is the last user turn of the run.
    for (const auto& commit : log()) {
      if (commit.commit->type == store::Type::user) base = commit.oid;
    }
    plan = {.base = base,
            .line = must(stage.session.branch().tip()),
            .goal = "find it",
            .models = {"list/a", "list/b"},
            .count = 2};
    plan.tools = {{.id = "look", .description = "looks", .parameters = {}}};
    plan.options = R"({"calling":"native","max_steps":10})";
  }

  std::vector<store::NamedCommit> log() {
    std::vector<store::NamedCommit> all;
    must(stage.session.branch().log([&](const store::NamedCommit& commit) {
      all.insert(all.begin(), commit);
      return true;
    }));
    return all;
  }

  static void must(const Result<void>& result) {
    if (!result) throw std::runtime_error(result.error().message);
  }
  template <class T>
  static T must(Result<T> result) {
    return agent::testing::must(std::move(result));
  }

  graph::Repository& repository() { return *stage.repository; }

  // Runs an attempt of the tree with these replies.
  agent::PlanResult run(const attempts::Tree& tree, std::int64_t number,
                        std::vector<llm::Reply> replies, const attempts::RecordedResults& results) {
    ListModel model(std::move(replies));
    agent::Registry registry;
    attempts::RecordedTools tools(repository(), results, tree.plan.answers);
    must(tools.make(tree.plan.tools, registry));
    agent::RunOptions options;
    options.registry = &registry;
    options.gate = &tools;
    options.until = [&](const agent::PlanResult&) { return tools.stop(); };
    options.attempt_of = agent::AttemptOf{tree.id, number};
    agent::Session session(repository(), attempts::branch_of(tree, number));
    return must(agent::run(agent::Strategy::react, tree.plan.goal, {&model, "m", {}, {}}, session,
                           options));
  }
};

const llm::Reply kLook = calls({{"look", R"({"deep": true, "at": 1})"}});

}  // namespace

TEST_SUITE("attempts/tree") {
  TEST_CASE("a plan survives its JSON") {
    Plan plan{.base = store::Oid::from_hex(std::string(64, 'a')).value(),
              .line = store::Oid::from_hex(std::string(64, 'b')).value(),
              .goal = "find \"it\"",
              .models = {"a/b", "c/d"},
              .count = 3,
              .answers = Answers::deny,
              .tools = {{.id = "t", .description = "d", .parameters = "{}", .read_only = true}},
              .settings = R"({"root":"x"})",
              .options = "{}",
              .window_tokens = 7,
              .observations = 2,
              .changes = "ab",
              .limits = {.max_cost = llm::Money{5}, .max_tokens = 6, .max_steps = 7},
              .expects = {.test = "true", .text = "x", .judge = "m/n", .rubric = "r"},
              .dataset = "set",
              .item = store::Oid::from_hex(std::string(64, 'c')).value()};
    CHECK(Grown::must(attempts::read_plan(attempts::write_plan(plan))) == plan);
    CHECK(!attempts::read_plan("{}"));
    CHECK(!attempts::read_plan(R"({"base":"x","models":["m"],"count":1,"answers":"recorded"})"));
  }

  TEST_CASE("a tree's branches begin at one commit, and nothing has run") {
    Grown grown;
    const auto tree = Grown::must(attempts::create_tree(grown.repository(), grown.plan, {}));
    const auto found = Grown::must(attempts::find_tree(grown.repository(), "latest"));
    CHECK(found.id == tree.id);
    CHECK(found.plan == grown.plan);
    CHECK(Grown::must(attempts::find_tree(grown.repository(), tree.id.substr(0, 6))).id == tree.id);
    CHECK(!attempts::find_tree(grown.repository(), "0123456"));
    const auto all = Grown::must(attempts::attempts_of(grown.repository(), tree, nullptr));
    REQUIRE(all.size() == 4);
    CHECK(all[0].model == "list/a");
    CHECK(all[1].model == "list/b");
    for (const auto& attempt : all) CHECK(attempt.state == State::waiting);
  }

  TEST_CASE("equal calls get the recorded results in their order, and an unknown one ends it") {
    Grown grown;
    const auto tree = Grown::must(attempts::create_tree(grown.repository(), grown.plan, {}));
    const auto results = Grown::must(
        attempts::recorded_results(grown.repository(), grown.plan.base, *grown.plan.line));
    CHECK(results.after.size() == 1);  // Equal arguments, whatever their order and blanks.
    CHECK(results.before.empty());
    const auto done =
        grown.run(tree, 1, {kLook, kLook, kLook, calls({{"look", "{}"}}), llm::say("no")}, results);
    REQUIRE(done.steps.size() == 4);
    CHECK(done.steps[0].observation == R"("seen 1")");
    CHECK(done.steps[1].observation == R"("seen 2")");
    CHECK(done.steps[2].observation == R"("seen 2")");  // The last one, from there on.
    CHECK(done.stopped == agent::Stopped::planner);
    CHECK(done.by == attempts::kNoRecordedResult);
    const auto turn =
        Grown::must(graph::read_turn(grown.repository().reader(), done.steps[1].commit));
    const auto from = turn.facts.text("recorded_from");
    const auto original = Grown::must(
        graph::read_turn(grown.repository().reader(), store::Oid::from_hex(from).value()));
    CHECK(original.text == "seen 2");
  }

  TEST_CASE("an attempt is begun once, whoever tries") {
    Grown grown;
    const auto tree = Grown::must(attempts::create_tree(grown.repository(), grown.plan, {}));
    const attempts::RecordedResults none;
    grown.run(tree, 1, {llm::say("one")}, none);
    ListModel model({llm::say("two")});
    agent::Session session(grown.repository(), attempts::branch_of(tree, 1));
    agent::RunOptions options;
    options.attempt_of = agent::AttemptOf{tree.id, 1};
    const auto again =
        agent::run(agent::Strategy::react, "find it", {&model, "m", {}, {}}, session, options);
    REQUIRE(!again);
    CHECK(again.error().code == Error::Code::conflict);
    CHECK(model.requests.empty());
  }

  TEST_CASE("a refused call is told to the model, and ends nothing") {
    Grown grown;
    grown.plan.answers = Answers::deny;
    const auto tree = Grown::must(attempts::create_tree(grown.repository(), grown.plan, {}));
    const auto done = grown.run(tree, 1, {kLook, llm::say("then not")}, {});
    CHECK(done.steps[0].is_error);
    CHECK(done.stopped == agent::Stopped::goal_achieved);
  }

  TEST_CASE("changes to the history are shared by all attempts, and the original keeps its turns") {
    Grown grown;
    attempts::Changes changes{.system = "Be brief.", .edited = {{grown.base, "find more"}}};
    const auto tree = Grown::must(attempts::create_tree(grown.repository(), grown.plan, changes));
    const auto prompt = Grown::must(grown.repository().compile(tree.commit));
    CHECK(prompt.messages.front().text() == "Be brief.");
    CHECK(prompt.messages.back().text() == "find more");
    const auto before = Grown::must(grown.stage.session.branch().compile({}));
    CHECK(before.messages.front().text() != "Be brief.");
  }

  TEST_CASE("the newest result of each judge counts, and only for the end that was judged") {
    Grown grown;
    const auto tree = Grown::must(attempts::create_tree(grown.repository(), grown.plan, {}));
    grown.run(tree, 1, {llm::say("it is 42")}, {});
    const auto verdict = [&] {
      const auto all = Grown::must(guard::check::read_evaluations(grown.repository()));
      return attempts::verdict_of(
          Grown::must(attempts::attempt_of(grown.repository(), tree, 1, nullptr)), all);
    };
    const auto record = [&](const attempts::Judgement& judgement) {
      Grown::must(guard::check::record(grown.repository(), {judgement}, "judge"));
    };
    CHECK(verdict() == Verdict::unjudged);
    const Oid end = *Grown::must(attempts::attempt_of(grown.repository(), tree, 1, nullptr)).end;
    record(attempts::compared(end, "IS  42", "it is 42"));
    CHECK(verdict() == Verdict::pass);
    record(attempts::tested(end, "make", {.exit_code = 2, .how = "exit status 2", .output = ""}));
    CHECK(verdict() == Verdict::fail);
    record(attempts::tested(end, "make", {.exit_code = 0, .how = "exit status 0", .output = ""}));
    CHECK(verdict() == Verdict::pass);
    record(guard::check::persons_judgement(end, trace::CheckStatus::fail, "no", true));
    CHECK(verdict() == Verdict::fail);
    graph::Branch(grown.repository(), attempts::branch_of(tree, 1)).user("go on").value();
    CHECK(verdict() == Verdict::fail);  // The run's own end is what was judged.
  }

  TEST_CASE("a table counts judged attempts, and none whose branch is gone") {
    Grown grown;
    const auto tree = Grown::must(attempts::create_tree(grown.repository(), grown.plan, {}));
    for (const std::int64_t number : {1, 2, 3}) {
      grown.run(tree, number, {llm::say(number == 3 ? "no" : "yes")}, {});
      const auto attempt =
          Grown::must(attempts::attempt_of(grown.repository(), tree, number, nullptr));
      Grown::must(guard::check::record(
          grown.repository(), {attempts::compared(*attempt.end, "yes", number == 3 ? "no" : "yes")},
          "judge"));
    }
    Grown::must(
        grown.repository().transact("branch", graph::OnConflict::fail, [&](graph::Draft& draft) {
          return draft.move(store::branch_ref(attempts::branch_of(tree, 2)), std::nullopt);
        }));
    const auto all = Grown::must(guard::check::read_evaluations(grown.repository()));
    const std::vector<attempts::Filled> filled = {
        Grown::must(attempts::fill(grown.repository(), tree, all, nullptr))};
    const std::vector<std::uint64_t> ks = {1, 2};
    const auto variants = attempts::variants_of(filled, ks);
    REQUIRE(variants.size() == 2);
    CHECK(variants[0].attempts == 2);
    CHECK(variants[0].judged == 2);
    CHECK(variants[0].passes == 1);
    REQUIRE(variants[0].estimates.size() == 2);
    CHECK(variants[0].estimates[0].value == 0.5);
    CHECK(variants[1].attempts == 1);  // Of two, one was deleted and one has not begun.
    CHECK(variants[1].estimates.empty());
  }
}

TEST_SUITE("attempts/dataset") {
  TEST_CASE("items are kept in order, and a removed one stays in the history") {
    Grown grown;
    graph::Repository& repository = grown.repository();
    const attempts::Expectation expects{.test = "true", .text = {}, .judge = {}, .rubric = {}};
    const Oid tip = *grown.plan.line;
    const auto added =
        Grown::must(attempts::add_items(repository, "set",
                                        {{.commit = {}, .turn = grown.base, .expects = expects},
                                         {.commit = {}, .turn = tip, .expects = expects}}));
    auto dataset = Grown::must(attempts::read_dataset(repository, "set"));
    REQUIRE(dataset.items.size() == 2);
    CHECK(dataset.items[0].commit == added[0]);
    CHECK(dataset.items[0].turn == grown.base);
    CHECK(dataset.items[0].expects == expects);
    Grown::must(attempts::remove_item(repository, "set", grown.base));
    dataset = Grown::must(attempts::read_dataset(repository, "set"));
    REQUIRE(dataset.items.size() == 1);
    CHECK(dataset.items[0].commit == added[1]);
    CHECK(repository.reader().commit(added[0]));
    CHECK(!attempts::remove_item(repository, "set", grown.base));
    CHECK(Grown::must(attempts::list_datasets(repository)).size() == 1);
  }

  TEST_CASE("an item that expects nothing and a name that is not one are refused") {
    Grown grown;
    CHECK(!attempts::add_items(grown.repository(), "set",
                               {{.commit = {}, .turn = grown.base, .expects = {}}}));
    CHECK(!attempts::add_items(grown.repository(), "a b",
                               {{.commit = {}, .turn = grown.base, .expects = {.test = "true"}}}));
    CHECK(!attempts::read_dataset(grown.repository(), "none"));
  }
}
