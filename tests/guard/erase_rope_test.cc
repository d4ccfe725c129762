// Captured requests, which are ropes: a phrase takes the pieces that it touches, a commit the
// requests after it, and what other requests need stays.
#include <doctest/doctest.h>

#include "guard/erase/erasure.h"
#include "llm/sent_prompt.h"
#include "store/fsck.h"
#include "tests/guard/erase_plan.h"
#include "tests/guard/finder.h"

namespace spoor::guard {
namespace {

using compile::Turn;
using compile::Type;
using graph::Repository;
using store::Oid;

const std::string kTools = "[tools that every request has]";

// A repository in which each question is followed by an answer to a captured request.
struct Captured {
  Folder folder;
  std::unique_ptr<Repository> repository = Repository::create(folder.store()).value();

  // The request is `body`; its tools, and the question in it, are pieces. Returns the answer.
  Oid ask(const std::string& question, const std::string& body) {
    const Oid asked = append(*repository, {.type = Type::user, .text = question});
    Oid bundle;
    REQUIRE(repository->transact(
        "test", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
          store::Bundle made;
          made.commit = asked;
          made.renderer = "captured/1";
          made.stored =
              TRY(draft.put_rope(compile::Slot::request, body, [&](std::string_view text) {
                std::vector<store::Cut> cuts;
                for (const std::string& each : {kTools, question}) {
                  const std::size_t at = text.find(each);
                  if (at != text.npos) cuts.push_back({at, at + each.size()});
                }
                return cuts;
              }));
          bundle = TRY(draft.put_bundle(made, body, false));
          Turn answer{.type = Type::assistant, .text = "an answer"};
          answer.prompt = bundle;
          TRY(draft.append("refs/heads/main", answer));
          return {};
        }));
    bundles.push_back(bundle);
    return repository->store().ref("refs/heads/main").value().value();
  }

  llm::SentPrompt sent(std::size_t request) const {
    return llm::sent_bundle(*repository, bundles[request]).value();
  }

  void erase_all(const ErasurePlan& plan) {
    REQUIRE(erase(*repository, plan, "asked for", {}));
    REQUIRE(finish_erasure(*repository));
    CHECK(store::fsck(repository->store()).value().is_sound());
  }

  bool is_in_a_file(const std::string& text) const {
    for (const auto& entry : fs::recursive_directory_iterator(folder.path)) {
      if (entry.is_regular_file() && bytes_of(entry.path()).find(text) != std::string::npos) {
        return true;
      }
    }
    return false;
  }

  std::vector<Oid> bundles;
};

using Withheld = llm::SentPrompt::Withheld;
using Verdict = llm::SentPrompt::Verdict;

}  // namespace

TEST_SUITE("guard/erase/rope") {
  TEST_CASE("a captured request is what was sent, byte for byte") {
    Captured captured;
    captured.ask("What is new?", kTools + "What is new?}");
    CHECK(captured.sent(0).verdict == Verdict::verified);
    CHECK(captured.sent(0).body == kTools + "What is new?}");
    CHECK(captured.sent(0).was_stored);
  }

  TEST_CASE("a phrase takes the piece that has it, and the pieces that it runs over") {
    Captured captured;
    captured.ask("the number is 0815-4711", kTools + "the number is 0815-4711}");
    captured.ask("say it again", kTools + "number 08" + "say it again" + "15-4711 }");
    captured.ask("and something else", kTools + "and something else" + "}");

    // Not in one piece of the second request: it is cut before and behind the question.
    const auto plan = plan_phrase_erasure(*captured.repository, "number 08say it again15").value();
    captured.erase_all(plan);
    CHECK(captured.sent(0).verdict == Verdict::verified);
    CHECK(captured.sent(1).withheld == Withheld::erased);
    CHECK(captured.sent(2).verdict == Verdict::verified);
    CHECK(plan_phrase_erasure(*captured.repository, "number 08say it again15").value().is_empty());

    const auto again = plan_phrase_erasure(*captured.repository, "0815-4711").value();
    captured.erase_all(again);
    CHECK(captured.sent(0).withheld == Withheld::erased);
    CHECK(captured.sent(2).verdict == Verdict::verified);
    CHECK_FALSE(captured.is_in_a_file("0815-4711"));
    CHECK(plan_phrase_erasure(*captured.repository, "0815-4711").value().is_empty());
  }

  TEST_CASE("a phrase is found in a response that was streamed in pieces") {
    Captured captured;
    const Oid answer = captured.ask("a question", kTools + "a question}");
    compile::Turn note{.type = Type::note, .text = "{}", .media_type = "application/json"};
    note.about = {answer};
    note.attach = {
        {"event: a\ndata: {\"text\":\"The number is 08\"}\n\n"
         "event: a\ndata: {\"text\":\"15-4711, keep it.\"}\n\n",
         "text/event-stream"}};
    append(*captured.repository, note, "refs/captures/agent/1");
    captured.erase_all(plan_phrase_erasure(*captured.repository, "0815-4711").value());
    CHECK_FALSE(captured.is_in_a_file("15-4711, keep"));
    CHECK(plan_phrase_erasure(*captured.repository, "0815-4711").value().is_empty());
  }

  TEST_CASE("a commit takes the requests after it, and nothing that one before it needs") {
    Captured captured;
    captured.ask("the first question", kTools + "the first question}");
    captured.ask("my door code is 90125", kTools + "the first question, my door code is 90125}");
    const Oid named =
        captured.repository->reader()
            .commit(captured.repository->store().ref("refs/heads/main").value().value())
            .value()
            ->parents[0];
    captured.ask("a third", kTools + "the first question, my door code is 90125, a third}");

    captured.erase_all(plan_erasure(*captured.repository, std::array{named}).value());
    CHECK(captured.sent(0).verdict == Verdict::verified);
    CHECK(captured.sent(1).withheld == Withheld::erased);
    CHECK(captured.sent(2).withheld == Withheld::erased);
    CHECK_FALSE(captured.is_in_a_file("90125"));
  }
}

}  // namespace spoor::guard
