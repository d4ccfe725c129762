// What a recorder makes of exchanges: turns once, requests exactly, and what it names that it
// cannot record.
#include <doctest/doctest.h>

#include "llm/check_thinking.h"
#include "llm/sent_prompt.h"
#include "proxy/recorder.h"
#include "store/fsck.h"

using namespace spoor;
using namespace spoor::proxy;

namespace {

constexpr std::string_view kQuestion = R"({"role":"user","content":"What is in the folder?"})";
constexpr std::string_view kCall =
    R"({"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}})";

Exchange asked(const std::string& messages, const std::string& content) {
  Exchange exchange{.upstream = "https://api.anthropic.com",
                    .method = "POST",
                    .target = "/v1/messages",
                    .request_headers = {{"user-agent", "claude-cli/2.1.197"},
                                        {"x-claude-code-session-id", "s-1"}},
                    .status = 200,
                    .response_headers = {{"content-type", "application/json"}},
                    .begun = {1'795'765'774'000'000}};
  exchange.request = R"({"model":"claude-sonnet-4-5","system":"Be brief.","messages":[)" +
                     messages + R"(],"max_tokens":10})";
  exchange.response =
      R"({"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[)" +
      content + R"(],"stop_reason":"tool_use","usage":{"input_tokens":12,"output_tokens":5}})";
  return exchange;
}

std::size_t count_of(const graph::Repository& repository) {
  return store::fsck(repository.store()).value().object_count();
}

}  // namespace

TEST_SUITE("proxy/recorder") {
  TEST_CASE("an exchange becomes turns, and its request can be rebuilt") {
    const auto repository = graph::Repository::in_memory();
    Recorder recorder(*repository);
    const Exchange exchange = asked(std::string(kQuestion), std::string(kCall));
    const Recorded recorded = recorder.record(exchange).value();
    CHECK(recorded.reason.empty());
    CHECK(recorded.ref.starts_with("refs/heads/claude-code/"));
    CHECK(recorded.model == "claude-sonnet-4-5");
    CHECK(recorded.usage.output == 5U);
    REQUIRE(recorded.answer);
    const auto answer = graph::read_turn(repository->reader(), *recorded.answer).value();
    CHECK(answer.fields.tool_calls->front().name == "Bash");
    const auto sent = llm::sent_prompt(*repository, *recorded.answer).value();
    CHECK(sent.verdict == llm::SentPrompt::Verdict::verified);
    CHECK(sent.body == exchange.request);

    SUBCASE("again it writes nothing") {
      const std::size_t before = count_of(*repository);
      CHECK(recorder.record(exchange).value().answer == recorded.answer);
      CHECK(count_of(*repository) == before);
    }
    SUBCASE("again it writes nothing, after others too") {
      for (int i = 1; i < 4; ++i) {
        Exchange other = exchange;
        other.begun.micros += i;
        CHECK(!recorder.record(other).value().is_known);
      }
      const std::size_t before = count_of(*repository);
      CHECK(recorder.record(exchange).value().is_known);
      CHECK(count_of(*repository) == before);
    }
    SUBCASE("the next one goes on behind it") {
      Exchange next = asked(std::string(kQuestion) + R"(,{"role":"assistant","content":[)" +
                                std::string(kCall) + R"(]},{"role":"user","content":[{"type":)" +
                                R"("tool_result","tool_use_id":"toolu_1","content":"a b"}]})",
                            R"({"type":"text","text":"Two files."})");
      next.response.replace(next.response.find("msg_1"), 5, "msg_2");
      const Recorded second = recorder.record(next).value();
      CHECK(second.ref == recorded.ref);
      const auto result = repository->reader().commit(*second.answer).value()->parents[0];
      CHECK(repository->reader().commit(result).value()->parents[0] == *recorded.answer);
      CHECK(llm::sent_prompt(*repository, *second.answer).value().body == next.request);
      CHECK(llm::sent_prompt(*repository, *recorded.answer).value().body == exchange.request);
    }
    CHECK(store::fsck(repository->store()).value().is_sound());
  }

  TEST_CASE("thinking is valid behind what its captured request says, and behind nothing else") {
    using Kind = llm::render::Treatment::Kind;
    for (const std::string_view question : {"What is in the folder?", "Who is in the folder ?"}) {
      const auto repository = graph::Repository::in_memory();
      const std::string call =
          R"({"type":"thinking","thinking":"I look.","signature":"c2ln"},)" + std::string(kCall);
      Exchange exchange = asked(std::string(kQuestion), call);
      for (std::string* text : {&exchange.request, &exchange.response}) {
        text->replace(text->find("claude-sonnet-4-5"), 17, "claude-opus-5-5");
      }
      const Recorded recorded = Recorder(*repository).record(exchange).value();
      const auto anthropic = llm::find_profile("anthropic").value();
      const auto recipe = llm::render::recipe_for(anthropic, "claude-opus-5-5");
      auto made = llm::render::render(*repository, recorded.answer, recipe).value();
      const std::size_t at = made.body.find("What is in the folder?");
      REQUIRE(at != std::string::npos);
      made.body.replace(at, question.size(), question);
      REQUIRE(llm::check_thinking(*repository, recipe.model, made.body, made.thinking,
                                  made.treatments));
      REQUIRE(made.treatments.size() == 2);  // The first is a result for the call.
      const bool is_same = question == "What is in the folder?";
      CHECK(made.treatments[1].kind == (is_same ? Kind::replayed : Kind::unbound));
      CHECK(made.treatments[1].why.empty() == is_same);
    }
  }

  TEST_CASE("a request from which a secret was taken is listed as altered") {
    for (const bool is_altered : {false, true}) {
      const auto repository = graph::Repository::in_memory();
      Exchange exchange = asked(std::string(kQuestion), std::string(kCall));
      exchange.is_altered = is_altered;
      const Recorded recorded = Recorder(*repository).record(exchange).value();
      const auto listed = llm::captured_requests(*repository, recorded.answer.value()).value();
      REQUIRE(listed.size() == 1);
      CHECK(listed[0].answer == recorded.answer);
      CHECK(listed[0].is_exact == !is_altered);
    }
  }

  TEST_CASE("a copy of a request gives way to the request as it was sent") {
    const auto repository = graph::Repository::in_memory();
    Recorder recorder(*repository);
    Exchange exchange = asked(std::string(kQuestion), std::string(kCall));
    for (const bool is_copy : {true, true, false}) {
      exchange.is_copy = is_copy;
      exchange.begun.micros += 1000;
      const auto answer = recorder.record(exchange).value().answer;
      const auto listed = llm::captured_requests(*repository, answer.value()).value();
      REQUIRE(listed.size() == 1);
      CHECK(listed[0].is_exact == !is_copy);
    }
  }

  TEST_CASE("an agent's own file has the turns, and the request is found from each of the answer") {
    const auto repository = graph::Repository::in_memory();
    const std::string line = "refs/heads/claude-code/s-1";
    std::vector<compile::Oid> answer;
    std::vector<std::string> files;
    const auto import = [&](const import::KnownAgent& agent, Timestamp) {
      CHECK(agent.name == "claude-code");
      return Result<std::vector<std::string>>(files);
    };
    Recorder recorder(*repository, import);
    const Exchange exchange = asked(std::string(kQuestion), std::string(kCall));
    CHECK(recorder.record(exchange, false).value().reason == kLater);  // There is no file yet.
    CHECK(count_of(*repository) == 0);

    files = {line};
    CHECK(recorder.record(exchange, false).value().reason == kLater);  // It has no answer yet.
    REQUIRE(repository->transact(
        "import", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
          TRY(draft.append(line, {.type = compile::Type::user, .text = "What is in the folder?"}));
          for (const char* part : {"I look.", "and call"}) {
            compile::Turn turn{.type = compile::Type::assistant, .text = part};
            turn.facts.set(fact::message_id, "msg_1");
            answer.push_back(TRY(draft.append(line, turn)));
          }
          TRY(draft.append(line, {.type = compile::Type::tool, .text = "a b"}));
          return {};
        }));
    const Recorded recorded = recorder.record(exchange, false).value();
    CHECK(recorded.reason.empty());
    CHECK(recorded.ref == line);
    CHECK(recorded.answer == answer[1]);
    for (const compile::Oid& each : answer) {
      CHECK(llm::sent_prompt(*repository, each).value().body == exchange.request);
    }
    CHECK(repository->store().refs("refs/heads/").value().size() == 1);
    CHECK(store::fsck(repository->store()).value().is_sound());
  }

  TEST_CASE("without a line of the session, the last word is the request's") {
    const auto repository = graph::Repository::in_memory();
    Recorder recorder(*repository, [](const import::KnownAgent&, Timestamp) {
      return Result<std::vector<std::string>>(std::vector<std::string>());
    });
    const Exchange exchange = asked(std::string(kQuestion), std::string(kCall));
    CHECK(recorder.record(exchange, false).value().reason == kLater);
    CHECK(recorder.record(exchange, true).value().answer);
  }

  TEST_CASE("a request that led to no turn of the session is kept beside it") {
    const auto repository = graph::Repository::in_memory();
    const std::string line = "refs/heads/claude-code/s-1";
    const Exchange title = asked(std::string(kQuestion), R"({"type":"text","text":"A folder"})");
    compile::Oid before;
    REQUIRE(repository->transact(
        "import", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
          for (const std::int64_t after : {-1'000'000, 1'000'000}) {
            compile::Turn turn{.type = compile::Type::user, .text = "at " + std::to_string(after)};
            turn.time = Timestamp{title.begun.micros + after};
            const compile::Oid commit = TRY(draft.append(line, turn));
            if (after < 0) before = commit;
          }
          return {};
        }));
    const std::size_t branches = repository->store().refs("refs/heads/").value().size();
    Recorder recorder(*repository, [&](const import::KnownAgent&, Timestamp) {
      return Result<std::vector<std::string>>(std::vector{line});
    });
    CHECK(recorder.record(title, false).value().reason == kLater);
    const Recorded recorded = recorder.record(title, true).value();
    CHECK(recorded.is_aside);
    CHECK_FALSE(recorded.answer);
    CHECK(recorded.ref == line);
    CHECK(repository->store().refs("refs/heads/").value().size() == branches);
    const auto tip = repository->store().ref(line).value();
    const auto listed = llm::captured_requests(*repository, *tip).value();
    REQUIRE(listed.size() == 1);
    CHECK_FALSE(listed[0].answer);
    CHECK(repository->reader().commit(listed[0].note).value()->about == std::vector{before});
    CHECK(llm::sent_prompt(*repository, listed[0].note).value().body == title.request);
    CHECK_FALSE(llm::sent_prompt(*repository, *tip));
  }

  TEST_CASE("a request is not kept beside a session whose id begins like its own") {
    const auto repository = graph::Repository::in_memory();
    Exchange title = asked(std::string(kQuestion), R"({"type":"text","text":"A folder"})");
    title.request_headers[1].second = "019efb65-4046";
    std::vector<std::string> lines;
    REQUIRE(repository->transact(
        "import", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
          for (const char* session : {"019efb65-1111", "019efb65-4046", "019efb65-9999"}) {
            compile::Turn turn{.type = compile::Type::user, .text = session};
            turn.facts.set(fact::session, session);
            lines.push_back("refs/heads/claude-code/019efb65-" + std::to_string(lines.size()));
            TRY(draft.append(lines.back(), turn));
          }
          return {};
        }));
    Recorder recorder(*repository, [&](const import::KnownAgent&, Timestamp) {
      return Result<std::vector<std::string>>(lines);
    });
    CHECK(recorder.record(title).value().ref == lines[1]);
    title.request_headers[1].second = "019efb65-7777";
    CHECK_FALSE(recorder.record(title).value().is_aside);
  }

  TEST_CASE(
      "without ids in the agent's file, the first answer after the request that says the same") {
    const auto repository = graph::Repository::in_memory();
    const std::string line = "refs/heads/gemini-cli/s-1";
    Exchange exchange{.upstream = "https://generativelanguage.googleapis.com",
                      .method = "POST",
                      .target = "/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse",
                      .request_headers = {{"user-agent", "GeminiCLI-tui/0.61.0"}},
                      .status = 200,
                      .response_headers = {{"content-type", "text/event-stream"}},
                      .begun = {1'795'765'774'000'000},
                      .end = 1'000'000};
    exchange.request =
        R"({"contents":[{"role":"user","parts":[{"text":"Now?"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}]})";
    exchange.response =
        "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Yes.\"}]},"
        "\"finishReason\":\"STOP\"}],\"responseId\":\"r-1\",\"modelVersion\":\"gemini-3-flash\"}"
        "\r\n\r\n";
    std::vector<compile::Oid> answers;
    REQUIRE(repository->transact(
        "import", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
          for (const std::int64_t after : {-900'000, 900'000, 1'900'000}) {
            compile::Turn turn{.type = compile::Type::assistant, .text = "Yes."};
            turn.time = Timestamp{exchange.begun.micros + after};
            TRY(draft.append(line, {.type = compile::Type::user, .text = "Now?"}));
            answers.push_back(TRY(draft.append(line, turn)));
          }
          return {};
        }));
    Recorder recorder(*repository, [&](const import::KnownAgent&, Timestamp) {
      return Result<std::vector<std::string>>(std::vector{line});
    });
    CHECK(recorder.record(exchange).value().answer == answers[1]);
    Exchange another =
        exchange;  // The same answer to another question, in a session without a file.
    another.request.replace(another.request.find("Now?"), 4, "Why?");
    const Recorded other = recorder.record(another).value();
    REQUIRE(other.answer);  // Its turns are those that passed by.
    const auto turn = graph::read_turn(repository->reader(), *other.answer).value();
    CHECK(turn.text == "Yes.");
    CHECK(turn.time == Timestamp{exchange.begun.micros + exchange.end});
    CHECK(turn.facts.get(fact::message_id) == "r-1");

    // An answer that was cut or stopped, and that the agent did not write down.
    exchange.response.replace(exchange.response.find("Yes."), 4, "No..");
    CHECK(recorder.record(exchange, false).value().reason == kLater);
    const Recorded stopped = recorder.record(exchange).value();
    CHECK(stopped.ref == line);
    CHECK(stopped.is_aside);
    CHECK_FALSE(stopped.answer);
    another.request.replace(another.request.find("Why?"), 4, "Now? Or not?");
    another.response = exchange.response;
    CHECK_FALSE(
        recorder.record(another).value().is_aside);  // It only begins with a question there.
  }

  TEST_CASE("a request that names no session is kept beside the one whose question is in it") {
    const auto repository = graph::Repository::in_memory();
    Exchange exchange = asked(R"({"role":"user","content":"Name this: Where is the boat?"})",
                              R"({"type":"text","text":"A boat"})");
    exchange.request_headers = {{"user-agent", "GeminiCLI-tui/0.61.0"}};
    const std::vector<std::string> lines = {"refs/heads/gemini-cli/a", "refs/heads/gemini-cli/b",
                                            "refs/heads/gemini-cli/c"};
    REQUIRE(repository->transact(
        "import", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
          std::int64_t before = 3'000'000;
          for (const char* question : {"How deep is it?", "Where is the boat?", "Who is there?"}) {
            compile::Turn turn{.type = compile::Type::user, .text = question};
            turn.time = Timestamp{exchange.begun.micros - before};
            TRY(draft.append(lines[static_cast<std::size_t>(3 - before / 1'000'000)], turn));
            before -= 1'000'000;
          }
          return {};
        }));
    Recorder recorder(*repository, [&](const import::KnownAgent&, Timestamp) {
      return Result<std::vector<std::string>>(lines);
    });
    CHECK(recorder.record(exchange).value().ref == lines[1]);
    exchange.request.replace(exchange.request.find("boat"), 4, "ship");
    CHECK(recorder.record(exchange).value().ref == lines[2]);  // The latest.

    // Agents may write the question down after they asked what it is about.
    exchange.begun.micros -= 2'500'000;
    CHECK(recorder.record(exchange).value().ref == lines[0]);  // Others have not begun.
    exchange.request.replace(exchange.request.find("ship"), 4, "boat");
    CHECK(recorder.record(exchange).value().ref == lines[1]);
    REQUIRE(repository->transact(  // A result is not what it asks about.
        "import", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
          compile::Turn turn{.type = compile::Type::tool, .text = "deep"};
          turn.time = Timestamp{exchange.begun.micros + 500'000};
          TRY(draft.append(lines[0], turn));
          return {};
        }));
    exchange.request = R"({"model":"m","messages":[{"role":"user","content":""}]})";
    const auto warmed = recorder.record(exchange).value();
    const auto tip = repository->store().ref(lines[0]).value();
    const auto listed = llm::captured_requests(*repository, *tip).value();
    CHECK(warmed.ref == lines[0]);
    CHECK(listed.back().asked != *tip);
  }

  TEST_CASE("a request is kept beside its session though nothing of that was imported meanwhile") {
    const auto repository = graph::Repository::in_memory();
    const std::string line = "refs/heads/opencode/21e0d5a5";
    Exchange exchange = asked(std::string(kQuestion), R"({"type":"text","text":"It is"})");
    exchange.request_headers = {{"user-agent", "opencode/1.18.33"},
                                {"x-session-id", "ses_21e0d5a58001aFeACHtfKX4lDx"}};
    REQUIRE(repository->transact("import", graph::OnConflict::fail,
                                 [&](graph::Draft& draft) -> Result<void> {
                                   TRY(draft.append(line, {.type = compile::Type::assistant}));
                                   return {};
                                 }));
    Recorder recorder(*repository, [](const import::KnownAgent&, Timestamp) {
      return Result<std::vector<std::string>>(std::vector<std::string>());
    });
    CHECK(recorder.record(exchange).value().ref == line);
  }

  TEST_CASE("an answer is found by the ids of its calls, and a session by its name's digits") {
    const auto repository = graph::Repository::in_memory();
    const std::string line = "refs/heads/opencode/21e0d5a5";
    Exchange exchange = asked(std::string(kQuestion), std::string(kCall));
    exchange.request_headers = {{"user-agent", "opencode/1.18.33"},
                                {"x-session-id", "ses_21e0d5a58001aFeACHtfKX4lDx"}};
    std::vector<compile::Oid> answers;
    REQUIRE(repository->transact(
        "import", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
          for (const char* id : {"toolu_0", "toolu_1"}) {
            compile::Turn turn{.type = compile::Type::assistant};
            turn.fields.tool_calls = {compile::ToolCall{id, "Bash", R"({"command":"ls"})"}};
            turn.time =
                Timestamp{exchange.begun.micros - 5'000'000};  // Before the request is made.
            answers.push_back(TRY(draft.append(line, turn)));
          }
          return {};
        }));
    Recorder recorder(*repository, [&](const import::KnownAgent&, Timestamp) {
      return Result<std::vector<std::string>>(std::vector{line});
    });
    CHECK(recorder.record(exchange).value().answer == answers[1]);

    const Exchange title = [&] {
      Exchange other = asked(std::string(kQuestion), R"({"type":"text","text":"A folder"})");
      other.request_headers = exchange.request_headers;
      return other;
    }();
    const Recorded aside = recorder.record(title).value();
    CHECK(aside.is_aside);
    CHECK(aside.ref == line);
  }

  TEST_CASE("an answer keeps the request that led to it, whatever is asked again before it") {
    const auto repository = graph::Repository::in_memory();
    Recorder recorder(*repository);
    const std::string first_answer = R"({"type":"text","text":"Two files."})";
    const Exchange one = asked(std::string(kQuestion), first_answer);
    const Recorded a = recorder.record(one).value();
    Exchange two = asked(std::string(kQuestion) + R"(,{"role":"assistant","content":[)" +
                             first_answer + R"(]},{"role":"user","content":"Which?"})",
                         R"({"type":"text","text":"These."})");
    two.response.replace(two.response.find("msg_1"), 5, "msg_2");
    two.begun.micros += 1;
    const Recorded b = recorder.record(two).value();

    // The first question again, with another temperature: once without an answer, once with the
    // same.
    Exchange again = one;
    again.request.insert(again.request.size() - 1, R"(,"temperature":1)");
    again.begun.micros += 2;
    Exchange late = again;
    late.status = 529;
    late.response = R"({"type":"error","error":{"type":"overloaded_error","message":"later"}})";
    late.begun.micros += 3;
    CHECK_FALSE(recorder.record(late).value().answer);
    CHECK(recorder.record(again).value().answer == a.answer);
    CHECK(llm::sent_prompt(*repository, *a.answer).value().body == one.request);
    CHECK(llm::sent_prompt(*repository, *b.answer).value().body == two.request);
  }

  TEST_CASE("odd words of a provider do not keep an exchange from being recorded") {
    for (const char* type : {"json", "application/json ;charset=utf-8", "a/b, c/d", "a/b c=d", "",
                             "text/\x01x", "\xff/\xfe"}) {
      CAPTURE(type);
      const auto repository = graph::Repository::in_memory();
      Exchange exchange = asked(std::string(kQuestion), std::string(kCall));
      exchange.response_headers = {{"content-type", type}};
      CHECK(Recorder(*repository).record(exchange).value().answer);
    }
    for (const std::string& model :
         {std::string("a\\u0000b"), std::string(600, 'm'), std::string()}) {
      const auto repository = graph::Repository::in_memory();
      Exchange exchange = asked(std::string(kQuestion), std::string(kCall));
      const std::string told = R"("model":"claude-sonnet-4-5")";
      exchange.response.replace(exchange.response.find(told), told.size(),
                                R"("model":")" + model + '"');
      CHECK(Recorder(*repository).record(exchange).value().answer);
    }
  }

  TEST_CASE("the Responses API, with the next request naming the response before") {
    const auto repository = graph::Repository::in_memory();
    Recorder recorder(*repository);
    Exchange exchange{.upstream = "https://api.openai.com/v1",
                      .method = "POST",
                      .target = "/responses",
                      .request_headers = {{"user-agent", "OpenAI/Python 2.1"}},
                      .status = 200,
                      .response_headers = {{"content-type", "application/json"}},
                      .begun = {1'795'765'774'000'000}};
    exchange.request = R"({"model":"gpt-5","instructions":"Be brief.","input":"What is new?"})";
    exchange.response =
        R"({"id":"resp_1","object":"response","status":"completed","model":"gpt-5","output":[)"
        R"({"id":"msg_1","type":"message","role":"assistant","status":"completed","content":)"
        R"([{"type":"output_text","text":"Nothing.","annotations":[]}]}],)"
        R"("usage":{"input_tokens":9,"output_tokens":2,"total_tokens":11}})";
    const Recorded first = recorder.record(exchange).value();
    REQUIRE(first.answer);
    CHECK(graph::read_turn(repository->reader(), *first.answer).value().text == "Nothing.");
    CHECK(first.usage.output == 2U);
    CHECK(llm::sent_prompt(*repository, *first.answer).value().body == exchange.request);

    Exchange next = exchange;
    next.request = R"({"model":"gpt-5","previous_response_id":"resp_1","input":"Really?"})";
    next.response.replace(next.response.find("resp_1"), 6, "resp_2");
    next.response.replace(next.response.find("Nothing."), 8, "Really. ");
    const Recorded second = recorder.record(next).value();
    REQUIRE(second.answer);
    CHECK(second.ref == first.ref);
    const auto question = repository->reader().commit(*second.answer).value()->parents[0];
    CHECK(repository->reader().commit(question).value()->parents[0] == *first.answer);
    CHECK(llm::sent_prompt(*repository, *second.answer).value().body == next.request);
    CHECK(recorder.record(next).value().answer == second.answer);
  }

  TEST_CASE("a request without an answer is kept with the question") {
    const auto repository = graph::Repository::in_memory();
    Exchange exchange = asked(std::string(kQuestion), "");
    exchange.status = 529;
    exchange.response = R"({"type":"error","error":{"type":"overloaded_error","message":"later"}})";
    const Recorded recorded = Recorder(*repository).record(exchange).value();
    CHECK(recorded.reason.empty());
    CHECK_FALSE(recorded.answer);
    CHECK(repository->store().refs(llm::kCaptures).value().size() == 1);
  }

  TEST_CASE("a stream that broke off gives the answer as far as it came") {
    const auto repository = graph::Repository::in_memory();
    Exchange exchange = asked(std::string(kQuestion), "");
    exchange.ending = Ending::upstream_cut;
    exchange.response_headers = {{"content-type", "text/event-stream"}};
    exchange.response =
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\","
        "\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":3}}}\n\n"
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
        "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
        "\"delta\":{\"type\":\"text_delta\",\"text\":\"Half an ans\"}}\n\n";
    const Recorded recorded = Recorder(*repository).record(exchange).value();
    REQUIRE(recorded.answer);
    CHECK(graph::read_turn(repository->reader(), *recorded.answer).value().text == "Half an ans");
  }

  TEST_CASE("the Responses API: a stream that broke off gives the answer as far as it came") {
    const auto repository = graph::Repository::in_memory();
    Exchange exchange{.upstream = "https://api.openai.com/v1",
                      .method = "POST",
                      .target = "/responses",
                      .request = R"({"model":"m","input":"How many?","stream":true})",
                      .status = 200,
                      .response_headers = {{"content-type", "text/event-stream"}},
                      .begun = {1'795'765'774'000'000},
                      .ending = Ending::upstream_cut};
    exchange.response =
        R"(data: {"type":"response.created","response":{"id":"resp_1","model":"m"}})"
        "\n\n";
    const auto add = [&](const std::string& item, const std::string& event) {
      exchange.response +=
          R"(data: {"type":"response.output_item.added","output_index":0,"item":{)" + item +
          "}}\n\ndata: {" + event + "}\n\n";
      return Recorder(*repository).record(exchange).value();
    };
    SUBCASE("a text") {
      const Recorded recorded =
          add(R"("id":"msg_1","type":"message")",
              R"("type":"response.output_text.delta","output_index":0,"delta":"Half an ans")");
      REQUIRE(recorded.answer);
      const auto answer = graph::read_turn(repository->reader(), *recorded.answer).value();
      CHECK(answer.type == compile::Type::assistant);
      CHECK(answer.text == "Half an ans");
      CHECK(llm::sent_prompt(*repository, *recorded.answer).value().body == exchange.request);
    }
    SUBCASE("a call is no answer, and the request is beside the conversation") {
      const Recorded recorded = add(
          R"("id":"fc_1","type":"function_call","call_id":"call_1","name":"ls")",
          R"("type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"pa")");
      CHECK_FALSE(recorded.answer);
      const auto tip = repository->store().ref(recorded.ref).value().value();
      CHECK(repository->reader().commit(tip).value()->type == compile::Type::user);
      const auto listed = llm::captured_requests(*repository, tip).value();
      REQUIRE(listed.size() == 1);
      CHECK_FALSE(listed[0].answer);
    }
  }

  TEST_CASE("a request whose broken answer gave way to the whole one is listed beside it") {
    const auto repository = graph::Repository::in_memory();
    Recorder recorder(*repository);
    Exchange exchange{.upstream = "http://127.0.0.1:11434",
                      .method = "POST",
                      .target = "/api/chat",
                      .status = 200,
                      .begun = {1'795'765'774'000'000}};
    exchange.request = R"({"model":"m","messages":[{"role":"user","content":"How many?"}]})";
    exchange.response = R"({"model":"m","message":{"role":"assistant","content":"Half an ans"}})"
                        "\n";
    exchange.ending = Ending::upstream_cut;
    const Recorded half = recorder.record(exchange).value();
    exchange.begun.micros += 5'000'000;
    exchange.ending = Ending::complete;
    exchange.response =
        R"({"model":"m","message":{"role":"assistant","content":"Half an answer."},"done":true})"
        "\n";
    const Recorded whole = recorder.record(exchange).value();
    CHECK(half.ref == whole.ref);
    const auto listed = llm::captured_requests(*repository, *whole.answer).value();
    REQUIRE(listed.size() == 2);
    CHECK_FALSE(listed[0].answer);
    CHECK(listed[1].answer == whole.answer);
    CHECK(llm::sent_prompt(*repository, listed[0].note).value().body == exchange.request);
  }

  TEST_CASE("a broken answer that comes after the whole one is that answer") {
    const auto repository = graph::Repository::in_memory();
    Recorder recorder(*repository);
    Exchange exchange{.upstream = "http://127.0.0.1:11434",
                      .method = "POST",
                      .target = "/api/chat",
                      .status = 200,
                      .begun = {1'795'765'774'000'000}};
    exchange.request = R"({"model":"m","messages":[{"role":"user","content":"How many?"}]})";
    exchange.response =
        R"({"model":"m","message":{"role":"assistant","content":"Half an answer."},"done":true})"
        "\n";
    const Recorded whole = recorder.record(exchange).value();
    exchange.begun.micros -= 5'000'000;
    exchange.ending = Ending::upstream_cut;
    exchange.response = R"({"model":"m","message":{"role":"assistant","content":"Half an ans"}})"
                        "\n";
    const Recorded half = recorder.record(exchange).value();
    CHECK(half.reason.empty());
    CHECK(half.ref == whole.ref);
    CHECK(half.answer == whole.answer);
    CHECK(llm::captured_requests(*repository, *whole.answer).value().size() == 2);
  }

  TEST_CASE("two answers to one question are two, though one begins the other") {
    for (const bool longer_first : {true, false}) {
      CAPTURE(longer_first);
      const auto repository = graph::Repository::in_memory();
      Recorder recorder(*repository);
      const auto record = [&](const std::string& id, const std::string& text) {
        Exchange exchange =
            asked(std::string(kQuestion), R"({"type":"text","text":")" + text + "\"}");
        exchange.request_headers = {};
        exchange.response.replace(exchange.response.find("msg_1"), 5, id);
        return recorder.record(exchange).value();
      };
      const Recorded one = record("msg_1", longer_first ? "Yes, it is." : "Yes");
      const Recorded other = record("msg_2", longer_first ? "Yes" : "Yes, it is.");
      CHECK(other.reason.empty());
      CHECK(one.ref != other.ref);
      for (const Recorded& each : {one, other}) {
        REQUIRE(each.answer);
        CHECK(repository->store().ref(each.ref).value() == each.answer);
        CHECK(llm::captured_requests(*repository, *each.answer).value().size() == 1);
      }
    }
  }

  TEST_CASE(
      "Ollama: the next request, which has no ids of calls, goes on with the streamed answer") {
    const auto repository = graph::Repository::in_memory();
    Recorder recorder(*repository);
    Exchange exchange{.upstream = "http://127.0.0.1:11434",
                      .method = "POST",
                      .target = "/api/chat",
                      .status = 200,
                      .begun = {1'795'765'774'000'000}};
    const std::string question = R"({"role":"user","content":"What is there?"})";
    const std::string call = R"("tool_calls":[{"function":{"name":"ls","arguments":{"at":"."}}}])";
    exchange.request = R"({"model":"m","messages":[)" + question + "]}";
    exchange.response = R"({"model":"m","message":{"role":"assistant","content":"I look."}})"
                        "\n"
                        R"({"model":"m","message":{"role":"assistant","content":"",)" +
                        call +
                        "}}\n"
                        R"({"model":"m","message":{"role":"assistant"},"done":true})"
                        "\n";
    const Recorded first = recorder.record(exchange).value();
    exchange.request = R"({"model":"m","messages":[)" + question +
                       R"(,{"role":"assistant","content":"I look.",)" + call +
                       R"(},{"role":"tool","content":"a b","tool_name":"ls"}]})";
    exchange.response =
        R"({"model":"m","message":{"role":"assistant","content":"Two files."},"done":true})"
        "\n";
    const Recorded second = recorder.record(exchange).value();
    CHECK(first.ref == second.ref);
    REQUIRE(second.answer);
    CHECK(repository->reader().commit(*second.answer).value()->depth == 3);
  }

  TEST_CASE("Chat: a program that does not send thoughts back loses none, and no request") {
    const auto repository = graph::Repository::in_memory();
    Recorder recorder(*repository);
    Exchange exchange{.upstream = "https://api.openai.com/v1",
                      .method = "POST",
                      .target = "/chat/completions",
                      .status = 200,
                      .begun = {1'795'765'774'000'000}};
    std::string messages = R"({"role":"user","content":"How many?"})";
    const auto ask = [&](const std::string& number) {
      const std::string said = R"("role":"assistant","content":"Step )" + number + R"(."})";
      exchange.request = R"({"model":"m","messages":[)" + messages + "]}";
      exchange.response = R"({"id":"c)" + number +
                          R"(","model":"m","choices":[{"index":0,"finish_reason":"stop","message":)"
                          R"({"reasoning_content":"Let me look.",)" +
                          said + "}]}";
      messages += ",{" + said + R"(,{"role":"user","content":"Go on."})";
      return recorder.record(exchange).value();
    };
    const Recorded first = ask("1");
    const Recorded second = ask("2");
    CHECK(first.ref == second.ref);
    CHECK(repository->store().ref(first.ref).value() == second.answer);
    REQUIRE(second.answer);
    CHECK(repository->reader().commit(*second.answer).value()->depth == 5);  // With both thoughts.
    CHECK(llm::captured_requests(*repository, *second.answer).value().size() == 2);
    CHECK(llm::sent_prompt(*repository, *second.answer).value().body == exchange.request);
  }

  TEST_CASE("Chat: the same answer by other thoughts is another answer") {
    const auto repository = graph::Repository::in_memory();
    Recorder recorder(*repository);
    const auto ask = [&](const std::string& thought) {
      Exchange exchange{.upstream = "https://api.openai.com/v1",
                        .method = "POST",
                        .target = "/chat/completions",
                        .status = 200,
                        .begun = {1'795'765'774'000'000}};
      exchange.request = R"({"model":"m","messages":[{"role":"user","content":"How many?"}]})";
      exchange.response =
          R"({"id":"c","model":"m","choices":[{"index":0,"finish_reason":"stop",)"
          R"("message":{"role":"assistant","content":"Two.","reasoning_content":")" +
          thought + R"("}}]})";
      return recorder.record(exchange).value();
    };
    for (const std::string thought : {"I count.", "I guess."}) {
      const Recorded recorded = ask(thought);
      REQUIRE(recorded.answer);
      const auto answer = repository->reader().commit(*recorded.answer).value();
      CHECK(graph::read_turn(repository->reader(), answer->parents.at(0)).value().text == thought);
    }
  }

  TEST_CASE("what is no question to a model, or cannot be read, is named and writes nothing") {
    const auto repository = graph::Repository::in_memory();
    Recorder recorder(*repository);
    const auto reason_of = [&](const auto& change) {
      Exchange exchange = asked(std::string(kQuestion), std::string(kCall));
      change(exchange);
      return recorder.record(exchange).value().reason;
    };
    CHECK(reason_of([](Exchange& e) { e.target = "/v1/messages/count_tokens"; }) ==
          "non_turn_request");
    CHECK(reason_of([](Exchange& e) { e.target = "/v1internal:generateContent?alt=sse"; }) ==
          "unknown_provider");
    CHECK(reason_of([](Exchange& e) {
            e.method = "GET";
            e.status = 101;
          }) == "unknown_provider");
    CHECK(reason_of([](Exchange& e) { e.method = "HEAD"; }) == "non_turn_request");
    CHECK(reason_of([](Exchange& e) { e.request = "{"; }) == "request_decode");
    CHECK(reason_of([](Exchange& e) { e.request = "{\"model\":\"m\"}"; }) == "request_decode");
    CHECK(reason_of([](Exchange& e) {
            e.response_headers.emplace_back("content-encoding", "compress");
          }) == "response_decode");
    CHECK(count_of(*repository) == 0);
  }
}
