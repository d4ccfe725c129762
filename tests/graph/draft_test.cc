#include <doctest/doctest.h>

#include <utility>

#include "graph/repository.h"
#include "store/tag.h"

using namespace spoor;
using graph::OnConflict;
using store::Oid;
using Code = spoor::Error::Code;

namespace {

const std::string kMain = "refs/heads/main";

compile::Turn turn(std::string text, store::Type type = store::Type::user) {
  return {.type = type, .text = std::move(text)};
}

std::size_t objects_in(const graph::Repository& repository) {
  std::size_t count = 0;
  repository.store().scan([&](const store::StoredObject&) { return ++count, true; }).value();
  return count;
}

// Lets another writer in while a draft is being filled.
class Meanwhile final : public compile::Scrubber {
 public:
  mutable std::function<void()> next;

  compile::Capture capture() const override { return compile::Capture::full; }
  spoor::Result<std::string> scrub(compile::Slot, std::string bytes) const override {
    if (const auto run = std::exchange(next, nullptr)) run();
    return bytes;
  }
};

struct Race {
  std::shared_ptr<Meanwhile> meanwhile = std::make_shared<Meanwhile>();
  std::unique_ptr<graph::Repository> repository =
      graph::Repository::in_memory({.scrubber = meanwhile});
  graph::Branch main = repository->branch("main");

  // Another writer's turn comes between our next read and our write.
  void interfere(const std::string& text) {
    meanwhile->next = [this, text] { repository->branch("main").user(text).value(); };
  }
  std::vector<std::string> texts(const std::string& branch) {
    std::vector<std::string> all;
    for (const auto& message : repository->branch(branch).compile().value().messages) {
      all.push_back(message.text());
    }
    return all;
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE("graph/draft") {
  TEST_CASE("a ref is moved to a commit, or to nothing") {
    const auto repository = graph::Repository::in_memory();
    const Oid commit = repository->branch("main").user("one").value();
    const Oid text = repository->reader().commit(commit).value()->content->oid;
    const auto draft = repository->draft();
    CHECK(draft->move(kMain, text).error().code == Code::invalid);
    CHECK(draft->move(kMain, Oid{}).error().code == Code::not_found);
    CHECK(draft->move("refs/heads/other", commit).has_value());
    CHECK(draft->move(kMain, std::nullopt).has_value());
    CHECK(draft->moves().size() == 2);
  }

  TEST_CASE("only a ref under refs/tags may point at a tag object") {
    const auto repository = graph::Repository::in_memory();
    const Oid commit = repository->branch("main").user("one").value();
    const store::Tag tag{.target = commit, .name = "v1", .author = "ann", .time = {}};
    const auto object = store::new_object(store::Kind::tag, store::serialize(tag).value());
    repository->store().put(std::array{object}).value();
    const auto draft = repository->draft();
    CHECK(draft->move("refs/tags/v1", object.oid).has_value());
    CHECK(draft->move(kMain, object.oid).error().code == Code::invalid);
  }

  TEST_CASE("a malformed ref is refused before anything is added") {
    const auto repository = graph::Repository::in_memory();
    for (const std::string ref : {"main", "refs/heads/a b", "refs/heads/-x", "refs/heads/HEAD",
                                  "refs/heads/", "refs/heads/a\u00a0b", "refs/tags/x\u202e"}) {
      CAPTURE(ref);
      const auto draft = repository->draft();
      const auto made = draft->append(ref, turn("lost"));
      CHECK(made.error().code == Code::invalid);
      CHECK(!made.error().hint.empty());
      CHECK(draft->empty());
      CHECK(draft->bytes() == 0);
      draft->write("nothing").value();
    }
    CHECK(objects_in(*repository) == 0);
  }

  TEST_CASE("an op that fails adds nothing, and the ones before it stay") {
    const auto repository = graph::Repository::in_memory();
    const auto draft = repository->draft();
    const Oid first = draft->append(kMain, turn("one")).value();
    const std::size_t bytes = draft->bytes();
    compile::Turn bad = turn("two");
    bad.author = "ann";
    bad.raw.push_back({"{}", "no media type"});
    CHECK(draft->append(kMain, bad).error().code == Code::invalid);
    CHECK(draft->size() == 1);
    CHECK(draft->bytes() == bytes);
    draft->write("test").value();
    CHECK(repository->store().ref(kMain).value() == first);
    CHECK(objects_in(*repository) == 2);
  }

  TEST_CASE("a compress that names its sources outright checks each of them") {
    const auto repository = graph::Repository::in_memory();
    const Oid stranger = repository->branch("other").user("elsewhere").value();
    auto main = repository->branch("main");
    const Oid first = main.user("one").value();
    const Oid pin = main.annotate(first, store::Priority::pinned).value();
    const auto draft = repository->draft();
    const auto compress = [&](const Oid& target) {
      return draft->compress_to(pin, {first, target}, turn("both", store::Type::summary));
    };
    CHECK(compress(stranger).error().code == Code::not_found);
    CHECK(compress(Oid{}).error().code == Code::not_found);
    CHECK(compress(pin).error().code == Code::invalid);
    CHECK(draft->empty());
    CHECK(draft->compress_to(pin, {first}, turn("it", store::Type::summary)).has_value());
  }

  TEST_CASE("a summary keeps the author and time it was given") {
    const auto repository = graph::Repository::in_memory({.author = "writer"});
    const spoor::Timestamp then{1'000'000};
    const spoor::Timestamp now{2'000'000};
    compile::Turn summary = turn("short", store::Type::summary);
    summary.author = "model";
    summary.time = then;
    const auto made = [&](const graph::Signed& by, const compile::Turn& given) {
      const auto draft = repository->draft();
      draft->append(kMain, turn("long")).value();
      const Oid oid = draft->compress(kMain, {}, given, by).value().commit;
      return *repository->reader().commit(oid).value();
    };
    const auto kept = made({}, summary);
    CHECK(kept.author == "model");
    CHECK(kept.time == then);
    const auto overruled = made({.author = "ann", .time = now, .extra = {}}, summary);
    CHECK(overruled.author == "ann");
    CHECK(overruled.time == now);
    const auto own = made({}, turn("short", store::Type::summary));
    CHECK(own.author == "writer");
    CHECK(own.time.has_value());
  }

  TEST_CASE("what a dropped draft held is not compiled afterwards") {
    const auto repository = graph::Repository::in_memory();
    Oid never;
    {
      const auto draft = repository->draft();
      const Oid first = draft->append(kMain, turn("one")).value();
      never = draft->edit(kMain, first, {.text = "ONE", .tool_calls = {}}, {}).value();
      CHECK(repository->compile(never).has_value());
    }
    CHECK(repository->compile(never).error().code == Code::not_found);
  }

  TEST_CASE("a race is decided by the policy: behind the other's turn") {
    Race race;
    race.main.user("a").value();
    race.interfere("b");
    race.main.user("c").value();
    CHECK(race.texts("main") == Texts{"a", "b", "c"});
  }

  TEST_CASE("a race is decided by the policy: not at all") {
    Race race;
    race.main.on_conflict(OnConflict::fail);
    race.main.user("a").value();
    race.interfere("b");
    CHECK(race.main.user("c").error().code == Code::conflict);
    CHECK(race.texts("main") == Texts{"a", "b"});
    CHECK(race.main.user("c").has_value());  // It was read anew: nobody interfered.
    CHECK(race.texts("main") == Texts{"a", "b", "c"});
  }

  TEST_CASE("a race is decided by the policy: on a branch of one's own") {
    Race race;
    race.main.on_conflict(OnConflict::fork);
    race.main.user("a").value();
    race.repository->branch("main-2").user("taken").value();
    race.interfere("b");
    race.main.user("c").value();
    CHECK(race.main.name() == "main-3");
    CHECK(race.texts("main") == Texts{"a", "b"});
    CHECK(race.texts("main-3") == Texts{"a", "c"});
    race.main.user("d").value();
    CHECK(race.texts("main-3") == Texts{"a", "c", "d"});
  }

  TEST_CASE("what another writer wrote earlier is no race, whatever the policy") {
    for (const auto policy : {OnConflict::reparent, OnConflict::fail, OnConflict::fork}) {
      Race race;
      race.main.on_conflict(policy);
      race.main.user("a").value();
      race.repository->branch("main").user("b").value();
      race.main.user("c").value();
      CHECK(race.main.name() == "main");
      CHECK(race.texts("main") == Texts{"a", "b", "c"});
    }
  }

  TEST_CASE("a transaction forks the branches that it lost, and says which") {
    Race race;
    race.main.user("a").value();
    race.interfere("b");
    const auto written = race.repository
                             ->transact("test", OnConflict::fork,
                                        [&](graph::Draft& draft) -> spoor::Result<void> {
                                          const auto tip = TRY(draft.tip(kMain));
                                          TRY(draft.append("refs/heads/side", turn("s")));
                                          TRY(draft.append(kMain, turn("c")));
                                          TRY(draft.edit(kMain, *tip, {"A", {}}, {}));
                                          return {};
                                        })
                             .value();
    CHECK(written.forks == std::map<std::string, std::string>{{kMain, "refs/heads/main-2"}});
    CHECK(race.texts("main") == Texts{"a", "b"});
    CHECK(race.texts("main-2") == Texts{"A", "c"});
    CHECK(race.texts("side") == Texts{"s"});
  }

  TEST_CASE("a race for a tag cannot fork") {
    Race race;
    const Oid first = race.main.user("a").value();
    race.meanwhile->next = [&] { race.repository->create_tag("v1", first).value(); };
    const auto written = race.repository->transact(
        "test", OnConflict::fork, [&](graph::Draft& draft) -> spoor::Result<void> {
          TRY(draft.tip("refs/tags/v1"));
          const Oid second = TRY(draft.append(kMain, turn("b")));
          return draft.move("refs/tags/v1", second);
        });
    CHECK(written.error().code == Code::conflict);
  }

  TEST_CASE("a token limit that another handle on the store set counts at once") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    main.user("short").value();
    repository->store().set_property("token_limit", "3").value();
    CHECK(main.user("far more than three tokens").error().code == Code::denied);
    CHECK(repository->token_limit().value() == 3U);
    repository->store().set_property("token_limit", std::nullopt).value();
    CHECK(main.user("far more than three tokens").has_value());
  }

  TEST_CASE("a token limit that changes during a write is checked, and is no conflict") {
    for (const OnConflict policy : {OnConflict::fail, OnConflict::reparent, OnConflict::fork}) {
      Race race;
      race.main.user("short").value();
      int runs = 0;
      const auto append = [&](graph::Draft& draft) -> spoor::Result<void> {
        ++runs;
        TRY(draft.append(kMain, turn("far more than three tokens")));
        return {};
      };
      race.meanwhile->next = [&] { race.repository->set_token_limit(3).value(); };
      const auto refused = race.repository->transact("test", policy, append);
      CHECK(refused.error().code == Code::denied);
      CHECK(runs == 2);
      race.meanwhile->next = [&] { race.repository->set_token_limit(30).value(); };
      CHECK(race.repository->transact("test", policy, append).has_value());
      CHECK(race.texts("main") == std::vector<std::string>{"short", "far more than three tokens"});
    }
  }
}
