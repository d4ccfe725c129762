#include "receive/trace_recorder.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json/writer.h"

namespace spoor::receive {
namespace {

std::string text_attribute(const std::string& key, const std::string& text) {
  return fmt::format(R"({{"key":"{}","value":{{"stringValue":{}}}}})", key,
                     json::write_string(text));
}

std::string said(const std::string& role, const std::string& text) {
  return fmt::format(R"({{"role":"{}","parts":[{{"type":"text","content":"{}"}}]}})", role, text);
}

// The traces' ids fall: they do not tell which one began first.
std::string trace_of(int turn) { return fmt::format("{:032x}", 100 - turn); }

// A call of a model with all that was said before: turn 1 asks `q1` and answers `a1`, and so on.
std::string call_span(int turn, const std::string& conversation) {
  std::string given;
  for (int i = 1; i < turn; ++i) {
    given +=
        said("user", fmt::format("q{}", i)) + "," + said("assistant", fmt::format("a{}", i)) + ",";
  }
  given += said("user", fmt::format("q{}", turn));
  return fmt::format(
      R"({{"traceId":"{}","spanId":"{:016x}","name":"chat","startTimeUnixNano":"{}",)"
      R"("endTimeUnixNano":"{}","attributes":[{},{},{},{}]}})",
      trace_of(turn), turn, 1'780'000'000'000'000'000 + turn, 1'780'000'000'000'000'001 + turn,
      text_attribute("gen_ai.operation.name", "chat"),
      text_attribute("gen_ai.conversation.id", conversation),
      text_attribute("gen_ai.input.messages", "[" + given + "]"),
      text_attribute("gen_ai.output.messages",
                     "[" + said("assistant", fmt::format("a{}", turn)) + "]"));
}

std::string batch(const std::string& service, const std::vector<std::string>& spans) {
  std::string all;
  for (const std::string& each : spans) all += (all.empty() ? "" : ",") + each;
  return fmt::format(R"({{"resource":{{"attributes":[{}]}},"scopeSpans":[{{"spans":[{}]}}]}})",
                     text_attribute("service.name", service), all);
}

std::string post(const std::string& batches) { return R"({"resourceSpans":[)" + batches + "]}"; }

// Posts of two conversations that grow, each call in a trace of its own: with tools, which may end
// unseen, and at times with an earlier message changed or the last ones forgotten.
std::vector<std::string> growing_posts(unsigned seed) {
  std::mt19937 random(seed);
  const auto one_in = [&](unsigned count) { return random() % count == 0; };
  std::vector<std::vector<std::string>> given(2, {said("user", "begin")});
  std::vector<std::string> posts;
  for (int number = 1; number <= 14; ++number) {
    auto& messages = given[random() % given.size()];
    const std::string call = fmt::format(
        R"({{"role":"assistant","parts":[{{"type":"tool_call","id":"c{}","name":"x","arguments":{{}}}}]}})",
        number);
    const bool has_call = one_in(2);
    const std::string answer = has_call ? call : said("assistant", fmt::format("a{}", number));
    const auto span = [&](int id, const std::string& attributes) {
      return fmt::format(R"({{"traceId":"{:032x}","spanId":"{:016x}","name":"n",)"
                         R"("startTimeUnixNano":"{}","endTimeUnixNano":"{}","attributes":[{}]}})",
                         number, id, 1'780'000'000'000'000'000 + id * 1000,
                         1'780'000'000'000'000'500 + id * 1000, attributes);
    };
    std::vector<std::string> spans = {span(
        2 * number,
        text_attribute("gen_ai.operation.name", "chat") + "," +
            text_attribute("gen_ai.conversation.id", &messages == &given[0] ? "one" : "two") +
            (one_in(2) ? "," + text_attribute("gen_ai.system_instructions", "be kind") : "") + "," +
            text_attribute("gen_ai.input.messages", fmt::format("[{}]", fmt::join(messages, ","))) +
            "," + text_attribute("gen_ai.output.messages", "[" + answer + "]"))};
    messages.push_back(answer);
    if (has_call) {
      if (!one_in(4)) {
        spans.push_back(span(2 * number + 1,
                             text_attribute("gen_ai.operation.name", "execute_tool") + "," +
                                 text_attribute("gen_ai.tool.call.id", fmt::format("c{}", number)) +
                                 "," + text_attribute("gen_ai.tool.call.result", "done")));
      }
      messages.push_back(fmt::format(
          R"({{"role":"tool","parts":[{{"type":"tool_call_response","id":"c{}","response":"done"}}]}})",
          number));
    }
    messages.push_back(said("user", one_in(3) ? "go on" : fmt::format("q{}", number)));
    if (one_in(5)) messages.resize(1 + random() % messages.size());
    if (one_in(6)) messages[random() % messages.size()] = said("user", "changed");
    posts.push_back(post(batch("s", spans)));
  }
  return posts;
}

// A recorder over a store in memory.
struct Place {
  explicit Place(std::shared_ptr<const compile::Scrubber> scrubber = nullptr)
      : repository(graph::Repository::in_memory({.scrubber = std::move(scrubber)})) {}

  void add(const std::string& document) {
    const auto parsed = spoor::json::parse(document);
    recorder.add(fmt::format("post {}", ++posted), parsed->root(), {});
  }
  // Returns the number of posts of which something was refused.
  std::size_t record() {
    REQUIRE(recorder.record({}, true).has_value());
    std::size_t refused = 0;
    for (const auto& [post, is_refused] : posts.take_closed()) refused += is_refused ? 1U : 0U;
    return refused;
  }
  std::vector<store::Ref> refs() const { return repository->store().refs("refs/").value(); }
  std::vector<std::string> heads() const {
    std::vector<std::string> names;
    for (const auto& ref : repository->store().refs("refs/heads/").value()) {
      names.push_back(ref.name.substr(std::string("refs/heads/").size()));
    }
    return names;
  }
  std::uint64_t operations() const {
    const auto newest = repository->store().newest_operation().value();
    return newest ? newest->number : 0;
  }

  std::unique_ptr<graph::Repository> repository;
  Posts posts;
  TraceRecorder recorder{*repository, posts};
  int posted = 0;
};

// Lets another writer in when the name of a branch is looked at, and takes `secret` for one.
class Watching final : public compile::Scrubber {
 public:
  mutable std::function<void()> next;

  compile::Capture capture() const override { return compile::Capture::full; }
  Result<std::string> scrub(compile::Slot slot, std::string bytes) const override {
    const bool is_branch = slot == compile::Slot::name && bytes.starts_with("refs heads ");
    if (const auto run = is_branch ? std::exchange(next, nullptr) : nullptr) run();
    return is_branch && bytes.ends_with(" secret") ? std::string("*") : std::move(bytes);
  }
};

TEST_SUITE("receive/trace_recorder") {
  TEST_CASE("Traces that are due together are one operation") {
    Place place;
    place.add(post(batch("s", {call_span(1, "one"), call_span(2, "two"), call_span(3, "three")})));
    CHECK(place.record() == 0);
    CHECK(place.heads() == std::vector<std::string>{"otel/one", "otel/three", "otel/two"});
    CHECK(place.operations() == 1);
  }

  TEST_CASE("A conversation over several traces is the same line, together or one by one") {
    Place together;
    Place apart;
    for (int turn = 1; turn <= 4; ++turn) {
      together.add(post(batch("s", {call_span(turn, "bells")})));
      apart.add(post(batch("s", {call_span(turn, "bells")})));
      CHECK(apart.record() == 0);
    }
    CHECK(together.record() == 0);
    CHECK(together.heads() == std::vector<std::string>{"otel/bells"});
    CHECK(together.refs() == apart.refs());
    CHECK(together.operations() == 1);
    CHECK(apart.operations() == 4);
    CHECK(together.recorder.sums().turns == 8);
    CHECK(apart.recorder.sums().turns == 8);
  }

  TEST_CASE("What a recorder has learnt of a conversation changes nothing that it writes") {
    for (unsigned seed = 0; seed < 60; ++seed) {
      CAPTURE(seed);
      Place place;
      const auto other = graph::Repository::in_memory();
      for (const std::string& each : growing_posts(seed)) {
        place.add(each);
        CHECK(place.record() == 0);
        Posts posts;
        TraceRecorder begun(*other, posts);
        const auto parsed = spoor::json::parse(each);
        begun.add("post", parsed->root(), {});
        REQUIRE(begun.record({}, true).has_value());
      }
      CHECK(place.refs() == other->store().refs("refs/").value());
    }
  }

  TEST_CASE("A trace that cannot be written is refused, and those that came with it are not") {
    Place place(std::make_shared<Watching>());
    place.add(post(batch("s", {call_span(1, "one")})));
    place.add(post(batch("s", {call_span(2, "secret")})));
    place.add(post(batch("s", {call_span(3, "three")})));
    CHECK(place.record() == 1);
    CHECK(place.heads() == std::vector<std::string>{"otel/one", "otel/three"});
    CHECK(place.recorder.sums().traces == 2);
  }

  TEST_CASE("A branch that another writer makes meanwhile stays, and the trace gets another") {
    const auto watching = std::make_shared<Watching>();
    Place place(watching);
    place.add(post(batch("s", {call_span(1, "bells")})));
    watching->next = [&] { place.repository->branch("otel/bells").user("mine").value(); };
    CHECK(place.record() == 0);
    CHECK(place.heads() == std::vector<std::string>{"otel/bells", "otel/bells-2"});
  }

  TEST_CASE("The notes of a trace have what was around its own spans, and nothing else") {
    Place place;
    place.add(
        post(batch("alpha", {call_span(1, "one")}) + "," + batch("beta", {call_span(2, "two")})));
    CHECK(place.record() == 0);
    const auto around = [&](int turn) {
      const std::string ref = "refs/sources/otel/" + trace_of(turn);
      const auto tip = place.repository->store().ref(ref).value();
      return graph::read_turn(place.repository->reader(), tip.value()).value().text;
    };
    CHECK(around(1).find("alpha") != std::string::npos);
    CHECK(around(1).find("beta") == std::string::npos);
    CHECK(around(2).find("alpha") == std::string::npos);
    CHECK(around(2).find("beta") != std::string::npos);
  }
}

}  // namespace
}  // namespace spoor::receive
