// Requests on their way, and replies that nobody can keep where they belong.
#include <doctest/doctest.h>

#include "graph/undo.h"
#include "llm/generate.h"
#include "llm/open_requests.h"
#include "llm/retrying.h"
#include "llm/scripted.h"
#include "llm/sent_prompt.h"
#include "llm/wire/reply_parser.h"
#include "tests/llm/replies.h"

using namespace spoor;
using namespace spoor::testing;

namespace {

llm::Profile fake() {
  llm::Profile profile;
  profile.name = "fake";
  return profile;
}

// A store, a branch with a question, and a model that does what it is told to.
struct World {
  std::unique_ptr<graph::Repository> repository = still_repository();
  graph::Branch main = repository->branch("main");
  llm::NoWaiting waiting;

  World() { main.user("2+2?").value(); }

  spoor::Result<llm::Generated> ask(llm::Provider& provider, llm::GenerateOptions options = {}) {
    llm::Candidate candidate;
    candidate.provider = &provider;
    candidate.model = "m";
    return llm::generate(main, candidate, options);
  }

  spoor::Result<llm::Generated> answer(llm::Reply reply, llm::GenerateOptions options = {}) {
    llm::ScriptedAnswer answer;
    answer.reply = std::move(reply);
    llm::ScriptedProvider provider(fake(), std::vector{std::move(answer)}, waiting);
    return ask(provider, std::move(options));
  }

  std::vector<llm::OpenRequest> open() { return llm::open_requests(*repository).value(); }

  std::vector<compile::Turn> failed() {
    std::vector<compile::Turn> turns;
    const auto chain = graph::Branch::on_ref(*repository, llm::kFailedRequests);
    if (!chain.tip().value()) return turns;
    chain
        .log([&](const store::NamedCommit& commit) {
          turns.push_back(graph::read_turn(repository->reader(), commit.oid).value());
          return true;
        })
        .value();
    return turns;
  }
};

llm::Reply paid_reply() {
  llm::Reply reply = reply_of({text_piece("Four.")});
  reply.usage.input = 10;
  reply.usage.output = 2;
  reply.received = R"({"what":"came"})";
  return reply;
}

// Fails so many times, then answers.
llm::ScriptedProvider::Script failing(int times, const std::function<void()>& look) {
  return [=](const llm::Request&, std::size_t number) {
    look();
    llm::ScriptedAnswer answer;
    answer.reply = static_cast<int>(number) < times
                       ? llm::fail({.kind = llm::Failure::Kind::overloaded, .status = 529})
                       : llm::say("Four.");
    return answer;
  };
}

}  // namespace

TEST_SUITE("llm/open_requests") {
  TEST_CASE("a request is in the store before it is sent, until its answer is") {
    World world;
    std::vector<llm::OpenRequest> seen;
    llm::ScriptedProvider provider(fake(), failing(0, [&] { seen = world.open(); }), world.waiting);
    llm::GenerateOptions options;
    options.request_facts.set(fact::run, "0123456789abcdef");
    options.request_facts.set(fact::step, 3);
    const auto made = world.ask(provider, options).value();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].provider == "fake");
    CHECK(seen[0].model == "m");
    CHECK(seen[0].run == "0123456789abcdef");
    CHECK(seen[0].step == 3);
    CHECK(seen[0].attempts == 1);
    CHECK(seen[0].prompt == made.prompt);
    CHECK(world.open().empty());
    CHECK(world.failed().empty());
    const auto chain = world.repository->store().ref("refs/runs/0123456789abcdef/requests").value();
    CHECK(chain == seen[0].commit);  // No orphan, and on no branch.
    CHECK(provider.requests()[0].body.find("request-begun") == std::string::npos);
  }

  TEST_CASE("a request that is sent again is one record, which counts") {
    World world;
    std::vector<std::int64_t> attempts;
    const auto look = [&] { attempts.push_back(world.open().at(0).attempts); };
    llm::ScriptedProvider provider(fake(), failing(2, look), world.waiting);
    struct Never final : llm::Chance {
      double fraction() override { return 0; }
    } chance;
    llm::RetryingProvider retrying(provider, llm::RetryPolicy{}, world.waiting, chance);
    REQUIRE(world.ask(retrying));
    CHECK(attempts == std::vector<std::int64_t>{1, 2, 3});
    CHECK(world.open().empty());
  }

  TEST_CASE("the record of a request of no run keeps no history") {
    World world;
    std::vector<llm::OpenRequest> seen;
    llm::ScriptedProvider provider(fake(), failing(0, [&] { seen = world.open(); }), world.waiting);
    REQUIRE(world.ask(provider));
    REQUIRE(seen.size() == 1);
    CHECK_FALSE(seen[0].prompt);
    CHECK(world.repository->store().ref("refs/requests/sent").value() == seen[0].commit);
  }

  TEST_CASE("a request that cannot be recorded is not sent") {
    bool is_full = false;
    graph::Repository::Options opened;
    opened.clock = std::make_shared<ManualClock>();
    World world;
    llm::Hooks hooks;
    hooks.on(llm::HookEvent::Kind::call, [&](const llm::HookEvent&) -> spoor::Result<void> {
      is_full = true;
      return {};
    });
    opened.is_cancelled = [&] { return is_full; };
    world.repository = graph::Repository::in_memory(std::move(opened));
    world.main = world.repository->branch("main");
    world.main.user("2+2?").value();
    llm::ScriptedProvider provider(fake(), failing(0, [] {}), world.waiting);
    llm::GenerateOptions options;
    options.hooks = &hooks;
    CHECK_FALSE(world.ask(provider, options));
    CHECK(provider.requests().empty());
  }

  TEST_CASE("a failed call that no run records is on a chain of its own, with what was sent") {
    World world;
    const auto tip = world.main.tip().value();
    llm::ScriptedProvider provider(fake(), failing(1, [] {}), world.waiting);
    CHECK_FALSE(world.ask(provider));
    CHECK(world.main.tip().value() == tip);
    CHECK(world.open().empty());
    const auto failed = world.failed();
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].facts.get(fact::decision) == llm::kCallFailed);
    CHECK(failed[0].facts.get(fact::failure) == "overloaded");
    CHECK(failed[0].facts.get(fact::status) == 529);
    CHECK(failed[0].facts.get(fact::model) == "m");
    CHECK(failed[0].prompt);
    CHECK(failed[0].attach.empty());
  }

  TEST_CASE("two equal requests at one moment are two records") {
    World world;
    const auto put = [&](graph::Draft& draft) -> spoor::Result<store::Oid> {
      return llm::put_sent_prompt(draft, *TRY(world.main.tip()),
                                  llm::render::recipe_for(fake(), "m"),
                                  world.repository->counter().name(), "body", {});
    };
    llm::RequestRecord one(*world.repository, {}, put);
    llm::RequestRecord other(*world.repository, {}, put);
    one.begin().value();
    other.begin().value();
    CHECK(world.open().size() == 2);
    world.repository
        ->transact("test", graph::OnConflict::reparent,
                   [&](graph::Draft& draft) { return one.settle(draft); })
        .value();
    CHECK(world.open().size() == 1);
  }

  TEST_CASE("an answer that cannot be written is kept as it came, and the error says where") {
    World world;
    world.repository->set_token_limit(1).value();
    const auto made = world.answer(paid_reply());
    REQUIRE_FALSE(made);
    CHECK(made.error().code == spoor::Error::Code::denied);
    const auto failed = world.failed();
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].facts.get(fact::failure) == "not-written");
    CHECK(failed[0].facts.json(fact::tokens) == R"({"input":10,"output":2})");
    REQUIRE(failed[0].attach.size() == 1);
    CHECK(failed[0].attach[0].bytes == R"({"what":"came"})");
    const auto kept = world.repository->store().ref(llm::kFailedRequests).value();
    CHECK(made.error().message.find("spoor show " + kept->hex(12)) != std::string::npos);
    CHECK(world.open().empty());
  }

  TEST_CASE("of an answer without received bytes that cannot be written its items are kept") {
    World world;
    world.repository->set_token_limit(1).value();
    llm::Reply reply = reply_of({text_piece("Four.", R"({"type":"text","text":"Four."})"),
                                 call_piece("c", "ls", "{}"), thought_piece("hm")});
    CHECK_FALSE(world.answer(reply));
    REQUIRE(world.failed().size() == 1);
    REQUIRE(world.failed()[0].attach.size() == 1);
    CHECK(world.failed()[0].attach[0].bytes ==
          R"([{"type":"text","text":"Four."},{"arguments":"{}","id":"c","name":"ls"},"hm"])");
  }

  TEST_CASE("a hook that refuses a reply keeps its text out, and what it took is recorded") {
    World world;
    llm::Hooks hooks;
    hooks.on(llm::HookEvent::Kind::commit, [](const llm::HookEvent& moment) -> spoor::Result<void> {
      if (moment.is_before) return spoor::denied("not this one");
      return {};
    });
    llm::GenerateOptions options;
    options.hooks = &hooks;
    const auto made = world.answer(paid_reply(), options);
    REQUIRE_FALSE(made);
    CHECK(made.error().message == "not this one");
    const auto failed = world.failed();
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].facts.get(fact::failure) == "refused");
    CHECK(failed[0].facts.json(fact::tokens) == R"({"input":10,"output":2})");
    CHECK(failed[0].attach.empty());
    CHECK(world.open().empty());
  }

  TEST_CASE("a body that cannot be read is kept whole, and the error says where") {
    for (const std::string& body : {std::string("<html>so sorry</html>"), std::string("{\"a\":"),
                                    std::string("{\"known\":\"nothing\"}")}) {
      World world;
      const auto made = world.answer(llm::wire::read_reply(body));
      REQUIRE_FALSE(made);
      const auto failed = world.failed();
      REQUIRE(failed.size() == 1);
      CHECK(failed[0].facts.get(fact::failure) == "malformed");
      REQUIRE(failed[0].attach.size() == 1);
      CHECK(failed[0].attach[0].bytes == body);
      const auto kept = world.repository->store().ref(llm::kFailedRequests).value();
      CHECK(made.error().message.find("spoor show " + kept->hex(12)) != std::string::npos);
    }
  }

  TEST_CASE("what could be read of the usage of an unreadable reply is recorded and booked") {
    World world;
    llm::Reply reply = llm::fail({.kind = llm::Failure::Kind::malformed, .message = "broken"});
    reply.usage.input = 7;
    reply.usage.raw = R"({"input_tokens":7})";
    reply.received = "data: broken";
    llm::CostTracker tracker;
    llm::GenerateOptions options;
    options.tracker = &tracker;
    CHECK_FALSE(world.answer(reply, options));
    REQUIRE(world.failed().size() == 1);
    CHECK(world.failed()[0].facts.json(fact::tokens) == R"({"input":7})");
    CHECK(world.failed()[0].facts.json(fact::usage) == R"({"input_tokens":7})");
    CHECK(tracker.total().input.known == 7);
    CHECK(tracker.total().unknown_costs == 1);
  }

  TEST_CASE("an answer of which a part could not be read has the whole body attached") {
    World world;
    llm::Reply reply = reply_of({text_piece("Fo")});
    reply.failure = llm::Failure{.kind = llm::Failure::Kind::malformed, .message = "broken"};
    reply.received = "data: Fo\n\ndata: {broken\n\n";
    const auto made = world.answer(reply).value();
    const auto turn = graph::read_turn(world.repository->reader(), made.commit).value();
    CHECK(turn.text == "Fo");
    REQUIRE(turn.attach.size() == 2);
    CHECK(turn.attach[1].bytes == reply.received);
    CHECK(world.open().empty());
  }

  TEST_CASE("undoing an answer does not open its request again") {
    World world;
    world.answer(paid_reply()).value();
    const auto step = graph::step_to_undo(world.repository->store()).value();
    world.repository
        ->transact(graph::kUndo, graph::OnConflict::fail,
                   [&](graph::Draft& draft) { return graph::take_back(draft, step); })
        .value();
    CHECK(world.open().empty());
  }
}
