// How far an erasure reaches: everything that tells the text, and nobody who does not.
#include <algorithm>
#include <array>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "agent/record/recording.h"
#include "base/json/writer.h"
#include "guard/erase/erasure.h"
#include "guard/erase/text_forms.h"
#include "store/fsck.h"
#include "tests/guard/corpus.h"
#include "tests/guard/erase_plan.h"

namespace spoor::guard {
namespace {

using compile::Turn;
using compile::Type;
using graph::Draft;
using graph::Repository;
using store::Oid;
using Code = Error::Code;

const std::string kMain = "refs/heads/main";
const std::string kSecret = "The code of the safe is 7-19-33, and it is behind the blue door.";

struct Store {
  std::unique_ptr<Repository> repository = Repository::in_memory();

  Oid add(const Turn& turn, const std::string& ref = kMain) {
    return append(*repository, turn, ref);
  }
  Oid user(const std::string& text) { return add({.type = Type::user, .text = text}); }
  Oid edit(const Oid& target, const std::string& text) {
    Oid made;
    const auto write = [&](Draft& draft) -> Result<void> {
      made = TRY(draft.edit(kMain, target, {.text = text}, {}));
      return {};
    };
    REQUIRE(repository->transact("test", graph::OnConflict::fail, write));
    return made;
  }
  Oid note(const std::string& text) {
    return add({.type = Type::note, .text = text}, "refs/sources/tool/1");
  }
  std::string text_of(const Oid& commit) const {
    return graph::read_turn(repository->reader(), commit).value().text;
  }
  ErasurePlan plan(const Oid& commit) const {
    return plan_erasure(*repository, std::array{commit}).value();
  }
  void erase(const Oid& commit) {
    REQUIRE(guard::erase(*repository, plan(commit), "why", std::string(32, 'k')));
    CHECK(store::fsck(repository->store()).value().is_sound());
  }
};

// As programs for mail and keys write it: lines of `width`, each with `indent` before it.
std::string broken_base64(const std::string& text, std::size_t width, const std::string& end,
                          const std::string& indent) {
  const std::string coded = base64_of(text);
  std::string out;
  for (std::size_t at = 0; at < coded.size(); at += width) {
    out += indent + coded.substr(at, width) + end;
  }
  return out;
}

}  // namespace

TEST_SUITE("guard/erase reach") {
  TEST_CASE("base64 is found when it is broken into lines, and lines whatever ends them") {
    LiteralFinder finder;
    REQUIRE(finder.add(kSecret + "\nSecond line.\n"));
    const std::string text = kSecret + "\nSecond line.\n";
    const std::string other = kSecret + "\r\nSecond line.\r\n";
    CHECK(finder.is_in("a\r\n" + other));
    CHECK(finder.is_in(json::write_string(other)));
    for (std::size_t shift = 0; shift < 3; ++shift) {
      for (const std::string& said : {text, other}) {
        const std::string coded = std::string(shift, '?') + said;
        CHECK(finder.is_in("data: " + base64_of(coded)));
        CHECK(finder.is_in("data:\n" + broken_base64(coded, 64, "\n", "")));
        CHECK(finder.is_in("data:\r\n" + broken_base64(coded, 76, "\r\n", "")));
        CHECK(finder.is_in("data: |\n" + broken_base64(coded, 20, "\n", "    ")));
        CHECK(finder.is_in(json::write_string(broken_base64(coded, 64, "\n", ""))));
      }
    }
    CHECK_FALSE(finder.is_in(broken_base64(kSecret.substr(9), 64, "\n", "")));
    LiteralFinder with_crlf;
    REQUIRE(with_crlf.add(other));
    CHECK(with_crlf.is_in(text));
  }

  TEST_CASE("parts that two long texts share stay with the one that stays") {
    Store store;
    std::string shared(600'000, 'a');
    for (std::size_t i = 0; i < shared.size(); i += 91) shared[i] = static_cast<char>('b' + i % 19);
    const std::string kept = shared + std::string(600'000, 'k');
    const Oid first = store.user(shared + std::string(600'000, 's'));
    const Oid second = store.user(kept);
    CHECK(why(store.plan(first), second).empty());
    store.erase(first);
    CHECK(store.text_of(first) == "[erased: why]");
    CHECK(store.text_of(second) == kept);
    store.erase(second);
    CHECK(store.text_of(second) == "[erased: why]");
    // No part of either is left.
    std::size_t large = 0;
    REQUIRE(store.repository->store().scan([&](const store::StoredObject& stored) {
      if (stored.object.body.size() > 100'000) ++large;
      return true;
    }));
    CHECK(large == 0);
  }

  TEST_CASE("what an edit says is not the secret: others who say it keep it, and what is theirs") {
    Store store;
    const Oid other = store.user("please go on with it");
    const Oid other_edit = store.edit(other, "please go on with the other thing");
    const Oid secret = store.user(kSecret);
    const Oid edit = store.edit(secret, "please go on with it");
    const Oid short_edit = store.edit(secret, "ok");
    const Oid ok = store.user("ok");
    const auto plan = store.plan(secret);
    CHECK(why(plan, secret) == "named");
    for (const Oid& each : {other, other_edit, edit, short_edit, ok})
      CHECK(why(plan, each).empty());
    store.erase(secret);
    CHECK(store.text_of(other) == "please go on with it");
    CHECK(store.text_of(other_edit) == "please go on with the other thing");
    CHECK(store.text_of(ok) == "ok");
  }

  TEST_CASE("the words of an edit that goes are looked for elsewhere, too") {
    Store store;
    const Oid secret = store.user(kSecret);
    const Oid edit = store.edit(secret, "Dial seven, nineteen, thirty-three.");
    const Oid quote = store.user("As I said: Dial seven, nineteen, thirty-three. Understood?");
    const auto plan = store.plan(secret);
    CHECK(why(plan, edit) == "edit");
    CHECK(why(plan, quote) == "holds");
  }

  TEST_CASE("records of a session go with the turn and the call that they are of") {
    Store store;
    Turn result{.type = Type::tool, .text = "total 3: a safe, a door, a key"};
    result.fields.call_id = "toolu_1";
    result.facts.set_text("uuid", "u-7");
    const Oid named = store.add(result);
    const Oid progress = store.note(
        R"({"type":"progress","data":{"fullOutput":"total 3"},"parentToolUseID":"toolu_1"})");
    const Oid own = store.note(R"({"type":"progress","data":{},"toolUseID":"toolu_1"})");
    const Oid source = store.note(R"({"uuid":"u-7","toolUseResult":{"plan":"three things"}})");
    const Oid other = store.note(R"({"uuid":"u-8","parentUuid":"u-7","toolUseResult":"mine"})");
    const Oid item = store.note(
        R"({"type":"response_item","payload":{"type":"x_output","call_id":"toolu_1","output":"t"}})");
    const Oid another = store.note(R"({"type":"progress","toolUseID":"toolu_2"})");
    const Oid speaker =
        store.user(R"({"type":"progress","data":{"said":"by a user"},"toolUseID":"toolu_1"})");
    const auto plan = store.plan(named);
    for (const Oid& each : {progress, own, source, item}) CHECK(why(plan, each) == "about");
    for (const Oid& each : {other, another, speaker}) CHECK(why(plan, each).empty());
  }

  TEST_CASE("what a tool read is found without the numbers of its lines") {
    const std::string shown =
        "     1\u2192def open_safe(code):\n     2\u2192    return code == 71933\n";
    const std::string file = "def open_safe(code):\n    return code == 71933\n";
    CHECK(forms_of_text(shown) == std::vector<std::string>{shown, file});
    CHECK(forms_of_text(shown + "<system-reminder>be careful</system-reminder>").size() == 4);
    CHECK(forms_of_text("1\u2192") == std::vector<std::string>{"1\u2192"});
    CHECK(forms_of_text("plain") == std::vector<std::string>{"plain"});
    CHECK(forms_of_text("").empty());

    Store store;
    const Oid read = store.add({.type = Type::tool, .text = shown});
    const Oid record = store.note(
        fmt::format(R"({{"toolUseResult":{{"content":{}}}}})", json::write_string(file)));
    CHECK(why(store.plan(read), record) == "holds");
  }

  TEST_CASE("texts inside of attachments and provider's items are looked for, lines of lists not") {
    const std::string plan_text = "First open the blue door, then dial the number that I told you.";
    const std::string line = " a line of a patch that many files have in common, as it is";
    Store store;
    Turn turn{.type = Type::tool, .text = "User has approved your plan."};
    turn.attach = {{fmt::format(R"({{"plan":{},"lines":[{}],"short":"a b c"}})",
                                json::write_string(plan_text), json::write_string(line))}};
    turn.raw = {{fmt::format(R"({{"encrypted":{}}})", json::write_string(kSecret))}};
    const Oid named = store.add(turn);
    const Oid of_plan = store.user("> " + plan_text);
    const Oid of_raw = store.user("> " + kSecret);
    const Oid of_line = store.user(">" + line);
    const auto plan = store.plan(named);
    CHECK(why(plan, of_plan) == "holds");
    CHECK(why(plan, of_raw) == "holds");
    CHECK(why(plan, of_line).empty());
  }

  TEST_CASE("a judgement of what is erased keeps no words, wherever it has them") {
    Store store;
    const Oid secret = store.user(kSecret);
    Turn judgement{.type = Type::note, .text = "bad"};
    judgement.about = {secret};
    judgement.attach = {{R"({"because":"it tells 7-19-33"})"}};
    judgement.raw = {{R"({"answer":"seven nineteen"})"}};
    judgement.fields.rationale = R"({"why":"7-19-33"})";
    const Oid note = store.add(judgement, "refs/notes/evaluation");
    const auto plan = store.plan(secret);
    CHECK(why(plan, note) == "about");
    store.erase(secret);
    std::size_t left = 0;
    REQUIRE(store.repository->store().scan([&](const store::StoredObject& stored) {
      for (const std::string_view word : {"7-19-33", "seven nineteen"}) {
        if (stored.object.body.find(word) != std::string::npos) ++left;
      }
      return true;
    }));
    CHECK(left == 0);
  }

  TEST_CASE("a run whose goal was erased is known, and nobody goes on with it") {
    Store store;
    Turn start{.type = Type::decision, .text = kSecret};
    start.facts.set_text("decision", "run-started");
    start.attach = {{R"({"max_turns":3})"}, {"You are an agent.", "text/plain"}};
    const Oid root = store.add(start);
    const std::string run = root.hex(16);
    REQUIRE(store.repository->transact("test", graph::OnConflict::fail, [&](Draft& draft) {
      return draft.move(agent::record::head_ref(run), root);
    }));
    const auto before = agent::record::read_header(*store.repository, run).value();
    CHECK(agent::record::check_readable(before));
    store.erase(root);
    const auto after = agent::record::read_header(*store.repository, run).value();
    const auto readable = agent::record::check_readable(after);
    REQUIRE_FALSE(readable);
    CHECK(readable.error().code == Code::denied);
    CHECK(readable.error().message.find("was erased") != std::string::npos);
  }

  TEST_CASE("the note of an erasure is not erased") {
    Store store;
    store.erase(store.user(kSecret));
    const Oid note = *store.repository->store().ref(kErasuresRef).value();
    const auto plan = plan_erasure(*store.repository, std::array{note});
    REQUIRE_FALSE(plan);
    CHECK(plan.error().code == Code::denied);
  }
}

}  // namespace spoor::guard
