#include <unistd.h>

#include <filesystem>

#include <doctest/doctest.h>

#include "llm/check_thinking.h"
#include "llm/generate.h"
#include "llm/generate_value.h"
#include "llm/scripted.h"
#include "llm/sent_prompt.h"
#include "tests/llm/replies.h"

using namespace spoor;
using namespace spoor::testing;
using llm::SentPrompt;

namespace {

llm::Profile anthropic() {
  llm::Profile profile;
  profile.name = "anthropic";
  profile.wire = llm::Wire::anthropic;
  return profile;
}

// A store, a branch and a model that says what it is told to.
struct World {
  explicit World(std::vector<llm::ScriptedAnswer> answers)
      : provider(anthropic(), std::move(answers), waiting) {}

  llm::Candidate candidate() {
    llm::Candidate made;
    made.provider = &provider;
    made.model = "claude-x";
    return made;
  }

  std::unique_ptr<graph::Repository> repository = still_repository();
  graph::Branch main = repository->branch("main");
  llm::NoWaiting waiting;
  llm::ScriptedProvider provider;
};

llm::ScriptedAnswer answer(llm::Reply reply) {
  llm::ScriptedAnswer made;
  made.reply = std::move(reply);
  return made;
}

llm::ScriptedAnswer thinking_answer() {
  auto reply =
      reply_of({thought_piece("hm", R"({"type":"thinking","thinking":"hm","signature":"s"})"),
                text_piece("Twelve.", R"({"type":"text","text":"Twelve."})")},
               "anthropic");
  reply.id = "msg_1";
  reply.model = "claude-x-2026";
  reply.finish_reason = "end_turn";
  reply.usage.input = 10;
  reply.usage.output = 7;
  reply.usage.raw = R"({"output_tokens":7,"input_tokens":10})";
  return answer(std::move(reply));
}

}  // namespace

TEST_SUITE("llm/generate") {
  TEST_CASE("a chat is user, reasoning, answer, with what was sent beside it") {
    World world({thinking_answer()});
    const auto made = llm::chat(world.main, "How many?", world.candidate(), {}).value();
    CHECK(made.reply.text() == "Twelve.");
    REQUIRE(made.reasoning_commit);
    const auto& reader = world.repository->reader();
    const auto answer = reader.commit(made.commit).value();
    CHECK(answer->parents == std::vector{*made.reasoning_commit});
    CHECK(answer->prompt == made.prompt);
    CHECK(answer->raw.empty());  // The item is what an answer without `raw` stands for.
    CHECK(answer->author == "claude-x-2026");
    CHECK(answer->meta ==
          R"({"finish_reason":"end_turn","message_id":"msg_1","model":"claude-x-2026",)"
          R"("provider":"anthropic","tokens":{"input":10,"output":7},)"
          R"("usage":{"input_tokens":10,"output_tokens":7}})");
    const auto thought = graph::read_turn(reader, *made.reasoning_commit).value();
    CHECK(thought.text == "hm");
    CHECK(thought.fields.format == "anthropic");
    REQUIRE(thought.raw.size() == 1);
    CHECK(thought.raw[0].bytes == R"({"type":"thinking","thinking":"hm","signature":"s"})");
    CHECK(world.provider.requests().size() == 1);
    CHECK(
        world.provider.requests()[0].body ==
        R"({"model":"claude-x","messages":[{"role":"user","content":)"
        R"([{"type":"text","text":"How many?"}]}],"cache_control":{"type":"ephemeral"},"max_tokens":128000,)"
        R"("stream":true,"thinking":{"display":"summarized","type":"adaptive"}})");
  }

  TEST_CASE(
      "the request of an answer is rebuilt byte for byte, whatever is done to the branch later") {
    World world({thinking_answer(), thinking_answer()});
    world.main.system("Be brief").value();
    llm::Candidate candidate = world.candidate();
    candidate.tools = R"([{"name":"ls"}])";
    candidate.params = R"({"temperature":0})";
    llm::GenerateOptions options;
    options.compile.budget = 1000;
    const auto made = llm::chat(world.main, "q", candidate, options).value();
    world.main
        .edit(world.repository->resolve("HEAD~2", world.main.tip().value()).value(), "changed")
        .value();
    world.main.system("Be long").value();
    const auto sent = llm::sent_prompt(*world.repository, made.commit).value();
    CHECK(sent.verdict == SentPrompt::Verdict::verified);
    CHECK(sent.body == world.provider.requests()[0].body);
    CHECK(sent.bundle.renderer == "anthropic/3");
    CHECK_FALSE(sent.was_stored);
  }

  TEST_CASE("a request whose results are cleared and whose prefixes are marked is rebuilt") {
    World world({thinking_answer()});
    world.main.user("look twice").value();
    for (const std::string id : {"1", "2"}) {
      compile::Turn call{.type = store::Type::assistant};
      call.fields.tool_calls = {{{id, "look", "{}"}}};
      compile::Turn result{.type = store::Type::tool, .text = std::string(300, 'r')};
      result.fields.call_id = id;
      world.main.commit({call, result}).value();
    }
    llm::GenerateOptions options;
    options.compile.clear_results_after = 2;
    const auto made = llm::generate(world.main, world.candidate(), options).value();
    const auto sent = llm::sent_prompt(*world.repository, made.commit).value();
    CHECK(sent.verdict == SentPrompt::Verdict::verified);
    const std::string body = world.provider.requests()[0].body;
    CHECK(sent.body == body);
    const std::string mark = R"("cache_control":{"type":"ephemeral"})";
    // The question, the end of the request before, and the request itself.
    CHECK(body.find(R"("text":"look twice",)" + mark) != std::string::npos);
    CHECK(body.find(R"("content":"[result left out: 300 bytes]",)" + mark) != std::string::npos);
    CHECK(body.find(std::string(300, 'r') + "\"}]}],") != std::string::npos);
    // Without a mark of the request there are no others.
    llm::Candidate plain = world.candidate();
    plain.params = R"({"cache_control":null})";
    const auto tip = world.main.tip().value();
    const auto unmarked = llm::render_request(*world.repository, tip, plain, options).value();
    CHECK(unmarked.body.find(mark) == std::string::npos);
  }

  TEST_CASE("a digest of other bytes is 'differs', a renderer that is not known 'cannot_rebuild'") {
    World world({});
    const auto user = world.main.user("q").value();
    llm::render::Recipe recipe = llm::render::recipe_for(anthropic(), "m");
    const auto answer_with = [&](std::string renderer, std::string params, std::string body) {
      store::Oid made;
      world.main
          .write("test",
                 [&](graph::Draft& draft, const std::string& ref) -> spoor::Result<store::Oid> {
                   recipe.renderer = renderer;
                   recipe.params = params;
                   const auto bundle = TRY(llm::put_sent_prompt(
                       draft, user, recipe, world.repository->counter().name(), body, {}));
                   const llm::ReplyOrigin origin{.provider = "anthropic", .prompt = bundle};
                   made = TRY(llm::commit_reply(draft, ref, reply_of({text_piece("a")}), origin,
                                                "user", world.repository->clock().now()))
                              .answer;
                   return made;
                 })
          .value();
      return llm::sent_prompt(*world.repository, made).value();
    };
    const std::string body =
        R"({"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"q"}]}],"a":1})";
    CHECK(answer_with("anthropic/1", R"({"a":1})", body).verdict == SentPrompt::Verdict::verified);
    // One byte of the parameters, and one of what was sent.
    CHECK(answer_with("anthropic/1", R"({"a":2})", body).verdict == SentPrompt::Verdict::differs);
    std::string flipped = body;
    flipped[3] ^= 1;
    CHECK(answer_with("anthropic/1", R"({"a":1})", flipped).verdict ==
          SentPrompt::Verdict::differs);
    const llm::render::Recipe sound = recipe;
    const auto differs_with = [&](auto change) {
      recipe = sound;
      change(recipe);
      return answer_with("anthropic/1", R"({"a":1})", body).verdict == SentPrompt::Verdict::differs;
    };
    CHECK(differs_with([](auto& r) { r.model = "n"; }));
    CHECK(differs_with([](auto& r) { r.tools = "[]"; }));
    CHECK(differs_with([&](auto&) {
            world.main.edit(user, "Q")
                .value();  // Not an input: the bundle names the commit before it.
          }) == false);
    CHECK(differs_with([](auto& r) { r.options.budget = 0; }));
    recipe = sound;
    const auto later = answer_with("anthropic/99", R"({"a":1})", body);
    CHECK(later.verdict == SentPrompt::Verdict::cannot_rebuild);
    CHECK(later.why.find("anthropic/99") != std::string::npos);
  }

  TEST_CASE("a request is rebuilt under the version of the fold that its bundle names") {
    World world({});
    const auto say = [&](const std::string& text) {
      compile::Turn turn{.type = store::Type::assistant, .text = text};
      turn.facts.set_text("message_id", "item_1");
      return world.main.commit(turn).value();
    };
    world.main.user("one").value();
    say("Done.");
    world.main.user("two").value();
    say("Done.");
    const auto asked = world.main.user("three").value();
    const auto bundle_of = [&](std::uint32_t version) {
      llm::render::Recipe recipe = llm::render::recipe_for(anthropic(), "m");
      recipe.options.version = version;
      const auto sent = llm::render::render(*world.repository, asked, recipe).value();
      store::Oid bundle;
      world.main
          .write("test",
                 [&](graph::Draft& draft, const std::string& ref) -> spoor::Result<store::Oid> {
                   bundle = TRY(llm::put_sent_prompt(draft, asked, recipe, "", sent.body, {}));
                   const llm::ReplyOrigin origin{.provider = "anthropic", .prompt = bundle};
                   return TRY(llm::commit_reply(draft, ref, reply_of({text_piece("a")}), origin,
                                                "user", world.repository->clock().now()))
                       .answer;
                 })
          .value();
      return bundle;
    };
    const auto options_of = [&](const store::Oid& bundle) {
      const auto& reader = world.repository->reader();
      return *reader.content(*reader.bundle(bundle).value().options).value();
    };
    const auto old = bundle_of(1);
    CHECK(options_of(old).find("version") == std::string::npos);
    const auto joined = llm::sent_bundle(*world.repository, old).value();
    CHECK(joined.verdict == SentPrompt::Verdict::verified);
    const std::string both = R"({"type":"text","text":"Done."},{"type":"text","text":"Done."})";
    CHECK(joined.body.find(both) != std::string::npos);
    const auto recent = bundle_of(2);
    CHECK(options_of(recent).find(R"("version":2)") != std::string::npos);
    const auto apart = llm::sent_bundle(*world.repository, recent).value();
    CHECK(apart.verdict == SentPrompt::Verdict::verified);
    CHECK(apart.body.find(both) == std::string::npos);
  }

  TEST_CASE("an answer without a record, and what is no answer, have no request") {
    World world({});
    const auto user = world.main.user("q").value();
    const auto answer = world.main.assistant("a").value();
    CHECK(llm::sent_prompt(*world.repository, user).error().code == spoor::Error::Code::invalid);
    CHECK(llm::sent_prompt(*world.repository, answer).error().code ==
          spoor::Error::Code::not_found);
  }

  TEST_CASE("a failure with nothing of a reply commits nothing, and the user's turn stays") {
    llm::Failure failure;
    failure.kind = llm::Failure::Kind::overloaded;
    World world({answer(llm::fail(failure))});
    const auto made = llm::chat(world.main, "q", world.candidate(), {});
    REQUIRE_FALSE(made);
    CHECK(made.error().code == spoor::Error::Code::unavailable);
    const auto tip = world.repository->reader().commit(*world.main.tip().value()).value();
    CHECK(tip->type == store::Type::user);
  }

  TEST_CASE("a reply that was cut off is committed as far as it came, and marked") {
    auto cut = reply_of({thought_piece("hm"), text_piece("Twel")}, "anthropic");
    cut.failure = llm::Failure{};
    cut.failure->kind = llm::Failure::Kind::network;
    cut.failure->message = "the connection broke";
    World world({answer(cut)});
    const auto made = llm::chat(world.main, "q", world.candidate(), {}).value();
    REQUIRE(made.reply.failure);
    const auto turn = graph::read_turn(world.repository->reader(), made.commit).value();
    CHECK(turn.text == "Twel");
    CHECK(turn.facts.text("interrupted") == "network");
    CHECK(turn.attach.at(0).bytes == R"({"failure":"the connection broke"})");
  }

  TEST_CASE("opting out reads the reasoning and commits none: per call, and per store") {
    World world({thinking_answer(), thinking_answer(), thinking_answer()});
    llm::GenerateOptions options;
    options.reasoning = false;
    const auto once = llm::chat(world.main, "q", world.candidate(), options).value();
    CHECK_FALSE(once.reasoning_commit);
    CHECK(once.reply.reasoning() == "hm");
    world.repository->set_commits_reasoning(false).value();
    CHECK_FALSE(llm::chat(world.main, "q", world.candidate(), {}).value().reasoning_commit);
    world.repository->set_commits_reasoning(true).value();
    CHECK(llm::chat(world.main, "q", world.candidate(), {}).value().reasoning_commit);
  }

  TEST_CASE("reasoning and answer are both written, or neither") {
    World world(
        {answer(reply_of({thought_piece("why"), text_piece(std::string(4000, 'x'))}, "parsed"))});
    const auto user = world.main.user("q").value();
    world.repository->set_token_limit(100).value();
    CHECK(llm::generate(world.main, world.candidate(), {}).error().code ==
          spoor::Error::Code::denied);
    CHECK(world.main.tip().value() == user);
  }

  TEST_CASE("hostile words of a provider do not cost the reply") {
    auto reply = reply_of({text_piece("a")});
    reply.id = std::string(9000, 'i');
    reply.model = "m\x1b[31m\n";
    reply.finish_reason = std::string(5000, '\xff');
    reply.usage.raw = R"({"x":")" + std::string(9000, 'u') + R"("})";
    reply.transformations = "no json";
    World world({answer(reply)});
    const auto made = llm::chat(world.main, "q", world.candidate(), {}).value();
    const auto turn = graph::read_turn(world.repository->reader(), made.commit).value();
    CHECK(turn.author == "user");
    CHECK(turn.attach.at(0).bytes.find(std::string(9000, 'i')) != std::string::npos);
  }

  TEST_CASE("words that grow when they are escaped cost no reply either") {
    auto reply = reply_of({thought_piece("hm"), text_piece("a")}, "parsed");
    reply.id = reply.model = reply.finish_reason = std::string(256, '\x01');
    reply.usage.reasoning = ~std::uint64_t{0};
    World world({answer(reply)});
    CHECK(llm::chat(world.main, "q", world.candidate(), {}));
  }

  TEST_CASE("what cannot be written is not paid for") {
    const auto path = std::filesystem::temp_directory_path() /
                      ("spoor-generate-" + std::to_string(::getpid()) + ".spoor");
    std::filesystem::remove(path);
    {
      const auto made = graph::Repository::create(path).value();
      made->branch("main").user("q").value();
      made->store().set_local("private", "1").value();
    }
    const auto locked = graph::Repository::open(path).value();  // Without its key.
    llm::NoWaiting waiting;
    llm::ScriptedProvider provider(anthropic(), {thinking_answer()}, waiting);
    llm::Candidate candidate;
    candidate.provider = &provider;
    candidate.model = "claude-x";
    auto main = locked->branch("main");
    CHECK(llm::generate(main, candidate, {}).error().code == spoor::Error::Code::denied);
    CHECK(provider.requests().empty());
    std::filesystem::remove(path);
  }

  TEST_CASE("a handler that fails after the reply does not lose it") {
    World world({thinking_answer()});
    llm::Hooks hooks;
    hooks.on(llm::HookEvent::Kind::reply,
             [](const llm::HookEvent&) -> spoor::Result<void> { return spoor::io_error("disk"); });
    llm::GenerateOptions options;
    options.hooks = &hooks;
    CHECK(llm::chat(world.main, "q", world.candidate(), options).error().message == "disk");
    const auto tip = graph::read_turn(world.repository->reader(), *world.main.tip().value());
    CHECK(tip->text == "Twelve.");
  }

  TEST_CASE("parameters do not say what the history says, and there must be something to answer") {
    World world({thinking_answer()});
    world.main.system("Be brief").value();
    CHECK(llm::generate(world.main, world.candidate(), {}).error().code ==
          spoor::Error::Code::invalid);
    llm::Candidate candidate = world.candidate();
    candidate.params = R"({"messages":[]})";
    CHECK(llm::chat(world.main, "q", candidate, {}).error().code == spoor::Error::Code::invalid);
    CHECK(world.provider.requests().empty());
  }

  TEST_CASE("an answer that is none is a failure, not an empty turn") {
    World world({answer(reply_of({}))});
    CHECK(llm::chat(world.main, "q", world.candidate(), {}).error().code ==
          spoor::Error::Code::unavailable);
  }

  TEST_CASE("what a window left out of a request does not bind it") {
    auto calls =
        reply_of({thought_piece("hm", R"({"type":"thinking","thinking":"hm","signature":"s"})"),
                  call_piece("c1", "ls", "{}")},
                 "anthropic");
    World world({answer(llm::say("one")), answer(calls)});
    llm::chat(world.main, "q1", world.candidate(), {}).value();
    llm::GenerateOptions narrow;
    narrow.compile.window = 1;
    llm::chat(world.main, "q2", world.candidate(), narrow).value();
    world.main.tool("a.txt", "c1", "ls").value();
    const auto treated = [&](const llm::GenerateOptions& options) {
      return llm::render_request(*world.repository, world.main.tip().value(), world.candidate(),
                                 options)
          .value()
          .treatments.at(0)
          .kind;
    };
    CHECK(treated(narrow) == llm::render::Treatment::Kind::replayed);
    CHECK(treated({}) == llm::render::Treatment::Kind::unbound);
  }

  TEST_CASE("replies of one id are messages of their own") {
    World world({thinking_answer(), thinking_answer()});
    llm::chat(world.main, "q", world.candidate(), {}).value();
    const auto second = llm::chat(world.main, "q again", world.candidate(), {}).value();
    const auto prompt = world.main.compile().value();
    CHECK(prompt.messages.size() == 4);
    const auto turn = graph::read_turn(world.repository->reader(), second.commit).value();
    CHECK(turn.facts.text("message_id").empty());
    CHECK(turn.facts.text("response_id") == "msg_1");
  }

  TEST_CASE("the next candidate is asked when one failed with nothing, and no later") {
    llm::Failure down;
    down.kind = llm::Failure::Kind::server;
    World world({answer(llm::fail(down))});
    llm::NoWaiting waiting;
    llm::Profile profile = anthropic();
    profile.name = "other";
    llm::ScriptedProvider other(profile, {answer(llm::say("from the other"))}, waiting);
    llm::GenerateOptions options;
    options.fallbacks.resize(1);
    options.fallbacks[0].provider = &other;
    options.fallbacks[0].model = "m2";
    std::string told;
    options.on_event = [&](const llm::ReplyEvent& event) {
      if (event.kind == llm::ReplyEvent::Kind::waiting) told += event.text;
    };
    const auto made = llm::chat(world.main, "q", world.candidate(), options).value();
    CHECK(made.candidate == 1);
    CHECK(told.ends_with(": server, continuing with other/m2"));
    const auto turn = graph::read_turn(world.repository->reader(), made.commit).value();
    CHECK(turn.facts.text("provider") == "other");
    CHECK(turn.facts.text("model") == "m2");
  }

  TEST_CASE("handlers are told in order, one that runs before may refuse") {
    World world({thinking_answer(), thinking_answer()});
    std::vector<std::string> told;
    llm::Hooks hooks;
    using Kind = llm::HookEvent::Kind;
    for (const auto& [kind, name] :
         {std::pair{Kind::compile, "compile"}, std::pair{Kind::call, "call"},
          std::pair{Kind::reply, "reply"}, std::pair{Kind::commit, "commit"}}) {
      hooks.on(
          kind,
          [&told, name = std::string(name)](const llm::HookEvent& moment) -> spoor::Result<void> {
            told.push_back((moment.is_before ? "before " : "after ") + name);
            return {};
          });
    }
    llm::GenerateOptions options;
    options.hooks = &hooks;
    llm::chat(world.main, "q", world.candidate(), options).value();
    CHECK(told == std::vector<std::string>{"before compile", "after compile", "before call",
                                           "after reply", "before commit", "after commit"});
    hooks.on(Kind::call, [](const llm::HookEvent&) -> spoor::Result<void> {
      return spoor::denied("no calls today");
    });
    CHECK(llm::chat(world.main, "q", world.candidate(), options).error().message ==
          "no calls today");
    CHECK(world.provider.requests().size() == 1);
  }

  TEST_CASE("a request that a handler rewrote is stored whole and says who did") {
    World world({thinking_answer()});
    llm::Hooks hooks;
    hooks.rewrite_with("quiet/1",
                       [](const std::string&) -> spoor::Result<std::optional<std::string>> {
                         return std::optional<std::string>(R"({"model":"claude-x","messages":[]})");
                       });
    llm::GenerateOptions options;
    options.hooks = &hooks;
    const auto made = llm::chat(world.main, "q", world.candidate(), options).value();
    const auto sent = llm::sent_prompt(*world.repository, made.commit).value();
    CHECK(sent.verdict == SentPrompt::Verdict::verified);
    CHECK(sent.was_stored);
    CHECK(sent.body == world.provider.requests()[0].body);
    CHECK(*world.repository->reader().content(*sent.bundle.hook).value() == "quiet/1");
  }

  TEST_CASE("a block that is bound to its prefix is said to be unbound where that has changed") {
    auto calls =
        reply_of({thought_piece("hm", R"({"type":"thinking","thinking":"hm","signature":"s"})"),
                  call_piece("c1", "ls", "{}")},
                 "anthropic");
    World world({answer(calls)});
    world.main.system("Be brief").value();
    const auto made = llm::chat(world.main, "q", world.candidate(), {}).value();
    world.main.tool("a.txt", "c1", "ls").value();
    using Kind = llm::render::Treatment::Kind;
    const auto kinds = [&] {
      std::vector<Kind> all;
      const auto rendered =
          llm::render_request(*world.repository, world.main.tip().value(), world.candidate(), {});
      for (const auto& treatment : rendered.value().treatments) all.push_back(treatment.kind);
      return all;
    };
    CHECK(kinds() == std::vector{Kind::replayed});
    const auto question = world.repository->resolve("HEAD~3", world.main.tip().value()).value();
    const auto edited = world.main.edit(question, "another q").value();
    CHECK(kinds() == std::vector{Kind::unbound});
    CHECK(llm::sent_prompt(*world.repository, made.commit).value().verdict ==
          SentPrompt::Verdict::verified);
    static_cast<void>(edited);
  }

  TEST_CASE("thinking that another model, other tools or an edit make invalid is reported") {
    const auto thinks = [](const std::string& number) {
      auto reply =
          reply_of({thought_piece("hm", R"({"type":"thinking","thinking":"hm","signature":"s)" +
                                            number + R"("})"),
                    call_piece("c" + number, "ls", "{}")},
                   "anthropic");
      reply.model = "claude-fable-5-1";
      return answer(reply);
    };
    World world({thinks("1"), thinks("2")});
    auto fable = world.candidate();
    fable.model = "claude-fable-5-1";
    fable.tools = R"([{"name":"ls"}])";
    llm::chat(world.main, "q", fable, {}).value();
    world.main.tool("a.txt", "c1", "ls").value();
    const auto second = llm::generate(world.main, fable, {}).value();
    world.main.tool("b.txt", "c2", "ls").value();

    const auto reasons = [&](const llm::Candidate& candidate) {
      std::vector<std::string> all;
      const auto rendered =
          llm::render_request(*world.repository, world.main.tip().value(), candidate, {}).value();
      for (const auto& treatment : rendered.treatments) {
        std::string line(name_of(treatment.kind));
        if (!treatment.paths.empty()) line += " at " + treatment.paths.at(0);
        all.push_back(line + (treatment.reason.empty() ? "" : ": " + treatment.reason));
      }
      return all;
    };
    const std::vector<std::string> both_valid = {"replayed", "replayed"};
    CHECK(reasons(fable) == both_valid);
    auto longer = fable;
    longer.params = R"({"max_tokens":5,"cache_control":null,"metadata":{"user_id":"u"}})";
    CHECK(reasons(longer) == both_valid);

    auto opus = fable;
    opus.model = "claude-opus-5-5";
    CHECK(reasons(opus) ==
          std::vector<std::string>{"unreadable at messages.1.content.0: model_binding_mismatch",
                                   "unreadable at messages.3.content.0: model_binding_mismatch"});
    auto mythos = fable;
    mythos.model = "claude-mythos-5-1";
    CHECK(reasons(mythos) == both_valid);

    const std::vector<std::string> none_valid = {
        "unbound at messages.1.content.0: prefix_binding_mismatch",
        "unbound at messages.3.content.0: prefix_binding_mismatch"};
    auto toolless = fable;
    toolless.tools.clear();
    CHECK(reasons(toolless) == none_valid);
    auto other_tools = fable;
    other_tools.tools = R"([{"name":"ls","description":"lists"}])";
    CHECK(reasons(other_tools) == none_valid);

    // An edit of the first result leaves the first thinking valid.
    const auto first_result = world.repository->resolve("HEAD~3", world.main.tip().value()).value();
    world.main.edit(first_result, "c.txt").value();
    const auto edited = reasons(fable);
    CHECK(edited == std::vector<std::string>{
                        "unbound at messages.3.content.0: prefix_binding_mismatch", "replayed"});
    const auto rendered =
        llm::render_request(*world.repository, world.main.tip().value(), fable, {}).value();
    CHECK(llm::describe_lost_thinking(rendered.treatments) ==
          "thinking that is not valid any more is left out, 1 block(s): messages.2 was another one "
          "(prefix_binding_mismatch)");
    CHECK(rendered.thinking.size() == 1);
    // What was sent was valid then.
    const auto sent = llm::sent_prompt(*world.repository, second.commit).value();
    REQUIRE(sent.treatments.size() == 1);
    CHECK(sent.treatments[0].reason.empty());
  }

  TEST_CASE("a value of a schema: native where that goes, checked, and one nudge") {
    const auto schema = llm::Schema::parse(
        R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],)"
        R"("additionalProperties":false})");
    World world({answer(llm::say(R"({"n":"twelve"})")), answer(llm::say(R"({"n":12})"))});
    world.main.user("How many?").value();
    const auto made = llm::generate_value(world.main, world.candidate(), *schema, {}).value();
    CHECK(made.was_nudged);
    CHECK(made.answer.fits());
    CHECK(made.answer.json == R"({"n":12})");
    const auto requests = world.provider.requests();
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].body.find(R"("output_config":{"format":)") != std::string::npos);
    CHECK(requests[1].body.find("/n") != std::string::npos);  // The nudge says where.
    CHECK(llm::sent_prompt(*world.repository, made.last.commit).value().verdict ==
          SentPrompt::Verdict::verified);
  }

  TEST_CASE("a value that does not fit after the nudge is returned with its problems") {
    const auto schema = llm::Schema::parse(R"({"type":"object","required":["n"]})");
    World world({answer(llm::say("no")), answer(llm::say("never"))});
    world.main.user("How many?").value();
    const auto made = llm::generate_value(world.main, world.candidate(), *schema, {}).value();
    CHECK_FALSE(made.answer.fits());
    CHECK(world.provider.requests().size() == 2);
  }

  TEST_CASE("what is recorded of a call does not grow with the conversation") {
    World world([] {
      std::vector<llm::ScriptedAnswer> answers(40);
      for (auto& answer : answers) answer.reply = llm::say("ok");
      return answers;
    }());
    const auto bytes_stored = [&] {
      std::size_t bytes = 0;
      world.repository->store()
          .scan([&](const store::StoredObject& object) {
            bytes += object.object.body.size();
            return true;
          })
          .value();
      return bytes;
    };
    std::vector<std::size_t> sizes;
    for (int i = 0; i < 40; ++i) {
      llm::chat(world.main, "say ok", world.candidate(), {}).value();
      sizes.push_back(bytes_stored());
    }
    const std::size_t early = sizes[12] - sizes[11];
    const std::size_t late = sizes[39] - sizes[38];
    CHECK(late <= early + 16);  // A number that stands in a line gained a digit.
  }
}
