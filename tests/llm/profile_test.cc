#include "llm/profile.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/percent.h"
#include "llm/endpoint.h"

using namespace spoor;
using llm::Wire;

TEST_SUITE("llm/profile") {
  TEST_CASE("the known providers are sorted by name, and each can be found") {
    const auto& profiles = llm::known_profiles();
    CHECK(std::ranges::is_sorted(profiles, {}, &llm::Profile::name));
    CHECK(std::ranges::adjacent_find(profiles, {}, &llm::Profile::name) == profiles.end());
    for (const llm::Profile& profile : profiles) {
      CHECK(llm::find_profile(profile.name).value() == profile);
    }
  }

  TEST_CASE("an address has a scheme and no slash at its end; only this machine's has no TLS") {
    for (const llm::Profile& profile : llm::known_profiles()) {
      CAPTURE(profile.name);
      CHECK_FALSE(profile.base_url.ends_with('/'));
      const bool is_local = profile.base_url.starts_with("http://localhost:");
      CHECK(is_local != profile.base_url.starts_with("https://"));
      CHECK(profile.needs_key != is_local);
      CHECK_FALSE(profile.key_variable.empty());
    }
  }

  TEST_CASE("docs/providers.md lists them as they are") {
    std::ifstream file(std::string(SPOOR_SOURCE_DIR) + "/docs/providers.md");
    const std::string page(std::istreambuf_iterator<char>(file), {});
    for (const llm::Profile& profile : llm::known_profiles()) {
      const std::string row = "| `" + profile.name + "` | " + std::string(name_of(profile.wire)) +
                              " | " + profile.base_url + " | `" + profile.key_variable + "`" +
                              (profile.needs_key ? " |" : ", not needed |");
      CAPTURE(row);
      CHECK(page.find(row) != std::string::npos);
    }
  }

  TEST_CASE("plain openai is the Responses API, openai-chat the older one at the same place") {
    CHECK(llm::find_profile("openai").value().wire == Wire::openai_responses);
    CHECK(llm::find_profile("openai-chat").value().wire == Wire::openai_chat);
    CHECK(llm::find_profile("openai").value().base_url ==
          llm::find_profile("openai-chat").value().base_url);
  }

  TEST_CASE("an unknown provider is not found, and the hint names those that are") {
    const auto found = llm::find_profile("antropic");
    REQUIRE_FALSE(found);
    CHECK(found.error().code == spoor::Error::Code::not_found);
    CHECK(found.error().message == "no provider named 'antropic'");
    CHECK(found.error().hint.find("anthropic, cerebras, deepseek") != std::string::npos);
  }

  TEST_CASE("a wire's name reads back") {
    for (const Wire wire :
         {Wire::openai_chat, Wire::openai_responses, Wire::anthropic, Wire::gemini, Wire::ollama}) {
      CHECK(llm::wire_from(llm::name_of(wire)) == wire);
    }
    CHECK_FALSE(llm::wire_from("smoke-signals"));
  }

  TEST_CASE("the first slash of a model's name divides it") {
    const auto name = llm::parse_model_name("openrouter/anthropic/claude-sonnet-5").value();
    CHECK(name == llm::ModelName{"openrouter", "anthropic/claude-sonnet-5"});
    for (const char* bad : {"", "claude", "/claude", "anthropic/", "/"}) {
      CHECK(llm::parse_model_name(bad).error().code == spoor::Error::Code::invalid);
    }
  }
}

TEST_SUITE("llm/endpoint") {
  TEST_CASE("each wire has its own address of a call") {
    const auto url = [](const char* name, const char* model, bool stream) {
      return llm::completion_url(llm::find_profile(name).value(), model, stream);
    };
    CHECK(url("openai", "gpt-5", true) == "https://api.openai.com/v1/responses");
    CHECK(url("groq", "m", true) == "https://api.groq.com/openai/v1/chat/completions");
    CHECK(url("anthropic", "m", false) == "https://api.anthropic.com/v1/messages");
    CHECK(url("ollama", "m", false) == "http://localhost:11434/api/chat");
    const std::string gemini = "https://generativelanguage.googleapis.com/v1beta/";
    CHECK(url("gemini", "g", true) == gemini + "models/g:streamGenerateContent?alt=sse");
    CHECK(url("gemini", "models/g", false) == gemini + "models/g:generateContent");
    CHECK(url("gemini", "tunedModels/g", false) == gemini + "tunedModels/g:generateContent");
  }

  TEST_CASE("a model's name cannot leave its place in an address") {
    const auto gemini = llm::find_profile("gemini").value();
    CHECK(llm::completion_url(gemini, "../x?key=1#y z", false) ==
          gemini.base_url + "/models/..%2Fx%3Fkey%3D1%23y%20z:generateContent");
    CHECK(percent_encoded("aZ09-._~/ä") == "aZ09-._~%2F%C3%A4");
  }

  TEST_CASE("the key stands where the wire wants it, and nowhere without one") {
    const llm::Key key = llm::make_key("secret", "test").value();
    const auto has = [](const llm::http::Headers& headers, const char* name, const char* value) {
      return std::ranges::find(headers, std::pair<std::string, std::string>(name, value)) !=
             headers.end();
    };
    const auto headers = [&](const char* name) {
      return llm::request_headers(llm::find_profile(name).value(), key);
    };
    CHECK(has(headers("openai"), "authorization", "Bearer secret"));
    CHECK(has(headers("anthropic"), "x-api-key", "secret"));
    CHECK(has(headers("anthropic"), "anthropic-version", "2023-06-01"));
    CHECK(has(headers("gemini"), "x-goog-api-key", "secret"));
    const auto ollama = llm::find_profile("ollama").value();
    CHECK(llm::request_headers(ollama, {}).size() == 2);
  }

  TEST_CASE("a profile's own headers are sent") {
    llm::Profile profile = llm::find_profile("anthropic").value();
    profile.headers = {{"anthropic-beta", "something-2026"}};
    const auto headers = llm::request_headers(profile, {});
    CHECK(headers.back() == profile.headers.front());
    profile.headers = {{"anthropic-version", "2026-10-21"}};
    for (const auto& [name, value] : llm::request_headers(profile, {})) {
      CHECK((name != "anthropic-version" || value == "2026-10-21"));
    }
  }

  TEST_CASE("lists are asked for a page at a time where the provider has pages") {
    const auto url = [](const char* name, const char* page) {
      return llm::models_url(llm::find_profile(name).value(), page);
    };
    CHECK(url("anthropic", "") == "https://api.anthropic.com/v1/models?limit=1000");
    CHECK(url("anthropic", "a b") ==
          "https://api.anthropic.com/v1/models?limit=1000&after_id=a%20b");
    CHECK(url("gemini", "p") ==
          "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000&pageToken=p");
    CHECK(url("mistral", "") == "https://api.mistral.ai/v1/models");
    CHECK(url("ollama", "") == "http://localhost:11434/api/tags");
  }
}
