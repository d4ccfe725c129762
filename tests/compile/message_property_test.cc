// Random histories with few message ids and few call ids, so that both repeat: what holds of every
// prompt, whatever is skipped, pinned or edited.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include "graph/repository.h"
#include "tests/support/soak.h"

using namespace spoor;
using store::Oid;
using store::Priority;
using store::Type;

namespace {

struct Step {
  Type type;
  std::string message;             // Empty: none.
  std::vector<std::string> calls;  // Of an answer.
  std::string call;                // Of a result.
};

class History {
 public:
  explicit History(std::uint64_t seed) : engine_(spoor::testing::seeded(seed)) {
    for (int i = 0; i < 60; ++i) one_in(6) && !steps_.empty() ? direct() : append();
  }

  const std::vector<Step>& steps() const { return steps_; }

  compile::Prompt compile(const compile::CompileOptions& options) const {
    return main_.compile(options).value();
  }

  void say(const std::string& text) {
    numbers_[main_.user(text).value()] = steps_.size();
    steps_.push_back({.type = Type::user, .message = {}, .calls = {}, .call = {}});
  }

  /// The prompt's messages, each as the numbers of the steps that it is made of.
  std::vector<std::vector<std::size_t>> prompt(const compile::CompileOptions& options) const {
    std::vector<std::vector<std::size_t>> messages;
    for (const auto& message : compile(options).messages) {
      messages.emplace_back();
      for (const auto& part : message.parts) messages.back().push_back(numbers_.at(part.commit));
    }
    return messages;
  }

 private:
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::string call_id() { return "c" + std::to_string(below(6)); }

  void append() {
    static constexpr std::array kTypes = {Type::user,      Type::system, Type::assistant,
                                          Type::assistant, Type::tool,   Type::assistant,
                                          Type::tool,      Type::tool,   Type::reasoning};
    Step step{.type = kTypes.at(below(kTypes.size())), .message = {}, .calls = {}, .call = {}};
    compile::Turn turn{.type = step.type, .text = std::to_string(steps_.size())};
    if (step.type == Type::reasoning) turn.fields.format = "parsed";
    if (step.type == Type::tool) {
      turn.fields.call_id = step.call = call_id();
      turn.text += std::string(below(2) * 80, 'r');
    }
    const bool is_answer = step.type == Type::assistant || step.type == Type::reasoning;
    if (is_answer && !one_in(4)) {
      step.message = "m" + std::to_string(below(2));
      turn.facts.set_text("message_id", step.message);
    }
    if (step.type == Type::assistant && one_in(2)) {
      step.calls = {call_id()};
      turn.fields.tool_calls = {{{step.calls[0], "tool", "{}"}}};
    }
    const Oid oid = main_.commit(turn).value();
    numbers_[oid] = steps_.size();
    names_.push_back(oid);
    steps_.push_back(std::move(step));
  }

  void direct() {
    const Oid& target = names_[below(names_.size())];
    if (one_in(3)) {
      main_.edit(target, "edited").value();
    } else {
      main_.annotate(target, static_cast<Priority>(below(3))).value();
    }
  }

  std::mt19937_64 engine_;
  std::unique_ptr<graph::Repository> repository_ = graph::Repository::in_memory();
  graph::Branch main_ = repository_->branch("main");
  std::vector<Step> steps_;
  std::vector<Oid> names_;
  std::map<Oid, std::size_t> numbers_;
};

// The message that each shown step is in.
std::map<std::size_t, std::size_t> places(const std::vector<std::vector<std::size_t>>& messages) {
  std::map<std::size_t, std::size_t> places;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    for (const std::size_t step : messages[i]) places[step] = i;
  }
  return places;
}

void check(const History& history, const std::vector<std::vector<std::size_t>>& messages) {
  const auto& steps = history.steps();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    INFO("message ", i);
    if (i > 0) REQUIRE(messages[i - 1].front() < messages[i].front());
    std::set<std::string> calls;
    for (std::size_t at = messages[i].front();
         at-- > 0;) {  // Parts of the answer that are skipped.
      if (steps[at].type == Type::tool) continue;
      const std::string& answer = steps[messages[i].front()].message;
      if (answer.empty() || steps[at].message != answer) break;
      calls.insert(steps[at].calls.begin(), steps[at].calls.end());
    }
    for (std::size_t at = messages[i].front(); at < messages[i].back(); ++at) {
      const Step& between = steps[at];
      REQUIRE(between.type != Type::user);
      REQUIRE(between.type != Type::system);
      if (between.type == Type::tool) {
        REQUIRE(calls.contains(between.call));
      } else {
        REQUIRE(between.message == steps[messages[i].front()].message);
      }
      calls.insert(between.calls.begin(), between.calls.end());
    }
  }
  // A result comes after the call that it answers: the newest one before it with its id.
  const auto shown = places(messages);
  for (const auto& [result, place] : shown) {
    if (steps[result].type != Type::tool) continue;
    for (std::size_t at = result; at-- > 0;) {
      const auto& calls = steps[at].calls;
      if (std::find(calls.begin(), calls.end(), steps[result].call) == calls.end()) continue;
      if (shown.contains(at)) REQUIRE(shown.at(at) < place);
      break;
    }
  }
}

// Checks that a prompt with cleared results differs from the whole one in their texts alone.
std::size_t check_cleared(const compile::Prompt& whole, const compile::Prompt& cleared,
                          std::size_t after) {
  std::size_t count = 0;
  REQUIRE(cleared.messages.size() == whole.messages.size());
  for (std::size_t i = 0; i < whole.messages.size(); ++i) {
    const auto& parts = whole.messages[i].parts;
    REQUIRE(cleared.messages[i].parts.size() == parts.size());
    const bool is_old = whole.messages.size() - 1 - i >= after;
    for (std::size_t at = 0; at < parts.size(); ++at) {
      const compile::Part& part = cleared.messages[i].parts[at];
      const std::string words =
          "[result left out: " + std::to_string(parts[at].text->size()) + " bytes]";
      const bool is_result = part.type == Type::tool && part.priority != Priority::pinned;
      REQUIRE(part.commit == parts[at].commit);
      REQUIRE(part.is_cleared == (is_old && is_result && words.size() < parts[at].text->size()));
      REQUIRE(*part.text == (part.is_cleared ? words : *parts[at].text));
      REQUIRE(part.fields == parts[at].fields);
      count += part.is_cleared ? 1 : 0;
    }
  }
  const auto named =
      std::ranges::count(cleared.left_out, compile::Why::clearing, &compile::LeftOut::why);
  REQUIRE(static_cast<std::size_t>(named) == count);
  REQUIRE((cleared.hash == whole.hash) == (count == 0));
  return count;
}

// Checks that the messages of `before` are the first of `after`.
void check_begins(const compile::Prompt& after, const compile::Prompt& before) {
  REQUIRE(after.messages.size() == before.messages.size() + 1);
  for (std::size_t i = 0; i < before.messages.size(); ++i) {
    REQUIRE(after.messages[i].text() == before.messages[i].text());
  }
}

}  // namespace

TEST_SUITE("compile/message_property") {
  TEST_CASE("a cleared result keeps its place and its call, and stays cleared") {
    std::size_t count = 0;
    for (std::uint64_t seed = 1; seed <= spoor::testing::rounds(200U); ++seed) {
      INFO("seed ", seed);
      History history(seed);
      for (const std::int64_t after : {0, 3, 20}) {
        const auto cleared = history.compile({.clear_results_after = after});
        count += check_cleared(history.compile({}), cleared, static_cast<std::size_t>(after));
        REQUIRE(history.compile({.clear_results_after = after}).hash == cleared.hash);
        // A budget drops pairs whole, cleared or not.
        check(history, history.prompt({.budget = 60, .clear_results_after = after}));
        history.say("one more");
        check_begins(history.compile({.clear_results_after = after + 1}), cleared);
      }
    }
    CHECK(count > 1'000);
  }

  TEST_CASE("messages keep the order of history, results follow their calls, users part answers") {
    std::size_t joined = 0;
    for (std::uint64_t seed = 1; seed <= spoor::testing::rounds(300U); ++seed) {
      INFO("seed ", seed);
      const History history(seed);
      const auto usual = history.prompt({});
      check(history, usual);
      check(history, history.prompt({.window = 2}));
      const auto lifted = history.prompt({.include_reasoning = true});
      check(history, lifted);
      // What is one message stays one, however much is shown.
      const auto wider = places(lifted);
      for (const auto& message : usual) {
        joined += message.size() > 1 ? 1 : 0;
        for (const std::size_t step : message) REQUIRE(wider.at(step) == wider.at(message.front()));
      }
      const auto narrow = places(usual);
      for (const auto& message : lifted) {
        std::set<std::size_t> here;
        for (const std::size_t step : message) {
          if (narrow.contains(step)) here.insert(narrow.at(step));
        }
        REQUIRE(here.size() <= 1);
      }
    }
    CHECK(joined > 100);  // There was something to see.
  }
}
