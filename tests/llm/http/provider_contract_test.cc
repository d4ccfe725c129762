// What every llm::Provider does, whatever stands behind it.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tests/llm/http/stage.h"

using namespace spoor;
using llm::Failure;
using llm::ReplyEvent;
using testing::Scene;
using testing::Subject;
using testing::Talk;

namespace {

Talk full_talk() {
  return {.thinking = "Let me see; that is grep's work.",
          .text = "I look for \"percent_off\", in äöü too.",
          .call = compile::ToolCall{"call_1", "grep", R"({"pattern":"percent_off","n":3})"}};
}

/// What was told while a reply arrived, joined by kind.
struct Heard {
  std::string text, reasoning, calls;

  llm::OnEvent listener() {
    return [this](const ReplyEvent& event) {
      if (event.kind == ReplyEvent::Kind::text) text += event.text;
      if (event.kind == ReplyEvent::Kind::reasoning) reasoning += event.text;
      if (event.kind == ReplyEvent::Kind::call) calls += event.text;
    };
  }
};

llm::Request request_to(const Subject& subject) {
  return {.model = "fake-1", .body = "{}", .stream = subject.streams};
}

}  // namespace

TEST_SUITE("llm/provider_contract") {
  TEST_CASE("a reply has all that was said, and so have its events") {
    const Talk talk = full_talk();
    for (const Subject& subject : testing::all_subjects()) {
      CAPTURE(subject.name);
      const auto stage = subject.make(subject, Scene::whole, talk);
      Heard heard;
      const llm::Reply reply = stage->provider().complete(request_to(subject), heard.listener());
      CHECK_FALSE(reply.failure);
      CHECK(reply.text() == talk.text);
      CHECK(reply.reasoning() == talk.thinking);
      REQUIRE(reply.calls().size() == 1);
      CHECK(reply.calls()[0].name == talk.call->name);
      CHECK(reply.calls()[0].arguments == talk.call->arguments);
      CHECK(reply.model == talk.model);
      CHECK(reply.usage.output == static_cast<std::uint64_t>(talk.output_tokens));
      CHECK(heard.text == talk.text);
      CHECK(heard.reasoning == talk.thinking);
      CHECK(heard.calls == talk.call->name);
    }
  }

  TEST_CASE("nobody need listen, and one provider takes call after call") {
    for (const Subject& subject : testing::all_subjects()) {
      CAPTURE(subject.name);
      const auto stage = subject.make(subject, Scene::whole, {});
      const llm::Reply first = stage->provider().complete(request_to(subject), {});
      CHECK(first.text() == Talk().text);
      CHECK_FALSE(first.reasoning());
      CHECK(stage->provider().complete(request_to(subject), {}) == first);
    }
  }

  TEST_CASE("a refusal is a failure, and nothing is told") {
    for (const Subject& subject : testing::all_subjects()) {
      CAPTURE(subject.name);
      const auto stage = subject.make(subject, Scene::refused, {});
      std::size_t events = 0;
      const llm::Reply reply =
          stage->provider().complete(request_to(subject), [&](const ReplyEvent&) { ++events; });
      REQUIRE(reply.failure);
      CHECK(reply.failure->kind == Failure::Kind::rate_limited);
      CHECK(reply.pieces.empty());
      CHECK(events == 0);
    }
  }

  TEST_CASE("a stream that breaks keeps what came, and says that it broke") {
    const Talk talk = full_talk();
    for (const Subject& subject : testing::all_subjects()) {
      if (!subject.streams) continue;
      CAPTURE(subject.name);
      const auto stage = subject.make(subject, Scene::broken, talk);
      Heard heard;
      const llm::Reply reply = stage->provider().complete(request_to(subject), heard.listener());
      REQUIRE(reply.failure);
      CHECK(reply.failure->kind == Failure::Kind::network);
      CHECK(heard.reasoning == talk.thinking);
      CHECK(reply.reasoning() == talk.thinking);
      CHECK(reply.text() == heard.text);
      CHECK(talk.text.starts_with(reply.text()));
    }
  }

  TEST_CASE("a call that is stopped within its stream returns what was told") {
    const Talk talk = full_talk();
    for (const Subject& subject : testing::all_subjects()) {
      if (!subject.streams) continue;
      CAPTURE(subject.name);
      const auto stage = subject.make(subject, Scene::stuck, talk);
      std::stop_source stop;
      llm::Request request = request_to(subject);
      request.stop = stop.get_token();
      Heard heard;
      const llm::OnEvent listen = heard.listener();
      const llm::Reply reply = stage->provider().complete(request, [&](const ReplyEvent& event) {
        listen(event);
        std::jthread([&] { stop.request_stop(); }).join();
      });
      REQUIRE(reply.failure);
      CHECK(reply.failure->kind == Failure::Kind::interrupted);
      CHECK_FALSE(heard.reasoning.empty());
      CHECK(reply.reasoning().value_or("") == heard.reasoning);
      CHECK(talk.thinking.starts_with(heard.reasoning));
    }
  }

  TEST_CASE("a call that was stopped before it began says nothing") {
    for (const Subject& subject : testing::all_subjects()) {
      CAPTURE(subject.name);
      const auto stage = subject.make(subject, Scene::whole, {});
      std::stop_source stop;
      stop.request_stop();
      llm::Request request = request_to(subject);
      request.stop = stop.get_token();
      const llm::Reply reply = stage->provider().complete(request, {});
      REQUIRE(reply.failure);
      CHECK(reply.failure->kind == Failure::Kind::interrupted);
      CHECK(reply.pieces.empty());
    }
  }

  TEST_CASE("several threads call at once") {
    for (const Subject& subject : testing::all_subjects()) {
      CAPTURE(subject.name);
      const auto stage = subject.make(subject, Scene::whole, full_talk());
      std::atomic<int> whole = 0;
      {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
          threads.emplace_back([&] {
            const llm::Reply reply = stage->provider().complete(request_to(subject), {});
            if (!reply.failure && reply.text() == full_talk().text) ++whole;
          });
        }
      }
      CHECK(whole == 4);
    }
  }
}
