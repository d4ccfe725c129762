#include "llm/wire/thinking.h"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "llm/wire/thinking_models.h"
#include "tests/support/soak.h"

using namespace spoor;
using llm::wire::Binding;
using llm::wire::RequestOutline;
using nlohmann::json;

namespace {

// The last of four requests: three answers that think, two of which call a tool.
const std::string kConversation = R"json({
  "model": "m", "max_tokens": 100, "tool_choice": {"type": "auto"},
  "thinking": {"type": "adaptive", "display": "omitted"}, "metadata": {"user_id": "u"},
  "output_config": {"effort": "low"}, "system": [{"type": "text", "text": "Be brief."}],
  "tools": [{"name": "ls", "input_schema": {"type": "object", "properties": {}}},
            {"name": "cat", "input_schema": {"type": "object"}}],
  "messages": [
    {"role": "user", "content": [
      {"type": "text", "text": "What is here?"},
      {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
      {"type": "document", "source": {"type": "url", "url": "https://example.com/a?sign=1"}}]},
    {"role": "assistant", "content": [
      {"type": "thinking", "thinking": "look", "signature": "s0"},
      {"type": "text", "text": "Looking."},
      {"type": "tool_use", "id": "c1", "name": "ls", "input": {"path": "/"}}]},
    {"role": "user", "content": [
      {"type": "tool_result", "tool_use_id": "c1", "content": "a.txt and b.txt"}]},
    {"role": "assistant", "content": [
      {"type": "redacted_thinking", "data": "s1"},
      {"type": "tool_use", "id": "c2", "name": "cat", "input": {"path": "a.txt"}}]},
    {"role": "user", "content": [
      {"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "A"}]}]},
    {"role": "assistant", "content": [
      {"type": "thinking", "thinking": "", "signature": "s2"},
      {"type": "text", "text": "Two files."}]},
    {"role": "user", "content": [{"type": "text", "text": "Thanks."}]}]})json";

RequestOutline outline(const json& body) { return llm::wire::outline_of(body.dump()).value(); }

// The request that the answer in message `place` answered.
json request_before(const json& body, std::size_t place) {
  json request = body;
  request["messages"] = json::array();
  for (std::size_t i = 0; i < place; ++i) request["messages"].push_back(body["messages"][i]);
  return request;
}

// The requests of all answers, by the signatures of their thinking.
using Sent = std::map<std::string, RequestOutline>;

std::string sealed(const json& block) {
  return block.value("signature", block.value("data", std::string()));
}

Sent sent_for(const json& body) {
  Sent sent;
  for (std::size_t i = 0; i < body["messages"].size(); ++i) {
    for (const json& block : body["messages"][i]["content"]) {
      if (const auto id = sealed(block); id.starts_with('s')) {
        sent.insert_or_assign(id, outline(request_before(body, i)));
      }
    }
  }
  return sent;
}

// Equal digests must mean that nothing that a block is bound to differs, for a reader that
// compares.
void check_digest(const RequestOutline& now, std::size_t index, std::size_t own,
                  const RequestOutline& sent) {
  const bool is_same =
      llm::wire::PrefixDigests(now).before(index, own) == llm::wire::PrefixDigests(sent).whole();
  const llm::wire::Caller newest{.model = "claude-opus-5-5"};
  const auto judgement = llm::wire::judge_thinking(
      now, index, newest, {.request = &sent, .caller = newest, .own = own});
  if (is_same) CHECK(judgement.binding == Binding::valid);
}

// Judges all thinking of a request: its number and v, u, p, m or o for each block.
std::string judged(const json& body, const Sent& sent, const llm::wire::Caller& reader,
                   const llm::wire::Caller& maker) {
  const RequestOutline now = outline(body);
  std::string all;
  std::size_t index = 0;
  for (const json& message : body["messages"]) {
    std::size_t own = 0;
    if (!message["content"].is_array()) continue;
    for (const json& block : message["content"]) {
      const std::string type = block.value("type", std::string());
      if (type != "thinking" && type != "redacted_thinking") {
        ++own;
        continue;
      }
      const auto judgement = llm::wire::judge_thinking(
          now, index++, reader, {.request = &sent.at(sealed(block)), .caller = maker, .own = own});
      CHECK((judgement.binding == Binding::valid) == judgement.why.empty());
      check_digest(now, index - 1, own, sent.at(sealed(block)));
      all += sealed(block).back();
      all += std::string("vupmo").at(static_cast<std::size_t>(judgement.binding));
    }
  }
  return all;
}

// A change between two requests, as a JSON Patch (RFC 6902), and what becomes of the thinking.
struct Edit {
  const char* name;
  const char* patch;
  const char* judged;
};

constexpr Edit kEdits[] = {
    {"append", R"([{"op":"add","path":"/messages/-","value":{"role":"user","content":"More."}}])",
     "0v1v2v"},
    {"add a deferred tool that nothing names",
     R"([{"op":"add","path":"/tools/0","value":{"name":"new","defer_loading":true}}])", "0v1v2v"},
    {"context editing by the server",
     R"([{"op":"add","path":"/context_management","value":{"edits":[{"type":"clear"}]}}])",
     "0v1v2v"},
    {"remove thinking from the start", R"([{"op":"remove","path":"/messages/1/content/0"}])",
     "1v2v"},
    {"remove thinking from the end", R"([{"op":"remove","path":"/messages/5/content/0"}])", "0v1v"},
    {"remove all thinking but the last",
     R"([{"op":"remove","path":"/messages/1/content/0"},
         {"op":"remove","path":"/messages/3/content/0"}])",
     "2v"},
    {"remove thinking from the middle", R"([{"op":"remove","path":"/messages/3/content/0"}])",
     "0v2p"},
    {"edit the first message",
     R"([{"op":"replace","path":"/messages/0/content/0/text","value":"What?"}])", "0p1p2p"},
    {"edit an earlier answer",
     R"([{"op":"replace","path":"/messages/1/content/1/text","value":"I look."}])", "0v1p2p"},
    {"reorder earlier messages", R"([{"op":"move","from":"/messages/2","path":"/messages/4"}])",
     "0v1p2p"},
    {"delete earlier messages",
     R"([{"op":"remove","path":"/messages/2"},{"op":"remove","path":"/messages/2"}])", "0v2p"},
    {"clear a tool result",
     R"([{"op":"replace","path":"/messages/2/content/0/content","value":""}])", "0v1p2p"},
    {"shorten a tool result",
     R"([{"op":"replace","path":"/messages/4/content/0/content/0/text","value":""}])", "0v1v2p"},
    {"change the input of a call",
     R"([{"op":"replace","path":"/messages/1/content/2/input/path","value":"/tmp"}])", "0v1p2p"},
    {"encode an image anew",
     R"([{"op":"replace","path":"/messages/0/content/1/source/data","value":"AAAB"}])", "0p1p2p"},
    {"add text to an earlier user turn",
     R"([{"op":"add","path":"/messages/2/content/-","value":{"type":"text","text":"Hurry."}}])",
     "0v1p2p"},
    {"change the system prompt", R"([{"op":"replace","path":"/system/0/text","value":"Be long."}])",
     "0p1p2p"},
    {"remove the system prompt", R"([{"op":"remove","path":"/system"}])", "0p1p2p"},
    {"add a tool", R"([{"op":"add","path":"/tools/-","value":{"name":"new"}}])", "0p1p2p"},
    {"add a deferred tool that a call names",
     R"([{"op":"add","path":"/tools/-","value":{"name":"ls","defer_loading":true}}])", "0v1p2p"},
    {"remove a tool", R"([{"op":"remove","path":"/tools/0"}])", "0p1p2p"},
    {"edit a tool", R"([{"op":"replace","path":"/tools/0/name","value":"dir"}])", "0p1p2p"},
    // Only the provider knows what a URL returns, with the same URL too.
    {"another URL of a file",
     R"([{"op":"replace","path":"/messages/0/content/2/source/url",
          "value":"https://example.com/a?sign=2"}])",
     "0u1u2u"},
    {"markers for the cache",
     R"([{"op":"add","path":"/cache_control","value":{"type":"ephemeral"}},
         {"op":"add","path":"/system/0/cache_control","value":{"type":"ephemeral"}},
         {"op":"add","path":"/tools/1/cache_control","value":{"type":"ephemeral"}},
         {"op":"add","path":"/messages/2/content/0/cache_control","value":{"type":"ephemeral"}},
         {"op":"add","path":"/messages/4/content/0/content/0/cache_control",
          "value":{"type":"ephemeral"}}])",
     "0v1v2v"},
    {"other parameters",
     R"([{"op":"replace","path":"/max_tokens","value":5},
         {"op":"replace","path":"/tool_choice/type","value":"none"},
         {"op":"replace","path":"/output_config/effort","value":"max"},
         {"op":"replace","path":"/thinking/display","value":"summarized"},
         {"op":"remove","path":"/metadata"}])",
     "0v1v2v"},
};

// The newest model of each family, and earlier ones, which compare no prefixes.
constexpr const char* kBound[] = {"claude-fable-5-1", "claude-mythos-5-1", "claude-opus-5-5",
                                  "claude-sonnet-5-5", "claude-haiku-5-5"};
constexpr const char* kEarlier[] = {"claude-fable-5", "claude-opus-5", "claude-opus-4-8",
                                    "claude-sonnet-5", "claude-haiku-4-5-20251001"};

std::string all_valid(std::string judged) {
  for (char& c : judged) {
    if (c == 'p' || c == 'u') c = 'v';
  }
  return judged;
}

}  // namespace

TEST_SUITE("llm/wire/thinking") {
  TEST_CASE("each kind of edit invalidates the thinking after it, or none") {
    const json body = json::parse(kConversation);
    const Sent sent = sent_for(body);
    for (const Edit& edit : kEdits) {
      CAPTURE(edit.name);
      const json edited = body.patch(json::parse(edit.patch));
      for (const char* model : kBound) {
        CAPTURE(model);
        CHECK(judged(edited, sent, {model}, {model}) == edit.judged);
      }
      for (const char* model : kEarlier) {
        CAPTURE(model);
        CHECK(judged(edited, sent, {model}, {model}) == all_valid(edit.judged));
      }
    }
  }

  TEST_CASE("thinking that is put back invalidates what was made without it") {
    const json body = json::parse(kConversation);
    Sent sent = sent_for(body);
    const json without = body.patch(json::parse(kEdits[3].patch));  // From the start.
    REQUIRE(judged(without, sent, {kBound[0]}, {kBound[0]}) == "1v2v");
    sent.at("s2") = outline(request_before(without, 5));
    CHECK(judged(without, sent, {kBound[0]}, {kBound[0]}) == "1v2v");
    CHECK(judged(body, sent, {kBound[0]}, {kBound[0]}) == "0v1v2p");
  }

  TEST_CASE("what is made after an edit follows the edit, and is valid") {
    const json body = json::parse(kConversation);
    const json edited =
        body.patch(json::parse(R"([{"op":"replace","path":"/system/0/text","value":"Be long."}])"));
    Sent sent = sent_for(body);
    sent.at("s2") = outline(request_before(edited, 5));
    CHECK(judged(edited, sent, {kBound[0]}, {kBound[0]}) == "0p1p2v");
  }

  TEST_CASE("the prefix of messages starts at the last compaction block") {
    json body = json::parse(kConversation);
    auto& blocks = body["messages"][3]["content"];
    blocks.insert(blocks.begin(), json::parse(R"({"type":"compaction","content":"So far."})"));
    const Sent sent = sent_for(body);
    json shorter = body;
    shorter["messages"].erase(0);
    shorter["messages"].erase(0);
    shorter["messages"][0]["content"][0] = {{"type", "text"}, {"text", "Go on."}};
    CHECK(judged(shorter, sent, {kBound[0]}, {kBound[0]}) == "1v2v");
    shorter["messages"][1]["content"][0]["content"] = "Not so.";
    CHECK(judged(shorter, sent, {kBound[0]}, {kBound[0]}) == "1v2p");
  }

  TEST_CASE("thinking between the blocks of one answer has the prefix of the answer") {
    json body = json::parse(kConversation);
    auto& blocks = body["messages"][1]["content"];
    blocks.insert(blocks.begin() + 2, json::parse(R"({"type":"thinking","signature":"s7"})"));
    const Sent sent = sent_for(body);
    CHECK(judged(body, sent, {kBound[0]}, {kBound[0]}) == "0v7v1v2v");
    // An answer that was put in between is not part of the next one.
    const RequestOutline now = outline(body);
    CHECK(llm::wire::judge_thinking(now, 1, {kBound[0]},
                                    {.request = &sent.at("s7"), .caller = {kBound[0]}})
              .binding == Binding::prefix_mismatch);
  }

  TEST_CASE("the digest of a prefix is that of the request which was sent") {
    json body = json::parse(kConversation);
    auto& blocks = body["messages"][1]["content"];
    blocks.insert(blocks.begin() + 2, json::parse(R"({"type":"thinking","signature":"s7"})"));
    const llm::wire::PrefixDigests now(outline(body));
    const auto sent = [&](std::size_t place) {
      return llm::wire::PrefixDigests(outline(request_before(body, place))).whole();
    };
    CHECK(now.before(0, 0) == sent(1));
    CHECK(now.before(1, 1) == sent(1));  // The second block of the same answer.
    CHECK(now.before(2, 0) == sent(3));
    CHECK(now.before(3, 0) == sent(5));
    CHECK(sent(1) != sent(3));
    json turned = body;
    std::reverse(turned["tools"].begin(), turned["tools"].end());
    CHECK(llm::wire::PrefixDigests(outline(turned)).whole() == now.whole());
  }

  TEST_CASE("the order of keys and the formatting do not matter, the order of messages does") {
    const json body = json::parse(kConversation);
    const RequestOutline plain = outline(body);
    const RequestOutline pretty = llm::wire::outline_of(kConversation).value();
    CHECK(plain.system == pretty.system);
    REQUIRE(plain.blocks.size() == pretty.blocks.size());
    for (std::size_t i = 0; i < plain.blocks.size(); ++i) {
      CHECK(plain.blocks[i].digest == pretty.blocks[i].digest);
    }
    CHECK(plain.thinking.at(1).path == "messages.3.content.0");
    CHECK_FALSE(llm::wire::outline_of("[]"));
    CHECK_FALSE(llm::wire::outline_of("{"));
  }

  // A row for each reader, a column for each maker: y, n, or ? if the provider does not say.
  TEST_CASE("a string is short for a block of text") {
    const std::string rest =
        R"(,{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"c2ln"}]}]})";
    const auto strings =
        llm::wire::outline_of(R"({"system":"s","messages":[{"role":"user","content":"q"})" + rest);
    const auto blocks = llm::wire::outline_of(
        R"({"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[)"
        R"({"text":"q","type":"text"}]})" +
        rest);
    const llm::wire::ThinkingOrigin origin{.request = &strings.value(),
                                           .caller = {.model = "claude-opus-5-5"}};
    CHECK(llm::wire::judge_thinking(*blocks, 0, {.model = "claude-opus-5-5"}, origin).binding ==
          Binding::valid);
  }

  TEST_CASE("which model reads whose thinking") {
    constexpr const char* kModels[] = {
        "claude-fable-5-1",  "claude-mythos-5-1",         "claude-opus-5-5",
        "claude-sonnet-5-5", "claude-haiku-5-5",          "claude-fable-5",
        "claude-opus-5",     "claude-opus-4-8",           "claude-sonnet-5",
        "claude-haiku-4-5",  "claude-3-7-sonnet-20250219"};
    constexpr const char* kReads[] = {
        "yyynnyyyyyy",  // Fable 5.1
        "yyynnyyyyyy",  // Mythos 5.1
        "nnyyynyyyyy",  // Opus 5.5
        "nnnyynnyyyy",  // Sonnet 5.5
        "nnnnynnyyyy",  // Haiku 5.5
        "nnnnny?????",  // Fable 5
        "nnnnn?y????",  // Opus 5
        "nnnnn??y???",  // Opus 4.8
        "nnnnn???y??",  // Sonnet 5
        "nnnnn????y?",  // Haiku 4.5
        "nnnnn?????y",  // Sonnet 3.7
    };
    for (std::size_t reader = 0; reader < std::size(kModels); ++reader) {
      std::string row;
      for (const char* maker : kModels) {
        const auto reads = llm::wire::reads_thinking(kModels[reader], maker);
        row += reads ? (*reads ? 'y' : 'n') : '?';
      }
      CAPTURE(kModels[reader]);
      CHECK(row == kReads[reader]);
    }
    CHECK(llm::wire::reads_thinking("claude-opus-5-5", "claude-opus-5-5-20260922") == true);
    CHECK(llm::wire::reads_thinking("claude-opus-6", "claude-opus-5-5") == std::nullopt);
    CHECK(llm::wire::reads_thinking("claude-opus-5-5", "claude-sonnet-6") == std::nullopt);
    CHECK(llm::wire::reads_thinking("gpt-5", "claude-opus-5") == std::nullopt);
    CHECK(llm::wire::checks_prefix("claude-opus-6"));
    CHECK(llm::wire::checks_prefix("another"));
  }

  TEST_CASE("of several reasons the provider's first one is given") {
    const json body = json::parse(kConversation);
    const Sent sent = sent_for(body);
    const json edited = body.patch(json::parse(R"([{"op":"remove","path":"/system"}])"));
    CHECK(judged(edited, sent, {"claude-opus-5-5", "a"}, {"claude-fable-5-1", "b"}) == "0m1m2m");
    CHECK(judged(edited, sent, {"claude-opus-5-5", "a"}, {"claude-sonnet-5-5", "b"}) == "0o1o2o");
    CHECK(judged(edited, sent, {"claude-opus-5", "a"}, {"claude-haiku-5-5", "b"}) == "0o1o2o");
    CHECK(judged(body, sent, {"claude-opus-5-5", "a"}, {"claude-sonnet-5-5", "a"}) == "0v1v2v");
    CHECK(judged(body, sent, {"claude-opus-5-5", "a"}, {"claude-sonnet-5-5"}) == "0v1v2v");
    CHECK(judged(body, sent, {"claude-opus-5-5", "a"}, {"claude-opus-5-5", "b"}) == "0v1v2v");
    CHECK(llm::wire::name_of(Binding::organization_mismatch) == "organization_binding_mismatch");
  }

  TEST_CASE("appending never invalidates, and an edit invalidates exactly what follows it") {
    std::mt19937_64 random(testing::seeded(73));
    for (int round = 0; round < testing::rounds(60); ++round) {
      json body = {{"messages", json::array()}};
      std::vector<std::size_t> answers;  // The messages with thinking.
      const std::size_t turns = 1 + random() % 6;
      for (std::size_t turn = 0; turn < turns; ++turn) {
        const std::string text = std::to_string(random() % 3);
        body["messages"].push_back(
            {{"role", "user"}, {"content", {{{"type", "text"}, {"text", text}}}}});
        json blocks = json::array();
        const std::size_t thoughts = random() % 3;
        for (std::size_t i = 0; i < thoughts; ++i) {
          blocks.push_back({{"type", "thinking"},
                            {"signature", "s" + std::to_string(turn) + std::to_string(i)}});
          if (random() % 2 == 0) blocks.push_back({{"type", "text"}, {"text", text}});
          answers.push_back(body["messages"].size());
        }
        blocks.push_back({{"type", "text"}, {"text", "end"}});
        body["messages"].push_back({{"role", "assistant"}, {"content", blocks}});
      }
      const Sent sent = sent_for(body);
      const std::size_t place = random() % body["messages"].size();
      const llm::wire::Caller model{kBound[random() % std::size(kBound)]};
      const std::string appended = judged(body, sent, model, model);
      CHECK(appended.find_first_of("pum") == std::string::npos);
      body["messages"][place]["content"].push_back({{"type", "text"}, {"text", "edited"}});
      const std::string edited = judged(body, sent, model, model);
      REQUIRE(edited.size() == 2 * answers.size());
      for (std::size_t i = 0; i < answers.size(); ++i) {
        CHECK(edited[2 * i + 1] == (answers[i] > place ? 'p' : 'v'));
      }
    }
  }
}
