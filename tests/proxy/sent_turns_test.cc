// What a captured request adds to the turns of an agent's own file.
#include <doctest/doctest.h>

#include "llm/sent_prompt.h"
#include "proxy/recorder.h"
#include "proxy/sent_turns.h"

using namespace spoor;
using namespace spoor::proxy;

namespace {

using compile::Oid;
using compile::Turn;
using compile::Type;

constexpr std::string_view kLine = "refs/heads/claude-code/s-1";
constexpr std::string_view kTool = R"({"name":"Bash","input_schema":{"type":"object"}})";

// A session whose file has a question, an answer with a call, its result and an answer. Both
// requests were captured, with what the file does not have.
struct Session {
  std::unique_ptr<graph::Repository> repository = graph::Repository::in_memory();
  std::vector<Oid> turns;

  Session() {
    append({.type = Type::user, .text = "What is in the folder?"});
    Turn call = answer("msg_1", "I look.");
    call.fields.tool_calls = {{.id = "toolu_1", .name = "Bash", .arguments = "{}"}};
    append(call);
    Turn result{.type = Type::tool, .text = "a b"};
    result.fields.call_id = "toolu_1";
    append(result);
    append(answer("msg_2", "Two files."));
  }

  static Turn answer(const std::string& id, const std::string& text) {
    Turn turn{.type = Type::assistant, .text = text};
    turn.facts.set(fact::message_id, id);
    return turn;
  }

  Oid append(Turn turn) {
    turn.facts.set(fact::source, "claude-code");
    turn.facts.set(fact::session, "s-1");
    CHECK(repository->transact("import", graph::OnConflict::fail, [&](graph::Draft& draft) {
      auto name = draft.append(std::string(kLine), turn);
      if (name) turns.push_back(*name);
      return name ? Result<void>() : Result<void>(name.error());
    }));
    return turns.back();
  }

  void capture(const std::string& id, const std::string& messages, bool is_altered = false,
               const std::string& more = "") {
    Exchange exchange{.upstream = "https://api.anthropic.com",
                      .method = "POST",
                      .target = "/v1/messages?beta=true",
                      .request_headers = {{"user-agent", "claude-cli/2.1.197"},
                                          {"x-claude-code-session-id", "s-1"}},
                      .status = 200,
                      .response_headers = {{"content-type", "application/json"}},
                      .begun = {1'795'765'774'000'000},
                      .is_altered = is_altered};
    exchange.request = R"({"model":"claude-sonnet-4-5","system":"Be brief.","tools":[)" +
                       std::string(kTool) + "]," + more + R"("messages":[)" + messages + "]}";
    exchange.response = R"({"id":")" + id +
                        R"(","type":"message","role":"assistant","model":"claude-sonnet-4-5",)"
                        R"("content":[{"type":"text","text":"x"}],"stop_reason":"end_turn"})";
    const auto import = [](const import::KnownAgent&, Timestamp) {
      return Result<std::vector<std::string>>(std::vector<std::string>{std::string(kLine)});
    };
    const auto recorded = Recorder(*repository, import).record(exchange).value();
    CHECK(recorded.reason.empty());
    CHECK(recorded.answer);
  }

  void capture_both() {
    const std::string asked =
        R"({"role":"user","content":"<system-reminder>Today.</system-reminder>"},)"
        R"({"role":"user","content":"What is in the folder?"})";
    capture("msg_1", asked);
    capture("msg_2", asked + R"(,{"role":"assistant","content":[{"type":"text","text":"I look."},)"
                             R"({"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}]},)"
                             R"({"role":"user","content":[{"type":"tool_result",)"
                             R"("tool_use_id":"toolu_1","content":"a b"}]})");
  }

  std::vector<std::string> texts(const Oid& commit) const {
    const auto sent = sent_turns(*repository, commit).value();
    if (!sent) return {"none"};
    std::vector<std::string> all;
    for (const compile::Message& each : sent->repository->compile(sent->tip).value().messages) {
      all.push_back(each.text());
    }
    return all;
  }
};

using Texts = std::vector<std::string>;
const std::string kReminder = "<system-reminder>Today.</system-reminder>";

}  // namespace

TEST_SUITE("proxy/sent_turns") {
  TEST_CASE("where a request was sent, the conversation is what it has") {
    Session session;
    session.capture_both();
    const Texts first = {"Be brief.", kReminder, "What is in the folder?"};
    CHECK(session.texts(session.turns[0]) == first);
    const Texts second = {"Be brief.", kReminder, "What is in the folder?", "I look.", "a b"};
    CHECK(session.texts(session.turns[2]) == second);
    const auto sent = sent_turns(*session.repository, session.turns[2]).value();
    REQUIRE(sent);
    CHECK(sent->tools == Texts{std::string(kTool)});
    CHECK(sent->later == 0);
    CHECK(sent->request.answer == session.turns[3]);
    CHECK(sent->names.empty());
  }

  TEST_CASE("a conversation has the refs of its own requests") {
    Session session;
    CHECK(llm::capture_refs(*session.repository, session.turns[3]).value().empty());
    session.capture_both();
    const auto refs = llm::capture_refs(*session.repository, session.turns[3]).value();
    REQUIRE(refs.size() == 1);
    CHECK(refs[0].name == llm::captures_of("claude-code", "s-1"));
    CHECK(session.repository->transact(
        "other", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
          TRY(draft.append("refs/heads/other", {.type = Type::user, .text = "Elsewhere"}));
          return {};
        }));
    const auto other = session.repository->store().ref("refs/heads/other").value().value();
    CHECK(llm::capture_refs(*session.repository, other).value().empty());
  }

  TEST_CASE("turns of the line that came after the last request follow it") {
    Session session;
    session.capture_both();
    CHECK(session.texts(session.turns[1]) ==
          Texts{"Be brief.", kReminder, "What is in the folder?", "I look."});
    const Oid next = session.append({.type = Type::user, .text = "And now?"});
    CHECK(session.texts(next) == Texts{"Be brief.", kReminder, "What is in the folder?", "I look.",
                                       "a b", "Two files.", "And now?"});
    const auto sent = sent_turns(*session.repository, next).value();
    REQUIRE(sent);
    CHECK(sent->later == 2);
    REQUIRE(sent->names.size() == 2);
    CHECK(sent->names.at(sent->tip) == next);
  }

  TEST_CASE("nothing was sent: before the first request, altered, or after a change of the line") {
    Session session;
    CHECK(session.texts(session.turns[3]) == Texts{"none"});
    SUBCASE("altered") {
      session.capture("msg_1", R"({"role":"user","content":"What?"})", true);
      CHECK(session.texts(session.turns[3]) == Texts{"none"});
    }
    SUBCASE("a directive") {
      session.capture_both();
      REQUIRE(session.repository->transact(
          "skip", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
            TRY(draft.annotate(std::string(kLine), session.turns[1], compile::Priority::skip, {},
                               {}));
            return {};
          }));
      const auto tip = session.repository->store().ref(std::string(kLine)).value().value();
      CHECK(session.texts(tip) == Texts{"none"});
      CHECK(session.texts(session.turns[3]).size() == 6);
    }
  }

  TEST_CASE("at a part of an answer, the request is that of the answer") {
    Session session;
    session.capture_both();
    const Oid text = session.append(Session::answer("msg_3", "Well,"));
    session.append(Session::answer("msg_3", "there they are."));
    session.capture("msg_3", R"({"role":"user","content":"Where?"})");
    CHECK(session.texts(text) == Texts{"Be brief.", "Where?", "Well,"});
  }

  TEST_CASE("each of Gemini's functions is a tool") {
    const auto repository = graph::Repository::in_memory();
    Exchange exchange{.method = "POST",
                      .target = "/v1beta/models/gemini-3-flash:generateContent",
                      .status = 200,
                      .response_headers = {{"content-type", "application/json"}}};
    exchange.request =
        R"({"contents":[{"role":"user","parts":[{"text":"Now?"}]}],)"
        R"("tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"}]},{"googleSearch":{}}]})";
    exchange.response =
        R"({"candidates":[{"content":{"role":"model","parts":[{"text":"Yes."}]}}]})";
    const auto recorded = Recorder(*repository).record(exchange).value();
    REQUIRE(recorded.answer);
    const auto sent = sent_turns(*repository, *recorded.answer).value();
    REQUIRE(sent);
    CHECK(sent->tools == Texts{R"({"name":"a"})", R"({"name":"b"})", R"({"googleSearch":{}})"});
  }

  TEST_CASE("what the provider keeps is not in the request: the messages are those of the line") {
    Session session;
    session.capture("msg_1", R"({"role":"user","content":"?"})", false,
                    R"("previous_response_id":"resp_0",)");
    const auto sent = sent_turns(*session.repository, session.turns[2]).value();
    REQUIRE(sent);
    CHECK_FALSE(sent->has_messages);
    CHECK(sent->names.size() == 3);
    CHECK(sent->tools.size() == 1);
    CHECK(session.texts(session.turns[2]) == Texts{"What is in the folder?", "I look.", "a b"});
  }
}
