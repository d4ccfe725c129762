#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "graph/repository.h"

using namespace spoor;
using compile::Why;
using store::Oid;
using store::Priority;

namespace {

// Turns named by one letter each. Their text is four bytes: one token.
struct Conversation {
  std::unique_ptr<graph::Repository> repository = graph::Repository::in_memory();
  graph::Branch main = repository->branch("main");
  std::vector<std::pair<char, Oid>> names;

  Oid add(char name, compile::Turn turn) {
    turn.text = std::string(4, name);
    names.emplace_back(name, main.commit(std::move(turn)).value());
    return names.back().second;
  }
  Oid add(char name, store::Type type) {
    compile::Turn turn{.type = type};
    if (type == store::Type::reasoning) turn.fields.format = "parsed";
    return add(name, turn);
  }
  void call(char name, const std::string& id) {
    compile::Turn turn{.type = store::Type::assistant};
    turn.fields.tool_calls = {{{id, "", ""}}};
    add(name, turn);
  }
  void answer(char name, const std::string& id) {
    compile::Turn turn{.type = store::Type::tool};
    turn.fields.call_id = id;
    add(name, turn);
  }

  std::string shown(const compile::CompileOptions& options) {
    std::string letters;
    for (const auto& message : main.compile(options).value().messages) letters += message.text()[0];
    return letters;
  }
  std::string left_out(const compile::CompileOptions& options, Why why) {
    std::string letters;
    for (const auto& out : main.compile(options).value().left_out) {
      if (out.why != why) continue;
      letters += std::find_if(names.begin(), names.end(), [&](const auto& named) {
                   return named.second == out.commit;
                 })->first;
    }
    return letters;
  }
};

}  // namespace

TEST_SUITE("compile/prompt") {
  TEST_CASE("a budget keeps what is pinned, then the newest that fit") {
    Conversation c;
    c.add('s', store::Type::system);
    for (const char name : std::string("abcd")) c.add(name, store::Type::user);
    struct Row {
      std::int64_t budget;
      std::string_view shown;
      std::string_view left_out;
    };
    for (const Row& row : {Row{99, "sabcd", ""}, Row{5, "sabcd", ""}, Row{4, "sbcd", "a"},
                           Row{2, "sd", "abc"}, Row{1, "s", "abcd"}, Row{0, "s", "abcd"}}) {
      CAPTURE(row.budget);
      CHECK(c.shown({.budget = row.budget}) == row.shown);
      CHECK(c.left_out({.budget = row.budget}, Why::budget) == row.left_out);
    }
  }

  TEST_CASE("a budget takes calls and their results together, at the place of the call") {
    Conversation c;
    c.call('a', "1");  // Five tokens: four for the call.
    c.add('b', store::Type::user);
    c.answer('c', "1");
    c.add('d', store::Type::user);
    CHECK(c.shown({.budget = 8}) == "abcd");
    CHECK(c.shown({.budget = 7}) == "bd");
    CHECK(c.left_out({.budget = 7}, Why::budget) == "ac");
    CHECK(c.shown({.budget = 1}) == "d");
  }

  TEST_CASE("a budget does not read what it leaves out") {
    Conversation c;
    const Oid oldest = c.add('a', store::Type::user);
    for (int i = 0; i < 200; ++i) c.add('b', store::Type::user);
    const Oid text = c.repository->reader().commit(oldest).value()->content->oid;
    c.repository->store().erase(std::array{text}).value();
    c.repository->drop_caches();
    CHECK_FALSE(c.main.compile().has_value());
    CHECK(c.shown({.budget = 3}) == "bbb");
    CHECK(c.left_out({.budget = 3}, Why::budget) == "a" + std::string(197, 'b'));
    CHECK(c.main.compile({.budget = 3}).value().tokens == 3);
  }

  TEST_CASE("window and budget drop one after the other") {
    Conversation c;
    for (const char name : std::string("abcd")) c.add(name, store::Type::user);
    const compile::CompileOptions both{.window = 3, .budget = 2};
    CHECK(c.shown(both) == "cd");
    CHECK(c.left_out(both, Why::window) == "a");
    CHECK(c.left_out(both, Why::budget) == "b");
  }

  TEST_CASE("reasoning is lifted by the option, unless someone said otherwise") {
    Conversation c;
    c.add('u', store::Type::user);
    c.add('r', store::Type::reasoning);
    const Oid skipped = c.add('t', store::Type::reasoning);
    const Oid pinned = c.add('p', store::Type::reasoning);
    c.main.annotate(skipped, Priority::skip).value();
    c.main.annotate(pinned, Priority::pinned).value();
    CHECK(c.shown({}) == "up");
    CHECK(c.shown({.include_reasoning = true}) == "urp");
    CHECK(c.left_out({}, Why::skip) == "rt");
  }

  TEST_CASE("a cleared result loses its attachments, and makes room for a budget") {
    Conversation c;
    c.call('a', "1");
    compile::Turn result{.type = store::Type::tool, .text = std::string(4'000, 'r')};
    result.fields.call_id = "1";
    result.attach.push_back({"bytes", "image/png"});
    c.main.commit(result).value();
    c.add('u', store::Type::user);
    const auto cleared = c.main.compile({.budget = 100, .clear_results_after = 1}).value();
    REQUIRE(cleared.messages.size() == 3);
    CHECK(cleared.messages[1].text() == "[result left out: 4000 bytes, 1 attached]");
    CHECK(cleared.messages[1].pictures().empty());
    CHECK(c.shown({.budget = 100}) == "u");
    CHECK(c.main.compile({.clear_results_after = 2}).value().messages[1].pictures().size() == 1);
  }

  TEST_CASE("options out of range are refused, with a hint") {
    Conversation c;
    for (const compile::CompileOptions& options :
         {compile::CompileOptions{.window = 0}, compile::CompileOptions{.window = -1},
          compile::CompileOptions{.budget = -1},
          compile::CompileOptions{.clear_results_after = -1}}) {
      const auto prompt = c.main.compile(options);
      REQUIRE_FALSE(prompt.has_value());
      CHECK(prompt.error().code == spoor::Error::Code::invalid);
      CHECK(!prompt.error().hint.empty());
    }
  }

  TEST_CASE("a text, a call and a mark of four bytes each are a token each, and a call four more") {
    const compile::ByteCounter counter;
    CHECK(counter.count("", nullptr) == 0);
    CHECK(counter.count("abcd", nullptr) == 1);
    CHECK(counter.count("abcde", nullptr) == 2);
    const std::vector<compile::ToolCall> calls = {{"id is free", "grep", "{}"}, {"", "", ""}};
    CHECK(counter.count("abcd", &calls) == 1 + (4 + 1 + 1) + 4);
  }
}
