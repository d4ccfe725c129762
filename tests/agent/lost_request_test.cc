// A process that ends while a model is asked.
#include <doctest/doctest.h>

#include <stdexcept>

#include "llm/commit_reply.h"
#include "llm/open_requests.h"
#include "tests/agent/stage.h"

namespace spoor::agent {
namespace {

using testing::calls;
using testing::must;
using testing::Stage;

// Ends as a killed process does: after the request was sent, and before anything was heard.
struct Killed : std::runtime_error {
  Killed() : std::runtime_error("killed") {}
};

class DyingModel final : public llm::Provider {
 public:
  explicit DyingModel(int sendings) : sendings_(sendings) { profile_.name = "dying"; }
  const llm::Profile& profile() const override { return profile_; }
  llm::Reply complete(const llm::Request& request, const llm::OnEvent&) override {
    for (int i = 0; i < sendings_; ++i) {
      if (!request.before_send()) break;
    }
    throw Killed();
  }

 private:
  const int sendings_;
  llm::Profile profile_;
};

std::string die(Stage& stage, int sendings) {
  DyingModel model(sendings);
  CHECK_THROWS_AS(
      static_cast<void>(react("g", {&model, "m", {}, {}}, stage.session, stage.options)), Killed);
  const auto open = llm::open_requests(*stage.repository).value();
  REQUIRE(open.size() == 1);
  CHECK(open[0].step == 1);
  CHECK(open[0].purpose == "agent");
  CHECK(open[0].attempts == sendings);
  return open[0].run;
}

}  // namespace

TEST_SUITE("agent/lost_request") {
  TEST_CASE("resume ends the record of a request that was lost, and counts its unknown cost") {
    for (const int sendings : {1, 3}) {
      Stage stage;
      const std::string run = die(stage, sendings);
      testing::ListModel model({llm::say("done")});
      const llm::Candidate llm{&model, "m2", {}, {}};
      const auto result = must(resume(run, llm, stage.session, stage.options, {}));
      CHECK(result.answer == "done");
      CHECK(result.spent.unknown_costs == static_cast<std::uint64_t>(sendings) + 1);
      CHECK(llm::open_requests(*stage.repository).value().empty());
      const auto lost = stage.decisions("call-failed");
      REQUIRE(lost.size() == 1);
      CHECK(lost[0].facts.get(fact::failure) == llm::kLost);
      CHECK(lost[0].facts.get(fact::provider) == "dying");
      CHECK(lost[0].facts.get(fact::model) == "m");
      CHECK(lost[0].facts.get(fact::run) == run);
      CHECK(lost[0].facts.get(fact::step) == 1);
      CHECK(lost[0].prompt);
    }
  }

  TEST_CASE("what was lost is in no prompt, and no replay differs") {
    Stage stage;
    const std::string run = die(stage, 1);
    testing::ListModel model({llm::say("done")});
    const llm::Candidate llm{&model, "m", {}, {}};
    must(resume(run, llm, stage.session, stage.options, {}));
    CHECK(model.requests.at(0).find("process ended") == std::string::npos);
    const auto replayed = must(replay(run, llm, stage.session, stage.options));
    CHECK(replayed.divergences.empty());
    CHECK(replayed.is_whole);
  }

  TEST_CASE("every later process counts a lost request as well") {
    Stage stage;
    const std::string run = die(stage, 2);
    testing::ListModel broken({llm::fail({.kind = llm::Failure::Kind::unauthorized})});
    must(resume(run, {&broken, "m", {}, {}}, stage.session, stage.options, {}));
    testing::ListModel model({llm::say("done")});
    stage.options.tracker = nullptr;
    const auto result = must(resume(run, {&model, "m", {}, {}}, stage.session, stage.options, {}));
    CHECK(result.spent.unknown_costs == 3);
    CHECK(stage.decisions("call-failed").size() == 2);
  }

  TEST_CASE("the request of another run stays open") {
    Stage stage;
    die(stage, 1);
    testing::ListModel model({llm::say("done")});
    const llm::Candidate llm{&model, "m", {}, {}};
    must(react("another goal", llm, stage.session, stage.options));
    CHECK(llm::open_requests(*stage.repository).value().size() == 1);
  }
}

}  // namespace spoor::agent
