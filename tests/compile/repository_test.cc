#include <doctest/doctest.h>

#include "compile/repository.h"

using namespace spoor;
using compile::CompileOptions;
using store::Priority;

namespace {

std::vector<std::string> texts(const compile::Prompt& prompt) {
  std::vector<std::string> all;
  for (const auto& message : prompt.messages) all.push_back(message.text());
  return all;
}

}  // namespace

TEST_SUITE("compile/repository") {
  TEST_CASE("a conversation compiles to what was said, without its reasoning") {
    const auto repository = compile::Repository::in_memory();
    auto branch = repository->branch("main");
    branch.system("Be brief").value();
    branch.user("Hello").value();
    branch.reasoning("a greeting").value();
    branch.assistant("Good day").value();
    CHECK(texts(branch.compile().value()) ==
          std::vector<std::string>{"Be brief", "Hello", "Good day"});
    CHECK(texts(branch.compile({.include_reasoning = true}).value()).size() == 4);
  }

  TEST_CASE("an edit keeps the place, and an earlier commit keeps its prompt") {
    const auto repository = compile::Repository::in_memory();
    auto branch = repository->branch("main");
    const auto first = branch.user("one").value();
    const auto second = branch.assistant("two").value();
    branch.edit(first, "ONE").value();
    CHECK(texts(branch.compile().value()) == std::vector<std::string>{"ONE", "two"});
    CHECK(texts(repository->compile(second).value()) == std::vector<std::string>{"one", "two"});
  }

  TEST_CASE("a directive on what is no entry is refused, and nothing is written") {
    const auto repository = compile::Repository::in_memory();
    auto branch = repository->branch("main");
    const auto first = branch.user("one").value();
    const auto note = branch.annotate(first, Priority::pinned).value();
    CHECK(branch.edit(note, "x").error().code == store::Error::Code::invalid);
    CHECK(branch.tip().value() == note);
  }

  TEST_CASE("several turns are one transaction and one operation") {
    const auto repository = compile::Repository::in_memory();
    auto branch = repository->branch("main");
    const std::vector<compile::Turn> turns = {{.type = store::Type::user, .text = "q"},
                                              {.type = store::Type::assistant, .text = "a"}};
    CHECK(branch.commit(turns).value().size() == 2);
    CHECK(repository->store().operations(0, 10).value().size() == 1);
  }

  TEST_CASE("a branch that another handle moved is written behind it") {
    const auto repository = compile::Repository::in_memory();
    auto mine = repository->branch("main");
    auto other = repository->branch("main");
    mine.user("a").value();
    other.user("b").value();
    mine.user("c").value();
    CHECK(texts(mine.compile().value()) == std::vector<std::string>{"a", "b", "c"});
  }
}
