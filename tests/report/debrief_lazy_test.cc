// Random runs, read back in several ways: whatever is left unread until it is shown, the debrief
// says the same.
#include <doctest/doctest.h>

#include <random>
#include <regex>

#include <fmt/format.h>

#include "report/debrief/graph_source.h"
#include "report/debrief/views.h"
#include "tests/support/ports.h"
#include "tests/support/recorded_run.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::agent;
using namespace spoor::report::debrief;
using graph::Repository;
using testing::RecordedRun;

namespace {

// Plays the same run for the same seed, into whatever it is given.
class Play {
 public:
  Play(RecordedRun& run, testing::ManualClock& clock, std::uint64_t seed)
      : run_(run), clock_(clock), engine_(spoor::testing::seeded(seed)) {}

  Play& without_citations() {
    has_citations_ = false;
    return *this;
  }

  void go() {
    const int steps = 1 + below(30);
    for (int step = 1; step <= steps; ++step) {
      run_.at_step(step);
      clock_.advance(below(3));
      answer(step);
      while (below(3) == 0) remark(step);
    }
    if (below(2) == 0) run_.end(below(2) == 0 ? "goal_achieved" : "max_steps", "", "It is done.");
  }

 private:
  int below(int most) { return static_cast<int>(engine_() % static_cast<unsigned>(most)); }

  std::string reason() {
    std::string text = R"({"why":"because )" + std::to_string(below(100)) + '"';
    if (below(2) == 0) text += fmt::format(R"(,"confidence":0.{})", 1 + below(9));
    if (below(3) == 0) text += fmt::format(R"(,"refs":["obs:{}"])", below(5));
    if (below(9) == 0) text += R"(,"confidence":7)";  // No confidence: it says nothing.
    return text + '}';
  }
  std::string reasons(int calls) {
    std::string text;
    for (int call = 1; call <= calls; ++call) {
      if (below(3) == 0) continue;
      text += fmt::format(R"({}"{}":{})", text.empty() ? "" : ",", call, reason());
    }
    return text.empty() ? text : '{' + text + '}';
  }
  std::string tool() { return std::array{"list", "grep", "notes_search", "no tool!"}[below(4)]; }

  void answer(int step) {
    const RecordedRun::Facts spent = {{"tokens", fmt::format(R"({{"input":{}}})", below(900))}};
    if (below(4) == 0) return say(step);
    const int count = below(4);
    std::vector<compile::ToolCall> calls;
    for (int call = 1; call <= count; ++call) {
      calls.push_back({fmt::format("c{}_{}", step, call), tool(), "{}"});
    }
    run_.calls(calls, reasons(count), spent);
    for (int call = count; call >= 1; --call) {
      if (below(6) == 0) continue;  // It never came back.
      const bool is_bad = below(3) == 0;
      const auto& made = calls[static_cast<std::size_t>(call - 1)];
      run_.result(made.id, call, made.name, said(is_bad), is_bad, outcome());
    }
  }
  void say(int step) {
    const bool is_plan = below(3) == 0;
    const int calls = is_plan ? 3 : 1;
    run_.says("{}", is_plan ? "" : "grep", reasons(calls),
              {{"purpose", is_plan ? R"("plan")" : R"("agent")"}});
    for (int call = 1; call <= calls; ++call) {
      const bool is_bad = below(4) == 0;
      run_.at_step(step);
      run_.observation(call, "grep", said(is_bad), is_bad, outcome());
    }
  }
  std::string said(bool is_bad) {
    if (is_bad && below(2) == 0) return "error: interrupted, effect unverified";
    return fmt::format("\n{} lines\nmore", below(100));
  }
  RecordedRun::Facts outcome() {
    if (below(3) != 0) return {};
    return {{"exit_code", std::to_string(below(2))}, {"artifact", R"("command")"}};
  }

  void remark(int step) {
    const std::string why = below(2) == 0 ? reason() : "";
    const std::string text = fmt::format("remark {} of step {}", below(1'000), step);
    switch (below(10)) {
      case 0:
        if (!has_citations_) return;
        run_.decision("unknown-ref", fmt::format("obs:{}", below(5)), "", {{"call", "1"}});
        return;
      case 1:
        run_.decision("strategy-switch", text, why, {{"from", R"("a")"}, {"to", R"("b")"}});
        return;
      case 2:
        run_.decision("assumption", text, why);
        return;
      case 3:
        run_.decision("curator-dropped", text, why);
        return;
      case 4:
        run_.decision("reactive-branch", text, why);
        return;
      case 5:
        run_.decision(
            "alternatives", text,
            R"({"why":"w","alternatives":[{"option":"ask","rejectedBecause":"nobody there"}]})");
        return;
      case 6:
        run_.decision("rationale-missing", text, "", {{"call", "1"}, {"tool", R"("list")"}});
        return;
      case 7:
        run_.user("nudge", text);
        return;
      case 8:
        run_.decision("resumed", text);
        return;
      default:
        run_.stranger(text);
    }
  }

  RecordedRun& run_;
  testing::ManualClock& clock_;
  std::mt19937_64 engine_;
  bool has_citations_ = true;
};

struct Scene {
  std::shared_ptr<testing::ManualClock> clock = std::make_shared<testing::ManualClock>();
  std::unique_ptr<Repository> repository = Repository::in_memory({.author = "ada", .clock = clock});
  RecordedRun run{*repository, "main", "sum it up"};

  Debrief read(std::size_t most = 1'000) const {
    return debrief_of(*repository, find_run(*repository, run.id()).value(), {.most = most}).value();
  }
};

// What meta says more changes the names of commits, and nothing else.
std::string without_names(const Debrief& debrief) {
  static const std::regex name("[0-9a-f]{64}|[0-9a-f]{16}");
  return std::regex_replace(to_json(debrief), name, "NAME");
}

template <class T>
std::vector<std::string> shown(const BoundedList<T>& list) {
  std::vector<std::string> all;
  list.visit([&](const T& entry) { all.push_back(to_json(entry)); },
             [&](std::uint64_t count) { all.push_back(std::to_string(count)); });
  return all;
}

// The beginning and the end of what was read whole.
std::vector<std::string> ends_of(const std::vector<std::string>& whole, std::size_t most) {
  if (whole.size() <= most) return whole;
  const std::size_t tail = most / 2;
  std::vector<std::string> ends(whole.begin(),
                                whole.begin() + static_cast<std::ptrdiff_t>(most - tail));
  ends.push_back(std::to_string(whole.size() - most));
  ends.insert(ends.end(), whole.end() - static_cast<std::ptrdiff_t>(tail), whole.end());
  return ends;
}

void play(Scene& scene, std::uint64_t seed) { Play(scene.run, *scene.clock, seed).go(); }

}  // namespace

TEST_SUITE("report/debrief/lazy") {
  TEST_CASE("a run whose meta tells of its calls is debriefed as one whose fields are read") {
    for (std::uint64_t seed = 0; seed < spoor::testing::rounds(150U); ++seed) {
      CAPTURE(seed);
      Scene told;
      Scene before;
      before.run.write_as_before();
      play(told, seed);
      play(before, seed);
      CHECK(without_names(told.read()) == without_names(before.read()));
      CHECK(without_names(told.read(3)) == without_names(before.read(3)));
    }
  }

  TEST_CASE("what is kept of a long list says what it says where all is kept") {
    for (std::uint64_t seed = 1'000; seed < 1'000 + spoor::testing::rounds(100U); ++seed) {
      CAPTURE(seed);
      Scene scene;
      // Whom a citation is ascribed to depends on what is kept.
      Play(scene.run, *scene.clock, seed).without_citations().go();
      const Debrief whole = scene.read();
      for (const std::size_t most : {1, 2, 5}) {
        const Debrief some = scene.read(most);
        CHECK(shown(some.path) == ends_of(shown(whole.path), most));
        CHECK(some.explained == whole.explained);
        CHECK(some.failed == whole.failed);
        for (std::size_t i = 0; i < whole.calibration.size(); ++i) {
          CHECK(some.calibration[i].calls == whole.calibration[i].calls);
          CHECK(some.calibration[i].failed == whole.calibration[i].failed);
        }
        CHECK(some.contradictions == whole.contradictions);
      }
    }
  }
}
