#include "llm/model_list.h"

#include <doctest/doctest.h>

#include "llm/counting.h"

using namespace spoor;
using llm::Wire;

TEST_SUITE("llm/model_list") {
  TEST_CASE("each wire's list is read") {
    const auto names = [](Wire wire, const char* body) {
      return llm::read_model_page(wire, body).value().names;
    };
    using Names = std::vector<std::string>;
    CHECK(names(Wire::openai_chat, R"({"object":"list","data":[{"id":"b"},{"id":"a"}]})") ==
          Names{"b", "a"});
    CHECK(names(Wire::openai_chat, R"([{"id":"bare"}])") == Names{"bare"});
    CHECK(names(Wire::ollama, R"({"models":[{"name":"q","model":"qwen3:8b"}]})") ==
          Names{"qwen3:8b"});
    CHECK(names(Wire::gemini, R"({"models":[
      {"name":"models/g","supportedGenerationMethods":["countTokens","generateContent"]},
      {"name":"models/embed","supportedGenerationMethods":["embedContent"]}]})") == Names{"g"});
  }

  TEST_CASE("a page says what comes next") {
    const auto anthropic =
        llm::read_model_page(Wire::anthropic,
                             R"({"data":[{"id":"c"}],"has_more":true,"last_id":"c"})")
            .value();
    CHECK(anthropic == llm::ModelPage{{"c"}, "c"});
    CHECK(llm::read_model_page(Wire::anthropic, R"({"data":[],"has_more":false,"last_id":"c"})")
              .value()
              .next.empty());
    CHECK(llm::read_model_page(Wire::gemini, R"({"models":[],"nextPageToken":"p"})").value().next ==
          "p");
  }

  TEST_CASE("what is no list is unavailable") {
    for (const char* body : {"", "<html>", "{}", R"({"data":7})"}) {
      CHECK(llm::read_model_page(Wire::openai_chat, body).error().code ==
            spoor::Error::Code::unavailable);
    }
  }
}

TEST_SUITE("llm/counting") {
  TEST_CASE("Anthropic is asked with what counts, byte for byte") {
    CHECK(llm::counting_body(Wire::anthropic, "c",
                             R"({"model":"c", "max_tokens":10,"stream":true,)"
                             R"("messages":[ {"role":"user","content":"\u0041"} ],"tools":[]})")
              .value() ==
          R"({"model":"c","messages":[ {"role":"user","content":"\u0041"} ],"tools":[]})");
  }

  TEST_CASE("Gemini is asked with the whole call") {
    CHECK(llm::counting_body(Wire::gemini, "g", R"({"contents":[1]})").value() ==
          R"({"generateContentRequest":{"model":"models/g","contents":[1]}})");
  }

  TEST_CASE("the answer is one number") {
    CHECK(llm::read_count(R"({"input_tokens":12})").value() == 12);
    CHECK(llm::read_count(R"({"totalTokens":0})").value() == 0);
    for (const char* body : {"", "12", R"({"input_tokens":-1})", R"({"input_tokens":"1"})"}) {
      CHECK(llm::read_count(body).error().code == spoor::Error::Code::unavailable);
    }
  }
}
