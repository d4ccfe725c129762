#include <algorithm>

#include <doctest/doctest.h>

#include "base/json/reader.h"
#include "llm/render/render.h"
#include "llm/wire/anthropic.h"
#include "tests/llm/replies.h"

using namespace spoor;
using namespace spoor::testing;
using llm::render::Treatment;

namespace {

llm::Profile profile(std::string name, llm::Wire wire) {
  llm::Profile made;
  made.name = std::move(name);
  made.wire = wire;
  return made;
}

const llm::Profile kAnthropic = profile("anthropic", llm::Wire::anthropic);
const llm::Profile kOpenai = profile("openai", llm::Wire::openai_responses);
const llm::Profile kDeepseek = profile("deepseek", llm::Wire::openai_chat);
const llm::Profile kGemini = profile("gemini", llm::Wire::gemini);
const llm::Profile kOllama = profile("ollama", llm::Wire::ollama);
const llm::Profile kVllm = profile("vllm", llm::Wire::openai_chat);

llm::render::Rendered rendered(graph::Branch& branch, const llm::Profile& profile) {
  const auto recipe = llm::render::recipe_for(profile, "m");
  return llm::render::render(branch.repository(), branch.tip().value(), recipe).value();
}

std::string body(graph::Branch& branch, const llm::Profile& profile) {
  return rendered(branch, profile).body;
}

std::size_t count(const llm::render::Rendered& made, Treatment::Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(made.treatments.begin(), made.treatments.end(),
                    [&](const Treatment& treatment) { return treatment.kind == kind; }));
}

const std::string kThinking = R"({"type":"thinking","thinking":"hm","signature":"c2ln"})";
const std::string kRedacted = R"({"type":"redacted_thinking","data":"b3BhcXVl"})";
const std::string kSealed =
    R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"})";

// A user's turn, and an answer of `provider` that thinks and calls a tool.
void start_loop(graph::Branch& main, const llm::Reply& reply, const llm::Profile& provider) {
  main.user("list").value();
  commit(main, reply, provider.name);
  main.tool("a.txt", "c1", "ls").value();
}

}  // namespace

TEST_SUITE("llm/render") {
  TEST_CASE("the plain body of each wire") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.system("Be brief").value();
    main.user("list").value();
    main.assistant("Looking.", {{"c1", "ls", R"({"path":"/"})"}}).value();
    main.tool("a.txt", "c1", "ls").value();

    CHECK(body(main, kVllm) ==
          R"({"model":"m","messages":[{"role":"system","content":"Be brief"},)"
          R"({"role":"user","content":"list"},)"
          R"({"role":"assistant","content":"Looking.","tool_calls":[{"id":"c1","type":"function",)"
          R"("function":{"name":"ls","arguments":"{\"path\":\"/\"}"}}]},)"
          R"({"role":"tool","tool_call_id":"c1","content":"a.txt"}]})");
    CHECK(body(main, kOpenai) ==
          R"({"model":"m","input":[{"role":"system","content":"Be brief"},)"
          R"({"role":"user","content":"list"},{"role":"assistant","content":"Looking."},)"
          R"({"type":"function_call","call_id":"c1","name":"ls","arguments":"{\"path\":\"/\"}"},)"
          R"({"type":"function_call_output","call_id":"c1","output":"a.txt"}]})");
    CHECK(body(main, kAnthropic) ==
          R"({"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"list"}]},)"
          R"({"role":"assistant","content":[{"type":"text","text":"Looking."},)"
          R"({"type":"tool_use","id":"c1","name":"ls","input":{"path":"/"}}]},)"
          R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1",)"
          R"("content":"a.txt"}]}],"system":"Be brief"})");
    CHECK(body(main, kGemini) ==
          R"({"contents":[{"role":"user","parts":[{"text":"list"}]},)"
          R"({"role":"model","parts":[{"text":"Looking."},{"functionCall":{"name":"ls",)"
          R"("args":{"path":"/"}},"thoughtSignature":"skip_thought_signature_validator"}]},)"
          R"({"role":"user","parts":[{"functionResponse":{"name":"ls",)"
          R"("response":{"output":"a.txt"}}}]}],)"
          R"("systemInstruction":{"parts":[{"text":"Be brief"}]}})");
    CHECK(body(main, kOllama) ==
          R"({"model":"m","messages":[{"role":"system","content":"Be brief"},)"
          R"({"role":"user","content":"list"},{"role":"assistant","content":"Looking.",)"
          R"("tool_calls":[{"function":{"name":"ls","arguments":{"path":"/"}}}]},)"
          R"({"role":"tool","tool_name":"ls","content":"a.txt"}]})");
  }

  TEST_CASE("a call whose name a wire does not take is sent by another, and so is its result") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.user("list").value();
    const std::string longest(80, 'n');
    main.assistant("", {{"c1", "read file!", "{}"}, {"c2", "", "{}"}, {"c3", longest, "{}"}})
        .value();
    for (const char* id : {"c1", "c2", "c3"}) main.tool("no such tool", id, "").value();
    const auto has = [](const std::string& text, const std::string& part) {
      return text.find("\"name\":\"" + part + '"') != std::string::npos;
    };
    for (const llm::Profile& profile : {kVllm, kOpenai, kAnthropic, kGemini, kOllama}) {
      CAPTURE(profile.name);
      const std::string text = body(main, profile);
      CHECK(has(text, "read_file_"));
      CHECK(has(text, "unnamed"));
      CHECK(has(text, longest.substr(0, profile.wire == llm::Wire::anthropic ? 80 : 64)));
      // A request of before is rebuilt as it was.
      auto recipe = llm::render::recipe_for(profile, "m");
      recipe.fits_names = false;
      const auto before = llm::render::render(*repository, main.tip().value(), recipe);
      CHECK(has(before.value().body, "read file!"));
    }
  }

  TEST_CASE("where templates are strict, system prompts are one, in front") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.system("Be brief").value();
    main.user("hi").value();
    main.assistant("hello").value();
    main.system("Be exact").value();
    main.user("again").value();
    const std::string joined =
        R"("messages":[{"role":"system","content":"Be brief\n\nBe exact"},)"
        R"({"role":"user","content":"hi"},{"role":"assistant","content":"hello"},)"
        R"({"role":"user","content":"again"}])";
    for (const llm::Profile& profile : {kVllm, kDeepseek, kOllama}) {
      CAPTURE(profile.name);
      CHECK(body(main, profile).find(joined) != std::string::npos);
      CHECK(count(rendered(main, profile), Treatment::Kind::reordered) == 1);
      // A request of before is rebuilt as it was.
      auto recipe = llm::render::recipe_for(profile, "m");
      recipe.fits_order = false;
      const auto before = llm::render::render(*repository, main.tip().value(), recipe);
      CHECK(before.value().body.find("hello\"},{\"role\":\"system\"") != std::string::npos);
    }
    const auto openai = profile("openai-chat", llm::Wire::openai_chat);
    for (const llm::Profile& profile : {openai, kOpenai, kAnthropic, kGemini}) {
      CAPTURE(profile.name);
      CHECK(count(rendered(main, profile), Treatment::Kind::reordered) == 0);
    }
  }

  TEST_CASE("an answer that says nothing is not sent, nor the thinking before it") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    const auto turn_of = [&](llm::Piece thought, llm::Piece text, const std::string& provider) {
      main.user("hi").value();
      commit(main, reply_of({std::move(thought), std::move(text)}, provider), provider);
    };
    turn_of(thought_piece("hm", kThinking), text_piece("\n\n", R"({"type":"text","text":"\n\n"})"),
            "anthropic");
    turn_of(thought_piece("hm"), text_piece("", R"({"role":"assistant","content":""})"), "ollama");
    main.user("again").value();
    CHECK(body(main, kAnthropic).find("assistant") == std::string::npos);
    CHECK(count(rendered(main, kAnthropic), Treatment::Kind::stripped) == 2);
    CHECK(body(main, kVllm).find(R"("content":"")") == std::string::npos);
    CHECK(count(rendered(main, kVllm), Treatment::Kind::unsaid) == 1);
    // A request of before is rebuilt as it was.
    auto recipe = llm::render::recipe_for(kVllm, "m");
    recipe.fits_order = false;
    const auto before = llm::render::render(*repository, main.tip().value(), recipe);
    CHECK(before.value().body.find(R"("content":"")") != std::string::npos);
  }

  TEST_CASE("where templates are strict, neighbours of one role are one message") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.user("one").value();
    main.system("Be brief").value();
    main.user("two").value();
    main.assistant("2").value();
    main.assistant("3").value();
    main.user("three").value();
    const std::string joined =
        R"([{"role":"system","content":"Be brief"},{"role":"user","content":"one\n\ntwo"},)"
        R"({"role":"assistant","content":"2\n\n3"},{"role":"user","content":"three"}])";
    for (const llm::Profile& profile : {kVllm, kDeepseek}) {
      CAPTURE(profile.name);
      CHECK(body(main, profile).find(joined) != std::string::npos);
    }
    const auto openai = profile("openai-chat", llm::Wire::openai_chat);
    CHECK(count(rendered(main, openai), Treatment::Kind::reordered) == 0);
  }

  TEST_CASE("Mistral gets an answer between a result and a user's turn") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.user("list").value();
    main.assistant("", {{"c12345678", "ls", "{}"}}).value();
    main.tool("a.txt", "c12345678", "ls").value();
    main.user("stop").value();
    const auto mistral = profile("mistral", llm::Wire::openai_chat);
    const std::string between =
        R"x("content":"a.txt"},{"role":"assistant","content":"(interrupted)"},{"role":"user")x";
    CHECK(body(main, mistral).find(between) != std::string::npos);
    CHECK(count(rendered(main, mistral), Treatment::Kind::reordered) == 1);
    CHECK(count(rendered(main, kVllm), Treatment::Kind::reordered) == 0);
  }

  TEST_CASE(
      "model, tools and parameters stand beside the messages; a renderer that is not known is "
      "refused") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.user("hi").value();
    auto recipe = llm::render::recipe_for(kVllm, "qwen");
    recipe.tools = R"([{"type":"function"}])";
    recipe.params = R"({"temperature":0,"seed":7})";
    CHECK(llm::render::render(*repository, main.tip().value(), recipe)->body ==
          R"({"model":"qwen","messages":[{"role":"user","content":"hi"}],)"
          R"("tools":[{"type":"function"}],"temperature":0,"seed":7})");
    recipe.renderer = "openai-chat/999";
    const auto refused = llm::render::render(*repository, main.tip().value(), recipe);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == spoor::Error::Code::unavailable);
    recipe.renderer = "openai-chat/1";
    recipe.params = "[1]";
    CHECK(llm::render::render(*repository, main.tip().value(), recipe).error().code ==
          spoor::Error::Code::invalid);
  }

  // One test a row of the table in replay_rules.cc.
  TEST_CASE("anthropic: thinking goes back byte for byte, that of earlier turns too") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    const auto thinks = reply_of(
        {thought_piece("hm", kThinking), thought_piece("", kRedacted),
         call_piece("c1", "ls", "{}", R"({"type":"tool_use","id":"c1","name":"ls","input":{}})")},
        "anthropic");
    start_loop(main, thinks, kAnthropic);
    const auto inside = rendered(main, kAnthropic);
    CHECK(inside.body.find(R"("content":[)" + kThinking + "," + kRedacted +
                           R"(,{"type":"tool_use","id":"c1")") != std::string::npos);
    CHECK(count(inside, Treatment::Kind::replayed) == 1);
    // A text after a result is a part of the loop; earlier requests were rendered without.
    main.user("and now?").value();
    CHECK(body(main, kAnthropic).find(kThinking) != std::string::npos);
    auto before = llm::render::recipe_for(kAnthropic, "m");
    before.replay.scope = llm::render::ReplayRule::Scope::tool_loop;
    CHECK(llm::render::render(*repository, main.tip().value(), before)->body.find("thinking") ==
          std::string::npos);
    main.assistant("Nothing.").value();
    main.user("and now?").value();
    const auto later = rendered(main, kAnthropic);
    CHECK(count(later, Treatment::Kind::replayed) == 1);
    // The conversation is only added to, up to the end of its list.
    CHECK(later.body.substr(0, inside.body.rfind("]}]")) ==
          inside.body.substr(0, inside.body.rfind("]}]")));
  }

  TEST_CASE("anthropic: a call that was cut, and one that names a member twice, are sent") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    start_loop(main,
               reply_of({call_piece("c1", "ls", R"({"a":1,"a":2})",
                                    R"({"type":"tool_use","id":"c1","name":"ls",)"
                                    R"("input":{"a":1,"a":2}})"),
                         call_piece("c2", "ls", R"({"path":"x)"),
                         call_piece("c3", "ls", R"("x")",
                                    R"({"type":"tool_use","id":"c3","name":"ls","input":"x"})")},
                        "anthropic"),
               kAnthropic);
    const std::string sent = body(main, kAnthropic);
    CHECK(sent.find(R"("id":"c1","input":{"a":2},"name":"ls")") != std::string::npos);
    CHECK(
        sent.find(
            R"({"type":"tool_use","id":"c2","name":"ls","input":{"arguments":"{\"path\":\"x"}})") !=
        std::string::npos);
    CHECK(sent.find(R"({"type":"tool_use","id":"c3","name":"ls","input":{"arguments":"\"x\""}})") !=
          std::string::npos);
  }

  TEST_CASE("anthropic: thinking between the blocks of one answer keeps its place") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    const std::string later = R"({"type":"thinking","thinking":"so","signature":"bGF0ZXI="})";
    const std::string call = R"({"type":"tool_use","id":"c1","name":"ls","input":{}})";
    start_loop(main,
               reply_of({thought_piece("hm", kThinking),
                         text_piece("Looking.", R"({"type":"text","text":"Looking."})"),
                         thought_piece("so", later), call_piece("c1", "ls", "{}", call)},
                        "anthropic"),
               kAnthropic);
    CHECK(body(main, kAnthropic)
              .find("[" + kThinking + R"(,{"type":"text","text":"Looking."},)" + later + "," +
                    call + "]") != std::string::npos);
  }

  TEST_CASE("anthropic: thinking that was cut off before its signature stays behind") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    start_loop(
        main,
        reply_of({thought_piece("hm", R"({"type":"thinking","thinking":"hm","signature":""})"),
                  call_piece("c1", "ls", "{}")},
                 "anthropic"),
        kAnthropic);
    const auto made = rendered(main, kAnthropic);
    CHECK(made.body.find("thinking") == std::string::npos);
    CHECK(count(made, Treatment::Kind::stripped) == 1);
  }

  TEST_CASE("openai: reasoning items go back before the items they led to") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    const std::string call =
        R"({"type":"function_call","id":"fc_1","call_id":"c1","name":"ls","arguments":"{}"})";
    start_loop(
        main,
        reply_of({thought_piece("", kSealed), call_piece("c1", "ls", "{}", call)}, "responses"),
        kOpenai);
    main.user("go on").value();
    CHECK(body(main, kOpenai).find(kSealed + "," + call) != std::string::npos);
  }

  TEST_CASE("openai: a call of a custom tool and its result stay custom, since renderer 2") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    const std::string call =
        R"({"type":"custom_tool_call","id":"ctc_1","call_id":"c1","name":"patch","input":"+ a"})";
    main.user("patch").value();
    commit(main, reply_of({call_piece("c1", "patch", "+ a", call)}, "responses"), kOpenai.name);
    main.tool("done", "c1", "patch").value();
    auto recipe = llm::render::recipe_for(kOpenai, "m");
    CHECK(recipe.renderer == "openai-responses/2");
    const auto tip = main.tip().value();
    CHECK(llm::render::render(*repository, tip, recipe)->body ==
          R"({"model":"m","input":[{"role":"user","content":"patch"},)"
          R"({"type":"custom_tool_call","call_id":"c1","name":"patch","input":"+ a"},)"
          R"({"type":"custom_tool_call_output","call_id":"c1","output":"done"}]})");
    recipe.renderer = "openai-responses/1";
    CHECK(llm::render::render(*repository, tip, recipe)->body.find("function_call_output") !=
          std::string::npos);
  }

  TEST_CASE(
      "openai: a reasoning without encrypted content, or before an edited answer, stays behind") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.user("q").value();
    const std::string item = R"({"type":"message","id":"msg_1","role":"assistant","content":[]})";
    commit(main,
           reply_of({thought_piece("s", R"({"type":"reasoning","id":"rs_0","summary":[]})"),
                     text_piece("a", item)},
                    "responses"),
           "openai");
    main.user("q2").value();
    const auto sealed = commit(
        main, reply_of({thought_piece("", kSealed), text_piece("b", item)}, "responses"), "openai");
    main.edit(sealed.answer, "better").value();
    const auto made = rendered(main, kOpenai);
    CHECK(made.body.find("rs_0") == std::string::npos);
    CHECK(made.body.find("rs_1") == std::string::npos);
    CHECK(made.body.find(R"({"role":"assistant","content":"better"})") != std::string::npos);
    CHECK(count(made, Treatment::Kind::stripped) == 2);
  }

  TEST_CASE("gemini: a signed part goes back as it came; a summary of thoughts does not") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    const std::string call =
        R"({"functionCall":{"name":"ls","args":{}},"thoughtSignature":"AbC="})";
    start_loop(main,
               reply_of({thought_piece("plan", R"({"text":"plan","thought":true})"),
                         call_piece("c1", "ls", "{}", call)},
                        "gemini"),
               kGemini);
    const std::string made = body(main, kGemini);
    CHECK(made.find("[" + call + "]") != std::string::npos);
    CHECK(made.find("plan") == std::string::npos);
    CHECK(made.find("skip_thought") == std::string::npos);
    main.user("again").value();
    commit(main,
           reply_of({call_piece("c2", "ls", "{}",
                                R"({"functionCall":{"id":"fc-77","name":"ls","args":{}}})")},
                    "gemini"),
           "gemini");
    main.tool("b.txt", "c2", "ls").value();
    const std::string later = body(main, kGemini);
    CHECK(later.find(R"({"functionCall":{"name":"ls","args":{},"id":"fc-77"},)"
                     R"("thoughtSignature":"skip_thought_signature_validator"})") !=
          std::string::npos);
    CHECK(later.find(R"("functionResponse":{"name":"ls","id":"fc-77",)") != std::string::npos);
  }

  TEST_CASE("deepseek, kimi, glm: reasoning_content of answers that call tools") {
    for (const char* name : {"deepseek", "kimi", "glm"}) {
      const llm::Profile one = profile(name, llm::Wire::openai_chat);
      const auto repository = still_repository();
      auto main = repository->branch("main");
      main.user("q").value();
      commit(main, reply_of({thought_piece("why"), text_piece("a")}, "reasoning_content"), name);
      start_loop(
          main,
          reply_of({thought_piece("look"), call_piece("c1", "ls", "{}")}, "reasoning_content"),
          one);
      const std::string made = body(main, one);
      CHECK(made.find(R"("content":null,"reasoning_content":"look","tool_calls")") !=
            std::string::npos);
      CHECK(made.find("why") == std::string::npos);
    }
  }

  TEST_CASE("reasoning that a person wrote anew is the provider's no more") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    start_loop(main,
               reply_of({thought_piece("look"), call_piece("c1", "ls", "{}")}, "reasoning_content"),
               kDeepseek);
    const auto thought = repository->resolve("HEAD~2", main.tip().value()).value();
    main.edit(thought, "a person wrote this").value();
    const std::string made = body(main, kDeepseek);
    CHECK(made.find("a person") == std::string::npos);
    // Where it is demanded something must stand.
    CHECK(made.find(R"("reasoning_content":" ")") != std::string::npos);
  }

  TEST_CASE("openrouter: its own list of details goes back") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    const std::string details = R"([{"type":"reasoning.text","text":"look","signature":null}])";
    const llm::Profile one = profile("openrouter", llm::Wire::openai_chat);
    start_loop(main,
               reply_of({thought_piece("look", details), call_piece("c1", "ls", "{}")}, "parsed"),
               one);
    CHECK(body(main, one).find(R"("reasoning_details":)" + details) != std::string::npos);
  }

  TEST_CASE("chat completions: a call that carries more than a call goes back as it came") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    const std::string call =
        R"({"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"},)"
        R"("extra_content":{"google":{"thought_signature":"AbC="}}})";
    const llm::Profile one = profile("gateway", llm::Wire::openai_chat);
    start_loop(main, reply_of({call_piece("c1", "ls", "{}", call)}), one);
    CHECK(body(main, one).find(R"("tool_calls":[)" + call + "]") != std::string::npos);
    CHECK(body(main, kVllm).find("AbC=") == std::string::npos);  // Nobody else's business.
  }

  TEST_CASE("minimax: the answer keeps its tags") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    const llm::Profile one = profile("minimax", llm::Wire::openai_chat);
    main.user("q").value();
    commit(main, reply_of({thought_piece("why"), text_piece("a")}, "think_tags"), "minimax");
    CHECK(body(main, one).find(R"("content":"<think>\nwhy\n</think>\n\na")") != std::string::npos);
    auto whole = reply_of({thought_piece("b"), text_piece("first second")}, "think_tags");
    whole.raw = R"({"role":"assistant","content":"first <think>b</think>second"})";
    main.user("q2").value();
    commit(main, whole, "minimax");
    CHECK(body(main, one).find(R"("content":"first <think>b</think>second")") != std::string::npos);
  }

  TEST_CASE("ollama: thinking goes back inside a tool loop") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    start_loop(main, reply_of({thought_piece("look"), call_piece("c1", "ls", "{}")}, "parsed"),
               kOllama);
    CHECK(body(main, kOllama).find(R"("thinking":"look")") != std::string::npos);
    main.user("next").value();
    CHECK(body(main, kOllama).find("thinking") == std::string::npos);
  }

  TEST_CASE("a provider that is not in the table follows its wire") {
    CHECK(llm::render::replay_rule(profile("gateway", llm::Wire::anthropic), "m") ==
          llm::render::replay_rule(kAnthropic, "m"));
    CHECK(llm::render::replay_rule(profile("gateway", llm::Wire::openai_chat), "m").scope ==
          llm::render::ReplayRule::Scope::none);
  }

  TEST_CASE("a gateway gets the thinking back that the model's own provider wants") {
    const auto rule = [](const char* provider, const char* model) {
      return llm::render::replay_rule(profile(provider, llm::Wire::openai_chat), model);
    };
    for (const char* model : {"deepseek-reasoner", "deepseek-ai/DeepSeek-V3.2", "deepseek/v3.1"}) {
      CHECK(rule("gateway", model) == rule("deepseek", "m"));
    }
    CHECK(rule("gateway", "moonshotai/Kimi-K2-Thinking") == rule("kimi", "m"));
    CHECK(rule("gateway", "zai-org/GLM-4.6") == rule("glm", "m"));
    CHECK(rule("openrouter", "deepseek/deepseek-r1") == rule("openrouter", "m"));
  }

  TEST_CASE("foreign reasoning never goes back, nor what a person wrote") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.user("list").value();
    main.reasoning("mine").value();
    commit(main,
           reply_of({thought_piece("hm", kThinking), call_piece("c1", "ls", "{}")}, "anthropic"),
           "anthropic");
    for (const auto& other : {kOpenai, kDeepseek, kGemini, kOllama}) {
      const std::string made = body(main, other);
      CHECK(made.find("c2ln") == std::string::npos);
      CHECK(made.find("mine") == std::string::npos);
    }
    CHECK(count(rendered(main, kAnthropic), Treatment::Kind::stripped) == 1);  // Mine.
  }

  TEST_CASE("reasoning that a person skipped stays out; one that is pinned is text for others") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    start_loop(
        main, reply_of({thought_piece("hm", kThinking), call_piece("c1", "ls", "{}")}, "anthropic"),
        kAnthropic);
    const auto thought = repository->resolve("HEAD~2", main.tip().value()).value();
    main.annotate(thought, store::Priority::skip).value();
    CHECK(body(main, kAnthropic).find("c2ln") == std::string::npos);
    main.annotate(thought, store::Priority::pinned).value();
    CHECK(body(main, kAnthropic).find(kThinking) != std::string::npos);
    CHECK(body(main, kVllm).find(R"({"role":"assistant","content":"hm","tool_calls":)") !=
          std::string::npos);
  }

  TEST_CASE(
      "a call without a result gets one that says so, an orphan is dropped, late ones move up") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.user("go").value();
    main.assistant("", {{"a", "ls", "{}"}, {"b", "rm", "{}"}}).value();
    main.user("wait").value();
    main.tool("late", "a", "ls").value();
    main.tool("nobody asked", "zzz", "ls").value();
    const auto made = rendered(main, kVllm);
    CHECK(made.body.find(R"("tool_calls":[{"id":"a",)") != std::string::npos);
    CHECK(made.body.find(R"({"role":"tool","tool_call_id":"a","content":"late"},)"
                         R"({"role":"tool","tool_call_id":"b",)"
                         R"("content":"interrupted, effect unverified"},)"
                         R"({"role":"user","content":"wait"})") != std::string::npos);
    CHECK(made.body.find("nobody asked") == std::string::npos);
    CHECK(count(made, Treatment::Kind::synthesized) == 1);
    CHECK(count(made, Treatment::Kind::orphan) == 1);
  }

  TEST_CASE("a call that was cut off, and has no item, has its result all the same") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    auto cut = reply_of({text_piece("Caf\xc3\xa9", R"({"type":"text","text":"Caf\u00e9"})"),
                         call_piece("toolu_1", "ls", R"({"path": "/e)")},
                        "anthropic");
    cut.failure = llm::Failure{};
    main.user("list").value();
    commit(main, cut, "anthropic");
    main.user("next").value();
    const std::string made = body(main, kAnthropic);
    CHECK(made.find(R"({"type":"tool_use","id":"toolu_1","name":"ls","input":{"arguments":)") !=
          std::string::npos);
    CHECK(made.find(R"("tool_use_id":"toolu_1","content":"interrupted, effect unverified")") !=
          std::string::npos);
  }

  TEST_CASE("ids of calls are such that the wire takes them, and each is another") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    for (int i = 0; i < 2; ++i) {
      main.user("go").value();
      main.assistant("", {{"functions.ls:0", "ls", "{}"}}).value();
      main.tool("a", "functions.ls:0", "ls").value();
    }
    const auto ids = [](const std::string& text, const std::string& key) {
      std::vector<std::string> all;
      for (std::size_t at = 0; (at = text.find('"' + key + "\":\"", at)) != std::string::npos;) {
        at += key.size() + 4;
        all.push_back(text.substr(at, text.find('"', at) - at));
      }
      return all;
    };
    const std::string made = body(main, kAnthropic);
    const auto calls = ids(made, "id");
    REQUIRE(calls.size() == 2);
    CHECK(calls[0] != calls[1]);
    CHECK(calls == ids(made, "tool_use_id"));
    for (const std::string& id : calls) CHECK(id.find_first_of(".:") == std::string::npos);
    const std::string mistral = body(main, profile("mistral", llm::Wire::openai_chat));
    for (const std::string& id : ids(mistral, "tool_call_id")) CHECK(id.size() == 9);
    CHECK(body(main, kAnthropic) == made);  // The same every time.
  }

  TEST_CASE("an answer that says nothing is left out") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.user("q").value();
    commit(main, reply_of({thought_piece("hm")}, "parsed"), "vllm");
    main.user("still there?").value();
    for (const auto& one : {kVllm, kOpenai, kAnthropic, kOllama}) {
      CHECK(body(main, one).find("assistant") == std::string::npos);
    }
  }

  TEST_CASE("half a surrogate pair is no text that a strict parser takes") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.user("odd \xed\xa0\x80 text").value();
    CHECK(body(main, kVllm).find("\\ud800") == std::string::npos);
    CHECK(body(main, kVllm).find("odd \xef\xbf\xbd") != std::string::npos);
  }

  TEST_CASE("call ids that are used again answer their own calls") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    for (const char* text : {"first", "second"}) {
      main.user("go").value();
      main.assistant("", {{"call_0", "ls", "{}"}}).value();
      main.tool(text, "call_0", "ls").value();
    }
    const auto made = rendered(main, kVllm);
    CHECK(made.body.find("first") < made.body.find("second"));
    CHECK(made.treatments.empty());
  }

  TEST_CASE("results of two calls with one id go to them in order") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.user("go").value();
    main.assistant("", {{"call_0", "ls", R"({"p":1})"}, {"call_0", "ls", R"({"p":2})"}}).value();
    main.tool("first", "call_0", "ls").value();
    main.tool("second", "call_0", "ls").value();
    for (const auto& one : {kVllm, kOpenai, kAnthropic, kOllama, kGemini}) {
      const auto made = rendered(main, one);
      CHECK(made.body.find("first") < made.body.find("second"));
      CHECK(made.body.find("second") != std::string::npos);
      CHECK(made.treatments.empty());
    }
  }

  TEST_CASE("blank texts, broken arguments and bytes that are no UTF-8 make a sound body") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    main.user(" \n").value();
    main.user("caf\xe9").value();
    main.assistant("", {{"a", "ls", "{\"path\": \"/"}}).value();
    for (const auto& one : {kVllm, kOpenai, kAnthropic, kGemini, kOllama}) {
      const std::string sent = body(main, one);
      CHECK(spoor::json::parse(sent));
      CHECK(sent.find("caf\xef\xbf\xbd") != std::string::npos);
    }
    CHECK(body(main, kAnthropic).find(R"("text":" \n")") == std::string::npos);
    CHECK(body(main, kAnthropic).find(R"("input":{"arguments":"{\"path\": \"/"})") !=
          std::string::npos);
  }

  TEST_CASE("a user's document is sent to Anthropic, and an uploaded file of somebody's is not") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    const std::string pdf =
        R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"UERG"}})";
    compile::Turn turn{.type = store::Type::user, .text = "read"};
    turn.raw = {{pdf},
                {R"({"type":"document","source":{"type":"file","file_id":"f7"}})"},
                {R"({"type":"text","text":"read"})"}};
    main.commit(turn).value();
    const std::string wanted = "[" + pdf + R"(,{"type":"text","text":"read"}])";
    CHECK(body(main, kAnthropic).find(wanted) != std::string::npos);
    const compile::Prompt prompt = main.compile().value();
    const auto pictures = llm::wire::Pictures::read(prompt, repository->reader()).value();
    CHECK(llm::wire::anthropic_body(prompt, pictures) ==
          R"({"messages":[{"role":"user","content":)" + wanted + "}]}");
  }

  TEST_CASE("pictures go where a wire has a place for them") {
    const auto repository = still_repository();
    auto main = repository->branch("main");
    compile::Turn turn{.type = store::Type::user, .text = "see"};
    turn.attach.push_back({"PNG", "image/png"});
    main.commit(turn).value();
    CHECK(body(main, kVllm).find(R"({"url":"data:image/png;base64,UE5H"})") != std::string::npos);
    CHECK(body(main, kOpenai).find(R"("image_url":"data:image/png;base64,UE5H")") !=
          std::string::npos);
    CHECK(body(main, kAnthropic).find(R"("media_type":"image/png","data":"UE5H")") !=
          std::string::npos);
    CHECK(body(main, kGemini).find(R"("mimeType":"image/png","data":"UE5H")") != std::string::npos);
    CHECK(body(main, kOllama).find(R"("images":["UE5H"])") != std::string::npos);
  }
}
