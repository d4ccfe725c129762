#include "agent/memory/memory.h"

#include <doctest/doctest.h>

#include "agent/memory/memory_tools.h"
#include "tests/agent/stage.h"

namespace spoor::agent::memory {
namespace {

using testing::must;
using testing::Stage;

std::vector<std::string> contents(const std::vector<Remembered>& all) {
  std::vector<std::string> texts;
  for (const Remembered& one : all) texts.push_back(one.memory.content);
  return texts;
}

}  // namespace

TEST_SUITE("agent/memory") {
  TEST_CASE("what was learned is recalled, the best fit first, then the surer") {
    Stage stage;
    Store store(*stage.repository, "a1");
    must(store.learn({.content = "tests need make", .confidence = 0.4}, false));
    must(store.learn({.content = "make needs bash", .confidence = 0.9}, false));
    must(store.learn({.content = "the build is make, and tests are make check"}, false));
    CHECK(contents(must(store.recall({.context = "make tests"}))) ==
          std::vector<std::string>{"the build is make, and tests are make check", "tests need make",
                                   "make needs bash"});
    CHECK(contents(must(store.recall({.context = "rust"}))).empty());
    CHECK(contents(must(store.recall({.context = "", .limit = 2}))).size() == 2);
  }

  TEST_CASE("topic and scope choose, and what holds everywhere holds in each scope") {
    Stage stage;
    Store store(*stage.repository, "a1");
    must(store.learn({.content = "x", .topic = "Build", .scope = "one"}, false));
    must(store.learn({.content = "y", .topic = "build", .scope = "two"}, false));
    must(store.learn({.content = "z", .topic = "build"}, false));
    CHECK(contents(must(store.recall({.topic = "build", .scope = "one"}))) ==
          std::vector<std::string>{"z", "x"});
  }

  TEST_CASE("what is private is seen by its agent alone") {
    Stage stage;
    Store mine(*stage.repository, "a1");
    must(mine.learn({.content = "secret plan"}, true));
    CHECK(must(mine.recall({.context = "plan"})).size() == 1);
    CHECK(must(Store(*stage.repository, "a2").recall({.context = "plan"})).empty());
    CHECK_FALSE(Store(*stage.repository, "").learn({.content = "x"}, true));
  }

  TEST_CASE("the same again is no second memory, and an empty one is none") {
    Stage stage;
    Store store(*stage.repository, "");
    const auto first = must(store.learn({.content = "x"}, false));
    CHECK(must(store.learn({.content = "x", .confidence = 0.1}, false)) == first);
    CHECK_FALSE(store.learn({.content = " \n"}, false));
    CHECK_FALSE(store.learn({.content = "y", .confidence = 1.5}, false));
  }

  TEST_CASE("the tools learn and recall, and nothing of it is in a prompt") {
    Stage stage;
    auto tools = make_tools(*stage.repository, {.agent = "a1"});
    REQUIRE(tools.size() == 4);
    const auto learned =
        tools[0].run(R"({"content":"use tabs","topic":"style","confidence":0.7})", {});
    CHECK(learned.text.starts_with("remembered as "));
    const auto recalled = tools[1].run(R"({"topic":"STYLE"})", {});
    CHECK(recalled.is_json);
    CHECK(recalled.text.find(R"("agent":"a1")") != std::string::npos);
    CHECK(recalled.text.find(R"("confidence":0.7)") != std::string::npos);
    CHECK_FALSE(stage.session.branch().tip().value());
    for (auto& tool : tools) CHECK(stage.registry.add(tool));
  }

  TEST_CASE("notes belong to one run, and are read in their order") {
    Stage stage;
    const auto tools = make_tools(*stage.repository, {});
    const auto call = [&](std::size_t i, const std::string& run, const std::string& arguments) {
      ToolContext context;
      if (!run.empty()) context.caller = CalledFrom{.run = run, .answer = {}, .call = 1};
      return tools.at(i).run(arguments, context);
    };
    CHECK(call(3, "a1", "{}").text == "[no notes yet]");
    CHECK(call(2, "a1", R"({"text": "first"})").text == "noted");
    call(2, "a1", R"({"text": "second"})");
    call(2, "b2", R"({"text": "of another run"})");
    CHECK(call(3, "a1", "{}").text == "- first\n- second\n");
    CHECK(call(2, "", R"({"text": "x"})").is_error);
    Store shared(*stage.repository, "");
    CHECK(must(shared.recall({})).empty());
  }
}

}  // namespace spoor::agent::memory
