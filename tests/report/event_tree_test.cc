// Events of random runs, and of sessions of other people's agents: whatever happened, they are a
// tree, no id stands twice, each fits the schema and each hash can be computed again.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "import/importer.h"
#include "import/source.h"
#include "report/event/ids.h"
#include "report/event/projection.h"
#include "report/report.h"
#include "tests/agent/stage.h"
#include "tests/report/event_schema.h"
#include "tests/support/soak.h"
#include "trace/event_json.h"

namespace spoor::report {
namespace {

namespace fs = std::filesystem;
using agent::failed;
using agent::gave;
using agent::Strategy;
using agent::testing::calls;
using agent::testing::ListModel;
using agent::testing::must;
using agent::testing::Stage;
using agent::testing::step;

struct Told {
  std::size_t events = 0;
  std::vector<std::string> lines;
};

// All events of a history; they are held to what every event and every set of them must keep.
Told check_events(const graph::Repository& repository, const std::optional<agent::RunName>& run,
                  const Oid& head) {
  Told told;
  std::map<std::string, std::string> parent_of;  // By span.
  std::set<std::string> ids, traces;
  must(project(repository, run, head, {}, [&](DecisionEvent&& event) -> Result<void> {
    testing::check_event(event);
    told.lines.push_back(to_json(event));
    CHECK(ids.insert(event.event_id).second);
    CHECK_FALSE(parent_of.contains(event.span_id));
    parent_of[event.span_id] = event.parent_span_id;
    traces.insert(event.trace_id);
    ++told.events;
    return {};
  }));
  CHECK(traces.size() <= 1);
  // Whoever goes up comes to an end, of a run to its own, and never to where they were.
  std::set<std::string> roots;
  for (const auto& [span, parent] : parent_of) {
    std::string at = span;
    std::size_t steps = 0;
    while (!parent_of[at].empty() && steps <= parent_of.size()) {
      at = parent_of[at];
      REQUIRE(parent_of.contains(at));
      ++steps;
    }
    CHECK(steps <= parent_of.size());
    roots.insert(at);
  }
  if (run) CHECK(roots.size() == 1);
  return told;
}

// A model that says whatever comes to its mind.
class Whims {
 public:
  explicit Whims(std::uint64_t seed) : engine_(spoor::testing::seeded(seed)) {}

  int below(int most) { return static_cast<int>(engine_() % static_cast<unsigned>(most)); }

  std::vector<llm::Reply> replies(Strategy strategy, bool is_native) {
    std::vector<llm::Reply> all;
    const int count = 2 + below(8);
    if (strategy == Strategy::plan_and_execute) all.push_back(plan());
    for (int i = 0; i < count; ++i) {
      const int whim = below(10);
      if (whim == 0) {
        all.push_back(llm::say("I know nothing, and assume it is Sunday."));
      } else if (whim == 1) {
        all.push_back(llm::say(R"({"verdict":"retry","critique":"more"})"));
      } else if (whim == 2) {
        all.push_back(llm::say(R"({"verdict":"accept"})"));
      } else if (whim == 3) {
        all.push_back(strategy == Strategy::plan_and_execute ? plan() : finish());
      } else {
        all.push_back(is_native ? native() : written());
      }
    }
    all.push_back(finish());
    return all;
  }

 private:
  std::string tool() { return std::array{"look", "break", "nothing", "walk"}[below(4)]; }
  llm::Reply native() {
    std::vector<std::pair<std::string, std::string>> wanted;
    const int count = 1 + below(3);
    for (int i = 0; i < count; ++i) wanted.emplace_back(tool(), below(5) == 0 ? "{" : "{}");
    return calls(wanted, R"(<rationale call="1">{"why":"so","refs":["obs:9"]}</rationale>)",
                 1 + below(1'000) * 4);
  }
  llm::Reply written() {
    return step(
        fmt::format(R"({{"thought":"t","action":"{}","rationale":"w{}"}})", tool(), below(9)));
  }
  static llm::Reply finish() { return step(R"({"action":"finish","final_answer":"it is"})"); }
  llm::Reply plan() {
    return step(fmt::format(
        R"({{"plan":[{{"action":"{}","rationale":"a"}},{{"action":"{}"}},{{"action":"finish","final_answer":"x"}}]}})",
        tool(), tool()));
  }

  std::mt19937_64 engine_;
};

}  // namespace

TEST_SUITE("report/event_tree") {
  TEST_CASE("events of random runs are a tree, ids are unique, hashes can be computed again") {
    std::size_t events = 0;
    std::map<std::string, int> ends;
    for (std::uint64_t seed = 0; seed < spoor::testing::rounds(90U); ++seed) {
      CAPTURE(seed);
      Whims whims(seed);
      Stage stage;
      stage.add("look", [](std::string_view) { return gave("a lamp"); });
      stage.add("break", [](std::string_view) { return failed("it broke"); });
      stage.add("walk", [](std::string_view) { return agent::gave_json(R"({"at":"ü"})"); });
      const Strategy strategy =
          std::array{Strategy::react, Strategy::plan_and_execute, Strategy::reflexion}[seed % 3];
      const bool is_native = seed % 2 == 0 && strategy != Strategy::plan_and_execute;
      if (!is_native) stage.options.calling = agent::Calling::json;
      stage.options.max_steps = 1 + whims.below(8);
      ListModel model(whims.replies(strategy, is_native));
      const llm::Candidate llm{&model, "m", {}, {}};
      auto result = must(agent::run(strategy, "find it", llm, stage.session, stage.options));
      ++ends[std::string(name_of(result.stopped))];
      const bool goes_on = result.stopped != agent::Stopped::goal_achieved && seed % 4 < 2;
      if (goes_on) {
        stage.options.max_steps += 3;
        result = must(agent::resume(result.run, llm, stage.session, stage.options, {}));
      }
      const auto run = must(agent::find_run(*stage.repository, result.run));
      const Told told = check_events(*stage.repository, run, run.head);
      events += told.events;
      CHECK(told.events >= 2);
      // Read again, they are the same to the byte.
      CHECK(check_events(*stage.repository, run, run.head).lines == told.lines);
    }
    CHECK(events > 500);
    CHECK(ends.size() > 2);  // They end in several ways.
  }
}

TEST_SUITE("report/event/real_sessions") {
  TEST_CASE("sessions of other people's agents have events and a report") {
    const fs::path data = fs::path(SPOOR_SOURCE_DIR) / "../shared/data";
    if (!fs::is_directory(data)) {
      MESSAGE("skipped: no sessions at ", data.string());
      return;
    }
    std::size_t sessions = 0, events = 0, edits = 0;
    for (const auto& entry : fs::recursive_directory_iterator(data)) {
      const bool is_session = entry.path().extension() == ".jsonl" &&
                              entry.path().string().find("claude-code") != std::string::npos;
      if (!is_session) continue;
      CAPTURE(entry.path().string());
      const auto repository = graph::Repository::in_memory({.author = "ada"});
      const auto file = must(import::open_file(entry.path().string()));
      must(import::import_source(*file, *repository, {}));
      ++sessions;
      for (const store::Ref& ref : must(repository->store().refs("refs/heads/"))) {
        events += check_events(*repository, std::nullopt, ref.target).events;
        const report::Report report =
            must(report::report_of(*repository, std::nullopt, ref.target, 1'000, llm::PriceList()));
        CHECK(to_html(report).ends_with("</html>\n"));
        CHECK(report.events == report.timeline.total());
        for (const auto& [path, touched] : report.files) edits += touched.edits;
      }
    }
    MESSAGE(sessions << " sessions, " << events << " events, " << edits << " edits of files");
    CHECK(sessions > 10);
    CHECK(events > 200);
    CHECK(edits > 20);
  }

  TEST_CASE("sessions that say what their answers took have tokens in their reports") {
    const fs::path data = fs::path(SPOOR_SOURCE_DIR) / "../shared/data";
    if (!fs::is_directory(data)) {
      MESSAGE("skipped: no sessions at ", data.string());
      return;
    }
    for (const char* set : {"pi-mono", "pi-prsui", "gemini-cli-entire", "opencode-prsui",
                            "claude-code-entire-cli", "mini-swe-agent"}) {
      std::size_t reports = 0;
      for (const auto& entry : fs::recursive_directory_iterator(data / set)) {
        if (!entry.is_regular_file()) continue;
        CAPTURE(entry.path().string());
        const auto repository = graph::Repository::in_memory({.author = "ada"});
        const auto file = must(import::open_file(entry.path().string()));
        if (!import::import_source(*file, *repository, {})) continue;  // Is no session.
        for (const store::Ref& ref : must(repository->store().refs("refs/heads/"))) {
          const report::Report report =
              must(report::report_of(*repository, std::nullopt, ref.target, 100, llm::PriceList()));
          const trace::TokenSum& tokens = report.totals.tokens;
          if (tokens.all().value_or(0) == 0) continue;
          CHECK(*tokens.sent() > 0);
          CHECK(tokens.output.value_or(0) > 0);
          ++reports;
        }
      }
      CAPTURE(set);
      CHECK(reports > 0);
    }
  }
}

}  // namespace spoor::report
