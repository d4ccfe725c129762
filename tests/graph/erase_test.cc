// What a draft promises of erased contents; what finds them is guard's (guard/erase).
#include <array>

#include <doctest/doctest.h>

#include "graph/repository.h"
#include "graph/undo.h"
#include "store/blob.h"
#include "store/fsck.h"

using namespace spoor;
using graph::Draft;
using graph::OnConflict;
using graph::Repository;
using spoor::Result;
using store::Oid;
using Code = spoor::Error::Code;

namespace {

constexpr const char* kNotes = "refs/notes/erasures";

Oid content_of(const Repository& repository, const Oid& commit) {
  return repository.reader().commit(commit).value()->content->oid;
}

Result<graph::Written> erase(Repository& repository, const Oid& content, const std::string& why) {
  return repository.transact(graph::kErase, OnConflict::fail, [&](Draft& draft) -> Result<void> {
    TRY(draft.erase({content}, why, {}));
    TRY(draft.append(kNotes, compile::Turn{.type = compile::Type::note, .text = "erased"}));
    return {};
  });
}

}  // namespace

TEST_SUITE("graph/erase") {
  TEST_CASE("an erased message stays in the prompt and says so; the chain is sound") {
    auto repository = Repository::in_memory();
    auto branch = repository->branch("main");
    const Oid secret = branch.user("my secret").value();
    branch.assistant("I see").value();
    const Oid before = repository->compile(branch.tip().value()).value().hash;
    REQUIRE(erase(*repository, content_of(*repository, secret), "it was mine"));
    repository->drop_caches();
    const auto prompt = branch.compile().value();
    REQUIRE(prompt.messages.size() == 2);
    CHECK(prompt.messages[0].text() == "[erased: it was mine]");
    CHECK(prompt.messages[1].text() == "I see");
    CHECK(prompt.hash == before);  // It is the same prompt: a text of it is not at hand.
    CHECK(store::fsck(repository->store()).value().is_sound());
  }

  TEST_CASE("erased calls are no calls, erased labels none") {
    auto repository = Repository::in_memory();
    auto branch = repository->branch("main");
    compile::Turn turn{.type = compile::Type::assistant, .text = "look"};
    turn.fields.tool_calls = {{"c1", "ls", R"({"path":"/home/jo"})"}};
    turn.extra.message = "about jo";
    const Oid answer = branch.commit(turn).value();
    const auto commit = repository->reader().commit(answer).value();
    REQUIRE(erase(*repository, *commit->fields, "why"));
    REQUIRE(erase(*repository, *commit->extra, "why"));
    repository->drop_caches();
    const auto read = branch.show(answer).value();
    CHECK_FALSE(read.fields.tool_calls);
    CHECK(read.extra == compile::Extra{});
    CHECK(branch.compile().value().messages[0].text() == "look");
  }

  TEST_CASE("a result whose calls were erased still has one each, without arguments") {
    auto repository = Repository::in_memory();
    auto branch = repository->branch("main");
    compile::Turn turn{.type = compile::Type::assistant, .text = "look"};
    turn.fields.tool_calls = {{"c1", "ls", R"({"path":"/home/jo"})"},
                              {"c2", "cat", R"({"path":"/home/jo/x"})"}};
    const Oid answer = branch.commit(turn).value();
    for (const auto& call : *turn.fields.tool_calls) {
      compile::Turn result{.type = compile::Type::tool, .text = "a file"};
      result.fields.call_id = call.id;
      if (call.id == "c1") result.fields.name = call.name;  // Not every source says it.
      REQUIRE(branch.commit(result));
    }
    compile::Turn stray{.type = compile::Type::tool, .text = "of nobody"};
    branch.user("go on").value();
    stray.fields.call_id = "c9";
    REQUIRE(branch.commit(stray));
    const Oid before = branch.compile().value().hash;
    const auto commit = repository->reader().commit(answer).value();
    REQUIRE(erase(*repository, *commit->fields, "why"));
    repository->drop_caches();
    const auto prompt = branch.compile().value();
    const std::vector<compile::ToolCall> expected = {{"c1", "ls", R"({"erased":true})"},
                                                     {"c2", "erased", R"({"erased":true})"}};
    CHECK(prompt.messages[0].tool_calls() == expected);
    CHECK(prompt.hash == before);
  }

  TEST_CASE("an edit whose calls were erased has none: those before it do not come back") {
    auto repository = Repository::in_memory();
    auto branch = repository->branch("main");
    compile::Turn turn{.type = compile::Type::assistant, .text = "look"};
    turn.fields.tool_calls = {{"c1", "ls", R"({"path":"/home/jo"})"}};
    const Oid answer = branch.commit(turn).value();
    REQUIRE(repository->transact("edit", OnConflict::fail, [&](Draft& draft) -> Result<void> {
      const std::vector<compile::ToolCall> calls = {{"c2", "ls", R"({"path":"/home/mo"})"}};
      TRY(draft.edit("refs/heads/main", answer, {.tool_calls = calls}, {}));
      return {};
    }));
    const auto fields = repository->reader().commit(*branch.tip().value()).value()->fields;
    CHECK(branch.compile().value().messages[0].tool_calls()[0].id == "c2");
    REQUIRE(erase(*repository, *fields, "why"));
    repository->drop_caches();
    const auto prompt = branch.compile().value();
    CHECK(prompt.messages[0].text() == "look");
    CHECK(prompt.messages[0].tool_calls().empty());
  }

  TEST_CASE("what was erased is not written again, unless by one who leaves it out") {
    auto repository = Repository::in_memory();
    auto branch = repository->branch("main");
    const Oid secret = branch.user("my secret").value();
    REQUIRE(erase(*repository, content_of(*repository, secret), "it was mine"));
    repository->drop_caches();

    const auto again = branch.user("my secret");
    REQUIRE_FALSE(again);
    CHECK(again.error().code == Code::denied);
    CHECK(again.error().message.find("it was mine") != std::string::npos);
    CHECK(branch.tip().value() == secret);

    const auto draft = repository->draft();
    draft->leave_out_erased();
    const compile::Turn turn{.type = compile::Type::user, .text = "my secret"};
    const Oid made = draft->append("refs/heads/imported", turn).value();
    CHECK(draft->left_out() == 0);
    REQUIRE(draft->write("import"));
    CHECK(draft->left_out() == 1);
    CHECK(branch.show(made).value().text == "[erased: it was mine]");
    CHECK(store::fsck(repository->store()).value().is_sound());
  }

  TEST_CASE("a content that came back another way may be written again") {
    auto repository = Repository::in_memory();
    auto branch = repository->branch("main");
    const Oid secret = branch.user("my secret").value();
    REQUIRE(erase(*repository, content_of(*repository, secret), ""));
    const auto objects = store::encode_content("my secret", store::Salter());
    REQUIRE(repository->store().put(objects));
    CHECK(branch.user("my secret"));
  }

  TEST_CASE("the reason may be neither what is erased nor endless") {
    auto repository = Repository::in_memory();
    auto branch = repository->branch("main");
    const Oid secret = branch.user("my secret").value();
    const Oid content = content_of(*repository, secret);
    CHECK(erase(*repository, content, "my secret").error().code == Code::invalid);
    CHECK(erase(*repository, content, std::string(1'001, 'x')).error().code == Code::invalid);
    CHECK(repository->store().has(std::array{content}).value()[0]);
  }

  TEST_CASE("a reason that was erased itself is refused as that") {
    auto repository = Repository::in_memory();
    auto branch = repository->branch("main");
    const Oid secret = branch.user("my secret").value();
    const Oid other = branch.user("another").value();
    const Oid content = content_of(*repository, other);
    REQUIRE(erase(*repository, content_of(*repository, secret), "it was mine"));
    const auto again = erase(*repository, content, "my secret");
    REQUIRE_FALSE(again);
    CHECK(again.error().code == Code::invalid);
    CHECK(again.error().message.find("reason") != std::string::npos);
    CHECK(repository->store().has(std::array{content}).value()[0]);
  }

  TEST_CASE("nothing takes an erasure back, nor an earlier step in its place unawares") {
    auto repository = Repository::in_memory();
    auto branch = repository->branch("main");
    const Oid secret = branch.user("my secret").value();
    const auto first = repository->store().newest_operation().value();
    const auto erased = erase(*repository, content_of(*repository, secret), "why").value();
    const auto newest = graph::step_to_undo(repository->store());
    REQUIRE_FALSE(newest);
    CHECK(newest.error().code == Code::invalid);
    CHECK(newest.error().message.find("cannot be undone") != std::string::npos);
    CHECK_FALSE(graph::step_to_undo(repository->store(), erased.operation.hex()));
    CHECK(graph::step_to_undo(repository->store(), first->name.hex()));
    branch.user("more").value();
    CHECK(graph::step_to_undo(repository->store())->command == "user");
  }
}
