#include <doctest/doctest.h>

#include "graph/repository.h"

using namespace spoor;
using compile::CompileOptions;
using store::Priority;

namespace {

std::vector<std::string> texts(const compile::Prompt& prompt) {
  std::vector<std::string> all;
  for (const auto& message : prompt.messages) all.push_back(message.text());
  return all;
}

// Lets no text through that holds a word.
class WordScrubber final : public compile::Scrubber {
 public:
  compile::Capture capture() const override { return compile::Capture::redacted; }
  spoor::Result<std::string> scrub(compile::Slot, std::string bytes) const override {
    const std::size_t at = bytes.find("hunter2");
    if (at != std::string::npos) bytes.replace(at, 7, "[REDACTED]");
    return bytes;
  }
};

}  // namespace

TEST_SUITE("graph/repository") {
  TEST_CASE("a conversation compiles to what was said, without its reasoning") {
    const auto repository = graph::Repository::in_memory();
    auto branch = repository->branch("main");
    branch.system("Be brief").value();
    branch.user("Hello").value();
    branch.reasoning("a greeting").value();
    branch.assistant("Good day").value();
    CHECK(texts(branch.compile().value()) ==
          std::vector<std::string>{"Be brief", "Hello", "Good day"});
    CHECK(texts(branch.compile({.include_reasoning = true}).value()).size() == 4);
  }

  TEST_CASE("a summary of reasoning alone is in a prompt where the reasoning would be") {
    const auto repository = graph::Repository::in_memory();
    auto branch = repository->branch("main");
    branch.user("Hello").value();
    branch.reasoning("a greeting").value();
    branch.assistant("Good day").value();
    compile::Turn summary;
    summary.text = "thoughts in short";
    compile::Oid made;
    repository
        ->transact("compress", graph::OnConflict::fail,
                   [&](graph::Draft& draft) -> spoor::Result<void> {
                     const graph::CompressRange range{.only = compile::Type::reasoning};
                     made = TRY(draft.compress(branch.ref(), range, summary, {})).commit;
                     return {};
                   })
        .value();
    CHECK(texts(branch.compile().value()) == std::vector<std::string>{"Hello", "Good day"});
    const std::vector<std::string> whole = {"Hello", "thoughts in short", "Good day"};
    CHECK(texts(branch.compile({.include_reasoning = true}).value()) == whole);
    CHECK(texts(branch.compile({.version = 1}).value()) == whole);
    branch.annotate(made, Priority::normal).value();
    CHECK(texts(branch.compile().value()) == whole);
  }

  TEST_CASE("an edit keeps the place, and an earlier commit keeps its prompt") {
    const auto repository = graph::Repository::in_memory();
    auto branch = repository->branch("main");
    const auto first = branch.user("one").value();
    const auto second = branch.assistant("two").value();
    branch.edit(first, "ONE").value();
    CHECK(texts(branch.compile().value()) == std::vector<std::string>{"ONE", "two"});
    CHECK(texts(repository->compile(second).value()) == std::vector<std::string>{"one", "two"});
  }

  TEST_CASE("a directive on what is no entry is refused, and nothing is written") {
    const auto repository = graph::Repository::in_memory();
    auto branch = repository->branch("main");
    const auto first = branch.user("one").value();
    const auto note = branch.annotate(first, Priority::pinned).value();
    CHECK(branch.edit(note, "x").error().code == spoor::Error::Code::invalid);
    CHECK(branch.tip().value() == note);
  }

  TEST_CASE("several turns are one transaction and one operation") {
    const auto repository = graph::Repository::in_memory();
    auto branch = repository->branch("main");
    const std::vector<compile::Turn> turns = {{.type = store::Type::user, .text = "q"},
                                              {.type = store::Type::assistant, .text = "a"}};
    CHECK(branch.commit(turns).value().size() == 2);
    CHECK(repository->store().operations(0, 10).value().size() == 1);
  }

  TEST_CASE("a branch that another handle moved is written behind it") {
    const auto repository = graph::Repository::in_memory();
    auto mine = repository->branch("main");
    auto other = repository->branch("main");
    mine.user("a").value();
    other.user("b").value();
    mine.user("c").value();
    CHECK(texts(mine.compile().value()) == std::vector<std::string>{"a", "b", "c"});
  }

  TEST_CASE("the scrubber sees every text before any write, and its mode is recorded") {
    const auto repository =
        graph::Repository::in_memory({.scrubber = std::make_shared<WordScrubber>()});
    auto branch = repository->branch("main");
    compile::Turn turn{.type = store::Type::assistant, .text = "the password is hunter2"};
    turn.fields.tool_calls = {{{"1", "login", R"({"password":"hunter2"})"}}};
    turn.raw.push_back({R"({"text":"hunter2"})", "application/json"});
    turn.extra.message = "logs in with hunter2";
    const auto commit = branch.commit(turn).value();
    repository->store()
        .scan([](const store::StoredObject& stored) {
          CHECK(stored.object.body.find("hunter2") == std::string::npos);
          return true;
        })
        .value();
    const auto read = graph::read_turn(repository->reader(), commit).value();
    CHECK(read.text == "the password is [REDACTED]");
    CHECK(read.facts.text("capture") == "redacted");
  }

  TEST_CASE("a commit that would bring the prompt above the token limit is denied") {
    const auto repository = graph::Repository::in_memory();
    repository->set_token_limit(2).value();
    auto branch = repository->branch("main");
    CHECK(branch.user("far more than two tokens").error().code == spoor::Error::Code::denied);
    CHECK_FALSE(branch.tip().value().has_value());
    CHECK(branch.user("short").has_value());
  }
}
