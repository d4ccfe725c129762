// What is erased is nowhere, and everything else reads on.
#include "guard/erase/erasure.h"

#include <algorithm>
#include <array>
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/json/writer.h"
#include "graph/text_search.h"
#include "llm/sent_prompt.h"
#include "store/fsck.h"
#include "store/signature.h"
#include "store/sqlite/text_index.h"
#include "store/tombstone.h"
#include "tests/guard/erase_plan.h"
#include "tests/guard/finder.h"

namespace spoor::guard {
namespace {

using compile::Turn;
using compile::Type;
using graph::Repository;
using store::Oid;
using Code = Error::Code;
using Why = Occurrence::Why;

const std::string kSecret = "The code of the safe is \"7-19-33\",\nand it is behind the blue door.";
const std::string kKey(32, 'k');

// Every form in which the secret might lie about.
std::vector<std::string> secret_forms() {
  std::vector<std::string> forms = forms_of(kSecret);
  forms.insert(forms.end(), {escaped(escaped(kSecret)), "7-19-33"});
  return forms;
}

// A secret that a user said, and everywhere it went.
struct Spread {
  Oid user, copy, edit, pinned, summary, note, answer, call, quote, record, coded, long_one;
  Oid unrelated, shared_reason;
};

// All that a ref leads to.
graph::HistoryTips everything(const Repository& repository) {
  graph::HistoryTips all;
  for (const auto& ref : repository.store().refs("refs/").value()) all.tips.push_back(ref.target);
  return all;
}

Result<Spread> spread(Repository& repository) {
  Spread made;
  const std::string main = "refs/heads/main";
  TRY(repository.transact(
      "test", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
        TRY(draft.append(main, Turn{.type = Type::system, .text = "Be brief and be kind."}));
        Turn user{.type = Type::user, .text = kSecret};
        user.raw = {
            {fmt::format(R"({{"role":"user","content":{}}})", json::write_string(kSecret))}};
        user.extra.message = "about the safe";
        user.attach = {{"a picture of the safe, and of nothing else", "image/png"}};
        made.user = TRY(draft.append(main, user));
        made.copy =
            TRY(draft.append("refs/heads/other", Turn{.type = Type::user, .text = kSecret}));
        made.pinned = TRY(draft.annotate(main, made.user, store::Priority::pinned, "the safe", {}));
        made.answer = TRY(draft.append(main, Turn{.type = Type::assistant, .text = "I see."}));
        Turn call{.type = Type::assistant, .text = "I write it down."};
        call.fields.tool_calls = {
            {"c1", "write_file",
             fmt::format(R"({{"path":"safe.txt","text":{}}})", json::write_string(kSecret))}};
        made.call = TRY(draft.append(main, call));
        Turn result{.type = Type::tool, .text = "wrote 1 file"};
        result.fields.call_id = "c1";
        result.fields.name = "write_file";
        result.attach = {{"+" + kSecret + "\n", "text/x-diff"}};
        TRY(draft.append(main, result));
        made.quote =
            TRY(draft.append(main, Turn{.type = Type::assistant, .text = "You said: " + kSecret}));
        made.edit = TRY(draft.edit(main, made.user, {.text = "The code is 7-19-33."}, {}));
        made.unrelated = TRY(draft.append(main, Turn{.type = Type::user, .text = "What now?"}));
        made.shared_reason =
            TRY(draft.annotate(main, made.unrelated, store::Priority::pinned, "important", {}));
        TRY(draft.annotate(main, made.answer, store::Priority::pinned, "important", {}));
        made.summary =
            TRY(draft.compress(main, {.from = made.call, .to = made.quote},
                               Turn{.type = Type::summary, .text = "They spoke of 7-19-33."}, {}))
                .commit;
        Turn note{.type = Type::note, .text = "a judge: it told 7-19-33"};
        note.about = {made.user};
        made.note = TRY(draft.append("refs/notes/judge", note));
        Turn record{.type = Type::note};
        record.text = fmt::format(
            R"({{"type":"queue","item":{}}})",
            json::write_string(fmt::format(R"({{"text":{}}})", json::write_string(kSecret))));
        made.record = TRY(draft.append("refs/sources/tool/1", record));
        made.coded = TRY(draft.append("refs/sources/tool/1",
                                      Turn{.type = Type::note, .text = base64_of("x" + kSecret)}));
        std::string long_text(1'500'000, 'a');
        for (std::size_t i = 0; i < long_text.size(); i += 97) long_text[i] = ' ';
        long_text.insert(262'144 - 20, kSecret);  // Over the edge of a part.
        made.long_one =
            TRY(draft.append("refs/heads/long", Turn{.type = Type::user, .text = long_text}));
        store::Bundle bundle;
        bundle.commit = made.user;
        bundle.renderer = "openai-chat/1";
        bundle.model = "m";
        Turn asked{.type = Type::assistant, .text = "An answer to a request that was kept."};
        asked.prompt = TRY(draft.put_bundle(bundle, "body: 7-19-33", true));
        TRY(draft.append(main, asked));
        TRY(draft.put_tag("v1", made.user, "when they told 7-19-33", {}));
        return {};
      }));
  return made;
}

}  // namespace

TEST_SUITE("guard/erase") {
  TEST_CASE("a text is found in whatever form it stands somewhere") {
    LiteralFinder finder;
    REQUIRE(finder.add("  " + kSecret + "\n"));
    CHECK(finder.is_in("before " + kSecret + " after"));
    CHECK(finder.is_in(escaped(kSecret)));
    CHECK(finder.is_in(escaped(escaped(escaped(kSecret)))));
    CHECK(finder.is_in(R"(The code of the safe is \u00227-19-33\u0022,\u000aand it is behind the)"
                       R"( blue door.)"));
    for (std::size_t shift = 0; shift < 5; ++shift) {
      CHECK(finder.is_in("{\"data\":\"" + base64_of(std::string(shift, '?') + kSecret + "tail") +
                         "\"}"));
    }
    CHECK_FALSE(finder.is_in(kSecret.substr(1)));
    CHECK_FALSE(finder.is_in(base64_of(kSecret.substr(3))));
    CHECK_FALSE(finder.is_in(""));
    CHECK_FALSE(finder.add("too short"));
    CHECK_FALSE(LiteralFinder().is_in("anything"));
  }

  TEST_CASE("everything that tells the text is listed, and nothing else") {
    auto repository = Repository::in_memory();
    const Spread made = spread(*repository).value();
    const auto plan = plan_erasure(*repository, std::array{made.user}).value();
    CHECK(plan.obstacles.empty());
    REQUIRE_FALSE(plan.places.empty());
    CHECK(plan.places[0].object == made.user);
    CHECK(why(plan, made.user) == "named");
    CHECK(why(plan, made.copy) == "same_text");
    CHECK(why(plan, made.edit) == "edit");
    CHECK(why(plan, made.note) == "about");
    CHECK(why(plan, made.pinned) == "about");
    CHECK(why(plan, made.quote) == "holds");
    CHECK(why(plan, made.call) == "holds");
    CHECK(why(plan, made.record) == "holds");
    CHECK(why(plan, made.coded) == "holds");
    CHECK(why(plan, made.long_one) == "holds");
    CHECK(why(plan, made.answer).empty());
    CHECK(why(plan, made.unrelated).empty());
    CHECK(why(plan, made.shared_reason).empty());
    const auto count = [&](Why reason) {
      return std::count_if(plan.places.begin(), plan.places.end(),
                           [&](const Occurrence& place) { return place.why == reason; });
    };
    CHECK(count(Why::request) == 1);
    CHECK(std::is_sorted(plan.objects.begin(), plan.objects.end()));
  }

  TEST_CASE("a summary goes with each of its sources") {
    auto repository = Repository::in_memory();
    const Spread made = spread(*repository).value();
    const auto plan = plan_erasure(*repository, std::array{made.quote}).value();
    CHECK(why(plan, made.summary) == "summary");
  }

  TEST_CASE("afterwards no form of it is in any file, and all else reads on") {
    Folder folder;
    auto repository = Repository::create(folder.store()).value();
    const Spread made = spread(*repository).value();
    {
      const auto index =
          store::TextIndex::open(store::text_index_path(folder.store()), 0600).value();
      const auto query = graph::parse_text_query("safe").value();
      CHECK_FALSE(graph::match_commits(*repository, *index, query, everything(*repository))
                      .value()
                      .empty());
    }
    const auto forms = secret_forms();
    CHECK(found_in(folder, forms).size() >= 5);  // The search finds what is there.

    const std::array named = {made.user, made.quote};  // The second for the summary made from it.
    const auto plan = plan_erasure(*repository, named).value();
    const auto erased = erase(*repository, plan, "a customer asked", kKey).value();
    CHECK(is_erasure_unfinished(*repository).value());
    REQUIRE(finish_erasure(*repository));
    CHECK_FALSE(is_erasure_unfinished(*repository).value());
    CHECK(found_in(folder, forms) == std::vector<std::string>());

    // The chain holds, and the loss is explained and signed.
    const auto report = store::fsck(repository->store()).value();
    CHECK(report.is_sound());
    CHECK(report.absent.size() == plan.objects.size());
    const auto stone = repository->store().get(std::array{erased.tombstone}).value()[0];
    const auto read = store::parse_tombstone(stone->body).value();
    CHECK(read.erased == plan.objects);
    const auto attest = repository->store().get(std::array{*erased.attest}).value()[0];
    const auto signature = store::parse_attest(attest->body).value();
    CHECK(signature.target == erased.tombstone);
    CHECK(store::is_genuine(signature));

    // A prompt still compiles, in this process and in the next.
    for (int round = 0; round < 2; ++round) {
      const auto prompt = repository->branch("main").compile().value();
      CHECK(prompt.messages[0].text() == "Be brief and be kind.");
      CHECK(prompt.messages[1].text() == "[erased: a customer asked]");
      CHECK(prompt.messages[2].text() == "I see.");
      CHECK(repository->branch("other").compile().value().messages[0].text() ==
            "[erased: a customer asked]");
      for (const Oid& each : {made.user, made.call, made.quote, made.record, made.long_one}) {
        CHECK(graph::read_turn(repository->reader(), each));
      }
      const Turn reason = graph::read_turn(repository->reader(), made.shared_reason).value();
      CHECK(reason.text == "important");
      if (round == 0) repository.reset();
      if (round == 0) repository = Repository::open(folder.store()).value();
    }
    const auto kept = repository->resolve("main").value();
    const auto sent = llm::sent_prompt(*repository, kept).value();
    CHECK(sent.verdict == llm::SentPrompt::Verdict::cannot_rebuild);
    CHECK(sent.why.find("a customer asked") != std::string::npos);

    // The index is made anew without it.
    const auto index = store::TextIndex::open(store::text_index_path(folder.store()), 0600).value();
    const auto query = graph::parse_text_query("blue").value();
    CHECK(
        graph::match_commits(*repository, *index, query, everything(*repository)).value().empty());

    // Once more there is nothing to take.
    CHECK(plan_erasure(*repository, named).value().is_empty());
  }

  TEST_CASE("a store with a key is erased likewise") {
    Folder folder;
    {
      const auto made = Repository::create(folder.store()).value();
      REQUIRE(made->store().set_property("private", "0123456789abcdef"));
    }
    Repository::Options options;
    options.blob_key = std::string(32, 'p');
    auto repository = Repository::open(folder.store(), options).value();
    const Spread made = spread(*repository).value();
    const auto plan = plan_erasure(*repository, std::array{made.user, made.quote}).value();
    REQUIRE(erase(*repository, plan, "why", ""));
    REQUIRE(finish_erasure(*repository));
    CHECK(found_in(folder, secret_forms()) == std::vector<std::string>());
    CHECK(store::fsck(repository->store()).value().is_sound());
  }

  TEST_CASE("what cannot be changed stands in the way, and nothing is taken") {
    auto repository = Repository::in_memory();
    Turn turn{.type = Type::user, .text = "somebody-with-a-long-name"};
    turn.author = "somebody-with-a-long-name";
    const Oid oid = repository->branch("main").commit(turn).value();
    const auto plan = plan_erasure(*repository, std::array{oid}).value();
    REQUIRE(plan.obstacles.size() == 1);
    CHECK(plan.obstacles[0].where == "commit " + oid.hex(12));
    CHECK(erase(*repository, plan, "why", kKey).error().code == Code::denied);
    CHECK(repository->branch("main").show(oid).value().text == "somebody-with-a-long-name");
  }

  TEST_CASE("what another adds meanwhile is not overlooked") {
    auto repository = Repository::in_memory();
    const Oid first = repository->branch("main").user(kSecret).value();
    const auto plan = plan_erasure(*repository, std::array{first}).value();
    repository->branch("main").user("He said: " + kSecret).value();
    CHECK(erase(*repository, plan, "why", kKey).error().code == Code::conflict);
    const auto again = plan_erasure(*repository, std::array{first}).value();
    CHECK(erase(*repository, again, "why", kKey));
  }

  TEST_CASE("a reason is needed, and may not tell the text") {
    auto repository = Repository::in_memory();
    const Oid first = repository->branch("main").user(kSecret).value();
    const auto plan = plan_erasure(*repository, std::array{first}).value();
    CHECK(erase(*repository, plan, "", kKey).error().code == Code::invalid);
    CHECK(erase(*repository, plan, "He said: " + kSecret, kKey).error().code == Code::invalid);
  }

  TEST_CASE("a process that is killed has erased all or nothing, and the next one finishes") {
    int before = 0;
    int after = 0;
    int torn = 0;
    constexpr int kRounds = 40;
    for (int round = 0; round < kRounds; ++round) {
      CAPTURE(round);
      Folder folder;
      Oid user;
      {
        auto repository = Repository::create(folder.store()).value();
        for (int i = 0; i < 60; ++i) {
          repository->branch("main").user(fmt::format("{} {}", i, std::string(2'000, 'x'))).value();
        }
        user = spread(*repository).value().user;
      }
      const pid_t child = ::fork();
      REQUIRE(child >= 0);
      if (child == 0) {
        auto repository = Repository::open(folder.store()).value();
        const auto plan = plan_erasure(*repository, std::array{user}).value();
        (void)erase(*repository, plan, "why", kKey);
        (void)finish_erasure(*repository);
        ::_exit(0);
      }
      // The first has no time at all, the last all of it; between them it is as it comes.
      if (round > 0) ::usleep(static_cast<useconds_t>(2'000 + 2'500 * round));
      if (round + 1 < kRounds) ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);

      auto repository = Repository::open(folder.store()).value();
      CHECK(store::fsck(repository->store()).value().is_sound());
      const auto plan = plan_erasure(*repository, std::array{user}).value();
      if (plan.is_empty()) {
        ++after;
        if (is_erasure_unfinished(*repository).value()) ++torn;
      } else {
        ++before;
        CHECK(repository->branch("main").show(user).value().text == kSecret);
        REQUIRE(erase(*repository, plan, "why", kKey));
      }
      REQUIRE(finish_erasure(*repository));
      auto forms = secret_forms();
      std::erase(forms, "7-19-33");  // The summary of another turn still says it.
      CHECK(found_in(folder, forms) == std::vector<std::string>());
      CHECK(store::fsck(repository->store()).value().is_sound());
    }
    MESSAGE(before << " killed before, " << after << " after, " << torn << " of them in between");
    CHECK(before > 0);
    CHECK(after > 0);
  }
}

}  // namespace spoor::guard
