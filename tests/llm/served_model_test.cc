#include "llm/models/served_model.h"

#include <doctest/doctest.h>

using namespace spoor::llm;

TEST_SUITE("llm/served_model") {
  TEST_CASE("Ollama says the context of a model and whether it makes calls") {
    const auto served = read_served_model(Wire::ollama, "qwen3", R"({
      "capabilities": ["completion", "tools", "thinking"],
      "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960,
                     "qwen3.embedding_length": 4096}})");
    CHECK(served.value() == ServedModel{40'960, 0, true});
    CHECK(read_served_model(Wire::ollama, "old", R"({"capabilities":["completion"]})").value() ==
          ServedModel{0, 0, false});
    CHECK(read_served_model(Wire::ollama, "older", "{}").value() == ServedModel{});
  }

  TEST_CASE("lists of models have limits in several forms") {
    const auto read = [](const char* entry) {
      return read_served_model(Wire::openai_chat, "a/b",
                               std::string(R"({"data":[{"id":"x"},)") + entry + "]}")
          .value();
    };
    CHECK(read(R"({"id":"a/b","max_model_len":32768})") == ServedModel{32'768, 0, {}});
    CHECK(read(R"({"id":"a/b","context_length":200000,
                   "top_provider":{"max_completion_tokens":64000}})") ==
          ServedModel{200'000, 64'000, {}});
    CHECK(read(R"({"id":"a/b","context_window":131072,"max_completion_tokens":65536})") ==
          ServedModel{131'072, 65'536, {}});
    CHECK(read(R"({"id":"a/b","max_context_length":4096})") == ServedModel{4'096, 0, {}});
    CHECK(read(R"({"id":"a/b"})") == ServedModel{});
    CHECK(read_served_model(Wire::openai_chat, "m", R"([{"id":"m","context_length":1}])").value() ==
          ServedModel{1, 0, {}});
    CHECK(read_served_model(Wire::anthropic, "c",
                            R"({"id":"c","max_input_tokens":1000000,"max_tokens":128000})")
              .value() == ServedModel{1'000'000, 128'000, {}});
    CHECK(read_served_model(Wire::gemini, "g",
                            R"({"inputTokenLimit":1048576,"outputTokenLimit":65536})")
              .value() == ServedModel{1'048'576, 65'536, {}});
  }

  TEST_CASE("an answer that says nothing is an error, not a limit") {
    using Code = spoor::Error::Code;
    CHECK(read_served_model(Wire::openai_chat, "m", R"({"data":[]})").error().code ==
          Code::not_found);
    CHECK(read_served_model(Wire::openai_chat, "m", "<html>").error().code == Code::unavailable);
    CHECK(read_served_model(Wire::ollama, "m", R"({"model_info":{"a.context_length":"many"}})")
              .value() == ServedModel{});
  }

  TEST_CASE("each wire has its question") {
    CHECK(describing(find_profile("ollama").value(), "a\"b").body == R"({"model":"a\"b"})");
    CHECK(describing(find_profile("ollama").value(), "m").url == "http://localhost:11434/api/show");
    CHECK(describing(find_profile("anthropic").value(), "c/d").url ==
          "https://api.anthropic.com/v1/models/c%2Fd");
    CHECK(describing(find_profile("vllm").value(), "m").url == "http://localhost:8000/v1/models");
  }
}
