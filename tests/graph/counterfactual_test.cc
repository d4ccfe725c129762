#include <doctest/doctest.h>

#include "graph/counterfactual.h"
#include "graph/repository.h"
#include "graph/rewrite.h"

using namespace spoor;
using store::Oid;

namespace {

// An answer whose bundle names `sent`.
Oid answer_to(graph::Branch& branch, const Oid& sent, const std::string& options = {}) {
  return branch
      .write("test",
             [&](graph::Draft& draft, const std::string& ref) -> spoor::Result<Oid> {
               store::Bundle bundle;
               bundle.commit = sent;
               bundle.renderer = "anthropic/1";
               if (!options.empty()) {
                 bundle.options = TRY(draft.put_content(compile::Slot::options, options));
               }
               compile::Turn turn;
               turn.type = store::Type::assistant;
               turn.text = "a";
               turn.prompt = TRY(draft.put_bundle(bundle, "{}", false));
               return draft.append(ref, turn);
             })
      .value();
}

std::optional<bool> judged(const graph::Repository& repository, const Oid& oid) {
  const auto commit = repository.reader().commit(oid).value();
  return graph::is_counterfactual(repository.reader(), repository.folder(), *commit).value();
}

}  // namespace

TEST_SUITE("graph/counterfactual") {
  TEST_CASE("an answer on the commit that was sent is as it was, its own reasoning between them") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    const Oid asked = main.user("q").value();
    main.reasoning("hm").value();
    CHECK(judged(*repository, answer_to(main, asked)) == false);
  }

  TEST_CASE("without a bundle nothing is known") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    main.user("q").value();
    CHECK(judged(*repository, main.assistant("a").value()) == std::nullopt);
  }

  TEST_CASE("what was added before the answer was written counts if the prompt shows it") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    const Oid asked = main.user("q").value();
    compile::Turn note;
    note.type = store::Type::note;
    note.text = "not in the prompt";
    main.commit(note).value();
    CHECK(judged(*repository, answer_to(main, asked)) == false);
    const Oid again = main.user("q2").value();
    main.user("and this").value();
    CHECK(judged(*repository, answer_to(main, again)) == true);
    const Oid third = main.user("q3").value();
    main.edit(third, "q3, in other words").value();
    CHECK(judged(*repository, answer_to(main, third)) == true);
  }

  TEST_CASE("prompts are compared under the version that the bundle names") {
    const auto judged_under = [](const std::string& options) {
      const auto repository = graph::Repository::in_memory();
      auto main = repository->branch("main");
      const auto say = [&](const std::string& text) {
        compile::Turn turn{.type = store::Type::assistant, .text = text};
        turn.facts.set_text("message_id", "m1");
        return main.commit(turn).value();
      };
      say("x");
      const Oid second = say("y");
      main.user("q").value();
      const Oid third = say("y");
      const Oid sent = main.annotate(third, store::Priority::skip).value();
      main.annotate(second, store::Priority::skip).value();
      main.annotate(third, store::Priority::normal).value();
      // Version 1 shows "xy" before "q", as it did; version 2 shows the other "y" after it.
      return judged(*repository, answer_to(main, sent, options));
    };
    CHECK(judged_under("") == false);
    CHECK(judged_under(R"({"version":1})") == false);
    CHECK(judged_under(R"({"version":2})") == true);
    CHECK(judged_under(R"({"version":9})") == std::nullopt);
  }

  TEST_CASE("a copy on another history is counterfactual, its original is not") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    const Oid root = main.user("base").value();
    repository->create_branch("side", root).value();
    auto side = repository->branch("side");
    const Oid asked = side.user("q").value();
    const Oid original = answer_to(side, asked);
    const Oid onto = main.user("more").value();
    repository
        ->transact("rebase", graph::OnConflict::fail,
                   [&](graph::Draft& draft) -> spoor::Result<void> {
                     TRY(graph::rebase(draft, repository->reader(), side.ref(), onto));
                     return {};
                   })
        .value();
    CHECK(judged(*repository, *side.tip().value()) == true);
    CHECK(judged(*repository, original) == false);
  }
}
