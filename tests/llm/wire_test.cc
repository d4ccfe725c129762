#include <doctest/doctest.h>

#include "graph/repository.h"
#include "llm/wire/anthropic.h"
#include "llm/wire/openai_chat.h"
#include "llm/wire/plain_text.h"

using namespace spoor;

TEST_SUITE("llm/wire") {
  TEST_CASE("a request without a system text has no system member") {
    const auto repository = graph::Repository::in_memory();
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

  TEST_CASE("an answer of nothing is not sent to Anthropic, which refuses it") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    main.user("one").value();
    main.assistant("").value();
    main.user("two").value();
    CHECK(llm::wire::anthropic_body(main.compile().value()) ==
          R"({"messages":[{"role":"user","content":[{"type":"text","text":"one"},)"
          R"({"type":"text","text":"two"}]}]})");
  }

  TEST_CASE("pictures are sent where an API has a place for them") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    const auto add = [&](compile::Turn turn) {
      turn.attach = {{"{}", "application/json"}, {"PIC", "image/png"}};
      main.commit(std::move(turn)).value();
    };
    add({.type = compile::Type::user, .text = "look"});
    main.commit(
            {.type = compile::Type::assistant, .fields = {.tool_calls = {{{"c", "see", "{}"}}}}})
        .value();
    compile::Turn result{.type = compile::Type::tool, .text = "seen"};
    result.fields.call_id = "c";
    add(std::move(result));

    const compile::Prompt prompt = main.compile().value();
    const auto pictures = llm::wire::Pictures::read(prompt, repository->reader()).value();
    const std::string block =
        R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"UElD"}})";
    CHECK(
        llm::wire::anthropic_body(prompt, pictures) ==
        R"({"messages":[{"role":"user","content":[)" + block +
            R"(,{"type":"text","text":"look"}]},{"role":"assistant","content":[{"type":"tool_use",)"
            R"("id":"c","name":"see","input":{}}]},{"role":"user","content":[{"type":"tool_result",)"
            R"("tool_use_id":"c","content":[{"type":"text","text":"seen"},)" +
            block + "]}]}]}");
    CHECK(llm::wire::openai_chat_messages(prompt, pictures)
              .starts_with(
                  R"([{"role":"user","content":[{"type":"text","text":"look"},)"
                  R"({"type":"image_url","image_url":{"url":"data:image/png;base64,UElD"}}]},)"));
    CHECK(llm::wire::openai_chat_messages(prompt, pictures)
              .ends_with(R"({"role":"tool","content":"seen","tool_call_id":"c"}])"));
    const std::string name = store::Oid(prompt.messages[0].pictures().at(0).oid).hex(8);
    CHECK(llm::wire::plain_text(prompt).starts_with("--- user\nlook\n[image/png " + name + "]\n"));
  }
}
