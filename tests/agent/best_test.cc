#include <doctest/doctest.h>

#include "tests/agent/stage.h"

namespace spoor::agent {
namespace {

using testing::calls;
using testing::find_it;
using testing::ListModel;
using testing::Stage;
using testing::step;
using Verified = Best::Verified;

Tool tool(std::string id, bool only_reads, std::function<ToolResult()> run) {
  Tool tool;
  tool.id = std::move(id);
  tool.description = "for a test";
  tool.read_only = only_reads;
  tool.run = [run = std::move(run)](std::string_view, const ToolContext&) { return run(); };
  return tool;
}

ToolResult ran(std::string text, std::int64_t exit_code) {
  ToolResult result = gave(std::move(text));
  result.is_error = exit_code != 0;
  result.facts.set(fact::artifact, "command");
  result.facts.set(fact::exit_code, exit_code);
  return result;
}

struct BestStage : Stage {
  BestStage() {
    options.rationale = false;
    add(tool("good", false, [] { return ran("all pass", 0); }));
    add(tool("bad", false, [] { return ran("1 fails", 1); }));
    add(tool("read", true, [] { return gave("a line"); }));
    add(tool("edit", false, [] { return gave("edited"); }));
    add(tool("null", true, [] { return gave_json("null"); }));
  }

  // Runs these tools, one an answer, until the limit of steps.
  PlanResult after(const std::vector<std::string>& tools) {
    std::vector<llm::Reply> replies;
    int number = 1;
    for (const auto& id : tools) replies.push_back(calls({{id, "{}"}}, {}, number++));
    options.max_steps = static_cast<std::int64_t>(tools.size());
    ListModel model(replies);
    return find_it(*this, model);
  }
};

}  // namespace

TEST_SUITE("agent/best") {
  TEST_CASE("the best of an aborted run is its last good check, if nothing was changed after it") {
    BestStage stage;
    const PlanResult checked = stage.after({"edit", "good", "read"});
    CHECK(checked.stopped == Stopped::max_steps);
    CHECK(checked.answer == "a line");  // The last observation, as ever.
    CHECK(checked.best->text == "all pass");
    CHECK(checked.best->verified == Verified::check);
    CHECK(checked.best->step == 2);
    CHECK(checked.best->how == "good in step 2, exit code 0");

    const PlanResult changed = BestStage().after({"good", "edit"});
    CHECK(changed.best->text == "edited");
    CHECK(changed.best->verified == Verified::tool);
    CHECK(BestStage().after({"read", "good", "bad"}).best->text == "a line");
    CHECK_FALSE(BestStage().after({"bad"}).best);
  }

  TEST_CASE("a null is neither an answer nor the best") {
    const PlanResult result = BestStage().after({"null"});
    CHECK_FALSE(result.answer);
    CHECK_FALSE(result.best);
    CHECK(BestStage().after({"read", "null"}).answer == "a line");
  }

  TEST_CASE("an answer that a critic sent back is the best of a run without another") {
    BestStage stage;
    stage.options.calling = Calling::json;
    stage.options.max_outer_iterations = 2;
    ListModel model({step(R"({"action":"finish","final_answer":"first"})"),
                     step(R"({"verdict":"retry","critique":"no"})"), step(R"({"action":"read"})"),
                     step(R"({"action":"finish","final_answer":"second"})"),
                     step(R"({"verdict":"retry","critique":"still no"})")});
    const PlanResult result = find_it(stage, model, Strategy::reflexion);
    CHECK(result.stopped == Stopped::max_steps);
    CHECK(result.best->text == "second");
    CHECK(result.best->verified == Verified::rejected);
    CHECK(result.best->how == "attempt 2, which the critic sent back");
  }

  TEST_CASE("a run that achieved its goal has its answer, and no best") {
    BestStage stage;
    ListModel model({calls({{"read", "{}"}}), llm::say("done")});
    CHECK_FALSE(find_it(stage, model).best);
  }
}

}  // namespace spoor::agent
