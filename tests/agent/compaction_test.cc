#include <algorithm>
#include <set>
#include <stdexcept>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "agent/record/compaction.h"
#include "agent/record/recording.h"
#include "agent/record/window.h"
#include "agent/runs.h"
#include "llm/sent_prompt.h"
#include "tests/agent/stage.h"

using namespace spoor;
using namespace spoor::agent;
using namespace spoor::agent::testing;

namespace {

constexpr std::string_view kAsked = "There is little room left";
constexpr std::string_view kToldAgain = "only a summary is asked for";

// Answers as a list does, but a question for a summary with `summary`, and with `again` after it
// called a tool instead.
class SummingModel final : public llm::Provider {
 public:
  SummingModel(std::vector<llm::Reply> replies, llm::Reply summary, llm::Reply again)
      : replies_(std::move(replies)), summary_(std::move(summary)), again_(std::move(again)) {
    profile_.name = "list";
  }

  const llm::Profile& profile() const override { return profile_; }

  llm::Reply complete(const llm::Request& request, const llm::OnEvent&) override {
    requests.push_back(request.body);
    // Asked at the end of a request; later ones do not show it.
    const auto body = nlohmann::json::parse(request.body);
    const std::string last = body["messages"].back().dump();
    if (last.find(kToldAgain) != std::string::npos) {
      ++told_again;
      return again_;
    }
    if (last.find(kAsked) != std::string::npos) {
      ++summaries;
      if (summaries == dies_at) throw std::runtime_error("killed");
      return summary_;
    }
    if (next_ < replies_.size()) return replies_[next_++];
    return llm::fail({.kind = llm::Failure::Kind::invalid_request, .message = "no reply is left"});
  }

  std::vector<std::string> requests;
  int summaries = 0;
  int told_again = 0;
  int dies_at = 0;

 private:
  const std::vector<llm::Reply> replies_;
  const llm::Reply summary_;
  const llm::Reply again_;
  std::size_t next_ = 0;
  llm::Profile profile_;
};

// Calls a tool `steps` times, then is done. Every call has an argument of 400 bytes.
std::vector<llm::Reply> long_run(int steps) {
  std::vector<llm::Reply> replies;
  const std::string argument = R"({"text":")" + std::string(400, 'a') + R"("})";
  for (int i = 1; i <= steps; ++i) replies.push_back(calls({{"look", argument}}, {}, i));
  replies.push_back(llm::say("done"));
  return replies;
}

struct LongRun {
  explicit LongRun(int steps, llm::Reply summary = llm::say("seen it all"),
                   llm::Reply again = llm::say("seen it all"))
      : model(long_run(steps), std::move(summary), std::move(again)) {
    stage.options.rationale = false;
    stage.options.max_steps = 100;
    stage.add("look", [this](std::string_view) {
      ++looked;
      return gave(std::string(800, 'x'));
    });
  }

  PlanResult go() { return must(react("the goal", candidate(), session, stage.options)); }
  llm::Candidate candidate() { return {&model, "m", {}, {}}; }

  // The number of the run's commits that replace turns by a summary.
  std::size_t compressions() {
    std::size_t count = 0;
    const auto walked = session.branch().log([&](const store::NamedCommit& commit) {
      const bool is_runs = commit.commit->meta.find(R"("run":)") != std::string::npos;
      count += commit.commit->op == store::Op::compress && is_runs ? 1 : 0;
      return true;
    });
    if (!walked) throw std::logic_error(walked.error().message);
    return count;
  }

  Stage stage;
  Session session{*stage.repository, "main", {.principal = {}, .window_tokens = 3'000}};
  SummingModel model;
  int looked = 0;
};

bool is_valid_pairing(const nlohmann::json& body) {
  std::set<std::string> open;
  for (const auto& message : body["messages"]) {
    if (message["role"] == "tool" && open.erase(message["tool_call_id"]) == 0) return false;
    if (!message.contains("tool_calls")) continue;
    for (const auto& call : message["tool_calls"]) open.insert(call["id"]);
  }
  return open.empty();
}

}  // namespace

TEST_SUITE("agent/compaction") {
  TEST_CASE("a full window is cleared of old results, then summarised, and the run goes on") {
    LongRun run(40);
    const PlanResult result = run.go();
    CHECK(result.answer == "done");
    CHECK(run.looked == 40);
    CHECK(run.model.summaries >= 2);
    CHECK(run.compressions() == static_cast<std::size_t>(run.model.summaries));
    CHECK(result.turns == 41);

    std::size_t cleared = 0;
    for (const std::string& request : run.model.requests) {
      const auto body = nlohmann::json::parse(request);
      CHECK(is_valid_pairing(body));
      CHECK(request.find("the goal") != std::string::npos);
      cleared += request.find("[result left out: ") != std::string::npos ? 1 : 0;
    }
    CHECK(cleared > 5);
    CHECK(!run.stage.decisions("curator-cleared").empty());
    CHECK(run.model.requests.back().find("seen it all") != std::string::npos);

    // The summary's own request is recorded, verified and costed like any other.
    const auto recording = must(record::read_recording(*run.stage.repository, result.run));
    std::size_t verified = 0;
    for (const auto& event : recording.events) {
      if (event.kind != record::Recording::Event::Kind::answer) continue;
      const auto sent = must(llm::sent_prompt(*run.stage.repository, event.commit));
      CHECK(sent.verdict == llm::SentPrompt::Verdict::verified);
      verified += event.word == record::kCompact ? 1 : 0;
    }
    CHECK(verified == static_cast<std::size_t>(run.model.summaries));
    CHECK(run.stage.tracker.total().calls == run.model.requests.size());

    const auto replayed = must(replay(result.run, run.candidate(), run.session, run.stage.options));
    CHECK(replayed.divergences.empty());
    CHECK(replayed.is_whole);
  }

  TEST_CASE("a run that is killed while it asks for a summary loses that request alone") {
    LongRun run(40);
    run.model.dies_at = 2;
    CHECK_THROWS(run.go());
    const int looked = run.looked;
    const std::size_t before = run.compressions();
    const std::string id = must(list_runs(*run.stage.repository)).front().id;
    const PlanResult result = must(resume(id, run.candidate(), run.session, run.stage.options, {}));
    CHECK(result.answer == "done");
    CHECK(run.looked == 40);
    CHECK(looked < 40);
    CHECK(run.compressions() > before);
    // The question for it was recorded once.
    std::size_t questions = 0;
    for (const auto& turn : run.stage.turns()) {
      questions += turn.facts.text("mark") == record::kCompact ? 1 : 0;
    }
    CHECK(questions == run.compressions());
    const auto replayed = must(replay(id, run.candidate(), run.session, run.stage.options));
    CHECK(replayed.divergences.empty());
  }

  TEST_CASE("a summary names the turns that it replaces, as a decision") {
    LongRun run(40);
    run.go();
    const auto decisions = run.stage.decisions("curator-compressed");
    REQUIRE(decisions.size() == run.compressions());
    for (const auto& decision : decisions) {
      CHECK(decision.text.find(" turns: ") != std::string::npos);
      CHECK(decision.facts.get(fact::turns).value_or(0) > 2);
    }
  }

  TEST_CASE("a model that calls a tool in place of a summary is told once, and asked again") {
    LongRun run(40, calls({{"look", "{}"}, {"look", "{}"}}, {}, 900));
    const PlanResult result = run.go();
    CHECK(result.answer == "done");
    CHECK(run.looked == 40);  // Calls of a summary are not made.
    CHECK(run.model.summaries >= 2);
    CHECK(run.model.told_again == run.model.summaries);
    CHECK(run.compressions() == static_cast<std::size_t>(run.model.summaries));
    for (const std::string& request : run.model.requests) {
      CHECK(is_valid_pairing(nlohmann::json::parse(request)));
    }
    CHECK(run.stage.tracker.total().calls == run.model.requests.size());
    const auto replayed = must(replay(result.run, run.candidate(), run.session, run.stage.options));
    CHECK(replayed.divergences.empty());
    CHECK(replayed.is_whole);
  }

  TEST_CASE("a model that gives no summary is not asked for one again, and turns are left out") {
    const llm::Reply no_summary = calls({{"look", "{}"}}, {}, 900);
    LongRun run(40, no_summary, no_summary);
    const PlanResult result = run.go();
    CHECK(result.answer == "done");
    CHECK(run.looked == 40);
    CHECK(run.model.summaries == 1);
    CHECK(run.model.told_again == 1);
    CHECK(run.compressions() == 0);
    CHECK(run.model.requests.back().find(kAsked) == std::string::npos);
    CHECK(run.model.requests.back().find(kToldAgain) == std::string::npos);
    for (const std::string& request : run.model.requests) {
      CHECK(is_valid_pairing(nlohmann::json::parse(request)));
    }
    CHECK(!run.stage.decisions("curator-dropped").empty());
    const auto replayed = must(replay(result.run, run.candidate(), run.session, run.stage.options));
    CHECK(replayed.divergences.empty());
  }

  TEST_CASE("a summary that makes no room is not used, and not asked for again") {
    LongRun run(40, llm::say(std::string(9'000, 's')));
    const PlanResult result = run.go();
    CHECK(result.answer == "done");
    CHECK(run.model.summaries == 1);
    CHECK(run.compressions() == 0);
    CHECK(run.model.requests.back().find("ssss") == std::string::npos);
  }

  TEST_CASE("a summary that reached its limit says so") {
    llm::Reply cut = llm::say("seen it");
    cut.finish_reason = "max_tokens";
    LongRun run(40, cut);
    std::size_t told = 0;
    run.stage.options.on_event = [&](const RunEvent& event) {
      if (event.text.find("the summary was cut off") != std::string_view::npos) ++told;
    };
    run.go();
    CHECK(told == run.compressions());
    CHECK(run.compressions() > 0);
    CHECK(run.model.requests.back().find("seen it\\n\\n[cut off here]") != std::string::npos);
  }

  TEST_CASE("a provider that finds the prompt too long is shown a summary") {
    LongRun run(9);
    Session wide(*run.stage.repository, "main", {.principal = {}, .window_tokens = 100'000});
    auto replies = long_run(9);
    llm::Reply too_long;
    too_long.failure = llm::Failure{.kind = llm::Failure::Kind::too_long, .status = 400};
    replies.insert(replies.begin() + 9, 2, too_long);
    SummingModel model(replies, llm::say("seen it all"), {});
    const PlanResult result =
        must(react("the goal", {&model, "m", {}, {}}, wide, run.stage.options));
    CHECK(result.answer == "done");
    CHECK(model.summaries == 1);
    CHECK(!run.stage.decisions("window-reduced").empty());
    const auto replayed = must(replay(result.run, {&model, "m", {}, {}}, wide, run.stage.options));
    CHECK(replayed.divergences.empty());
  }

  TEST_CASE("between two moments at which a window is full, its prompt only grows") {
    using record::Fit;
    std::vector<record::Weight> messages = {{.tokens = 100, .cleared = 100, .is_pinned = true}};
    std::int64_t end = 0;
    std::int64_t steps = 0;
    std::int64_t moves = 0;
    for (; steps < 400; ++steps) {
      messages.push_back({.tokens = 40, .cleared = 40, .is_answer = true});
      const auto size = static_cast<std::uint64_t>(steps * 37 % 300);
      messages.push_back({.tokens = size, .cleared = std::min<std::uint64_t>(size, 8)});
      const Fit fit = record::fit(messages, {5'000, WhenFull::compact});
      if (fit.needs_summary) break;
      const auto all = static_cast<std::int64_t>(messages.size());
      const std::int64_t now = fit.clear_results_after ? all - *fit.clear_results_after : 0;
      CHECK(now >= end);
      CHECK(now < all - 2);
      CHECK(fit.budget == 5'000);
      moves += now != end ? 1 : 0;
      end = now;
    }
    CHECK(steps > 30);
    CHECK(steps < 120);
    CHECK(moves >= 1);
    CHECK(moves <= 3);
  }
}
