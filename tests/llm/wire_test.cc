#include <doctest/doctest.h>

#include "compile/repository.h"
#include "llm/wire/anthropic.h"

using namespace spoor;

TEST_SUITE("llm/wire") {
  TEST_CASE("a request without a system text has no system member") {
    const auto repository = compile::Repository::in_memory();
    auto main = repository->branch("main");
    CHECK(llm::wire::anthropic_body(main.compile().value()) == R"({"messages":[]})");
    main.user("hello").value();
    CHECK(llm::wire::anthropic_body(main.compile().value()) ==
          R"({"messages":[{"role":"user","content":"hello"}]})");
    main.system("Be brief").value();
    main.system("Be kind").value();
    CHECK(llm::wire::anthropic_body(main.compile().value()) ==
          R"({"messages":[{"role":"user","content":"hello"}],"system":"Be brief\n\nBe kind"})");
  }
}
