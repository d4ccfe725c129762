// A partial fold against the complete one, over random histories: a prompt that it gives is the
// same prompt, and an entry that it has is the same entry.

#include <doctest/doctest.h>

#include <array>
#include <random>

#include "compile/part_fold.h"
#include "graph/merge.h"
#include "graph/repository.h"
#include "store/ancestry.h"
#include "store/blob.h"
#include "tests/support/soak.h"

using namespace spoor;
using compile::PartOptions;
using store::Oid;
using store::Priority;
using store::Type;

namespace {

std::string some_key() { return std::string(32, 'k'); }

// A long line. How often it is directed, and whether calls and messages repeat their ids, depends
// on the seed.
class Line {
 public:
  Line(std::uint64_t seed, std::size_t turns) : engine_(spoor::testing::seeded(seed)) {
    directs_ = std::array{400, 100, 20}.at(below(3));
    users_ = std::array{8, 60, 3000}.at(below(3));
    repeats_ids_ = one_in(3);
    pins_ = std::array{3, 10, 1'000'000}.at(below(3));
    records_ = std::array{2, 30}.at(below(2));
    main_.system("You write programs.").value();
    for (std::size_t i = 0; i < turns; ++i) one_in(directs_) ? direct() : append(i);
  }

  std::size_t below(std::size_t limit) { return engine_() % limit; }
  bool one_in(std::size_t n) { return below(n) == 0; }

  graph::Repository& repository() { return *repository_; }
  graph::Branch& main() { return main_; }
  const Oid& any() { return all_[below(all_.size())]; }
  /// A commit before which little is pinned.
  const Oid& early() { return all_[below(std::min<std::size_t>(all_.size(), 300))]; }
  Oid tip() { return *main_.tip().value(); }

 private:
  std::string number(std::size_t i) { return std::to_string(repeats_ids_ ? below(5) : i); }

  void append(std::size_t i) {
    compile::Turn turn{.type = Type::assistant, .text = "turn " + std::to_string(i)};
    if (one_in(users_)) {
      turn.type = Type::user;
    } else if (!open_.empty()) {
      turn.type = Type::tool;
      turn.fields.call_id = open_.back();
      if (!one_in(40)) open_.pop_back();  // Else there is a second result.
    } else if (one_in(3)) {
      turn.type = Type::reasoning;
      turn.fields.format = "parsed";
      message_ = number(i);
    } else if (one_in(300)) {
      turn.type = Type::config;
      turn.text.clear();
      turn.fields.set = R"({"k)" + std::to_string(below(3)) + R"(":)" + std::to_string(i) + "}";
    } else if (one_in(200)) {
      turn.type = Type::system;
      if (one_in(2)) turn.fields.name = "d" + std::to_string(below(2));
    } else if (one_in(2)) {
      for (std::size_t calls = 1 + below(2); calls > 0; --calls) {
        open_.push_back("c" + number(i + calls));
        if (!turn.fields.tool_calls) turn.fields.tool_calls.emplace();
        turn.fields.tool_calls->push_back({open_.back(), "tool", "{}"});
      }
      if (one_in(30)) open_.pop_back();  // A call without a result.
    }
    const bool is_answer = turn.type == Type::assistant || turn.type == Type::reasoning;
    if (is_answer && !message_.empty() && !one_in(5)) turn.facts.set_text("message_id", message_);
    all_.push_back(main_.commit(turn).value());
    if (turn.type == Type::assistant && one_in(records_)) message_.clear();
  }

  // Directives that are refused, as a compress of what is compressed, change nothing.
  void direct() {
    if (all_.empty()) return;
    // Old turns as well as the newest, whose answers may be incomplete in a part.
    const std::size_t newest = std::min<std::size_t>(all_.size(), 20);
    const Oid target = one_in(2) ? any() : all_[all_.size() - 1 - below(newest)];
    switch (below(3)) {
      case 0:
        return static_cast<void>(main_.edit(target, "edited"));
      case 1:
        return static_cast<void>(main_.annotate(
            target, one_in(pins_) ? Priority::pinned : static_cast<Priority>(below(2))));
      default:
        break;
    }
    const std::size_t first = below(all_.size());
    const std::vector<Oid> targets(
        all_.begin() + static_cast<std::ptrdiff_t>(first),
        all_.begin() + static_cast<std::ptrdiff_t>(std::min(all_.size(), first + 1 + below(30))));
    static_cast<void>(main_.write("compress", [&](graph::Draft& draft, const std::string& ref) {
      const auto parent = draft.tip_of(ref).value();
      compile::Turn summary{.type = Type::summary, .text = "summary"};
      auto made = draft.compress_to(parent, targets, summary);
      if (made) draft.move(ref, *made).value();
      return made;
    }));
  }

  std::mt19937_64 engine_;
  std::unique_ptr<graph::Repository> repository_ =
      graph::Repository::in_memory({.cache_key = some_key});
  graph::Branch main_ = repository_->branch("main");
  std::size_t directs_ = 1;
  std::size_t users_ = 1;
  std::size_t pins_ = 1;
  std::size_t records_ = 1;  // Of a message.
  bool repeats_ids_ = false;
  std::vector<std::string> open_;
  std::string message_;
  std::vector<Oid> all_;
};

void check_same(const compile::Prompt& part, const compile::Prompt& whole) {
  CHECK(part.hash == whole.hash);
  CHECK(part.tokens == whole.tokens);
  CHECK(part.config == whole.config);
  CHECK(part.conflicts == whole.conflicts);
  CHECK(part.left_out.empty());
  REQUIRE(part.messages.size() == whole.messages.size());
  for (std::size_t i = 0; i < whole.messages.size(); ++i) {
    CHECK(part.messages[i].hash() == whole.messages[i].hash());
    CHECK(part.messages[i].text() == whole.messages[i].text());
  }
}

void check_same(const compile::Entry& part, const compile::Entry& whole) {
  CHECK(part.priority == whole.priority);
  CHECK(part.is_explicit == whole.is_explicit);
  CHECK(part.is_edited == whole.is_edited);
  CHECK(part.digest == whole.digest);
  CHECK((part.directives == nullptr) == (whole.directives == nullptr));
  if (whole.directives) CHECK(*part.directives == *whole.directives);
}

// Makes a line of commits that no draft writes.
struct Forge {
  std::unique_ptr<graph::Repository> repository =
      graph::Repository::in_memory({.cache_key = some_key});
  graph::Branch main = repository->branch("main");
  Oid tip;

  store::Commit like(const Result<Oid>& commit) {
    return *repository->reader().commit(commit.value()).value();
  }

  Oid content(std::string_view text) {
    const auto objects = store::encode_content(text, store::Salter());
    repository->store().put(objects).value();
    return objects.back().oid;
  }

  void root(store::Commit commit) {
    commit.parents.clear();
    commit.skip.reset();
    commit.depth = commit.gen = 0;
    put(commit);
  }

  /// `depth`: other than the right one.
  Oid add(store::Commit commit, std::optional<std::uint64_t> depth = {}) {
    const auto parent = repository->reader().commit(tip).value();
    commit.parents = {tip};
    commit.depth = depth.value_or(parent->depth + 1);
    commit.gen = std::max(parent->gen + 1, commit.depth);
    commit.skip.reset();
    if (commit.depth >= 2) {
      const std::uint64_t height = std::min(store::skip_height(commit.depth), parent->depth);
      const auto skip = store::ancestor_at(repository->reader(), tip, height);
      commit.skip = skip ? *skip : tip;
    }
    return put(commit);
  }

  Oid put(const store::Commit& commit) {
    const auto object = store::new_object(store::Kind::commit, store::serialize(commit).value());
    repository->store().put(std::array{object}).value();
    return tip = object.oid;
  }

  /// Compares the prompt of a part, twice, with that of the whole; returns the latter.
  compile::Prompt check_same(compile::CompileOptions options) {
    const auto whole = repository->compile(tip, options).value();
    options.lists_left_out = false;
    for (int round = 0; round < 2; ++round) {
      repository->drop_caches();
      ::check_same(repository->compile(tip, options).value(), whole);
    }
    return whole;
  }
};

}  // namespace

TEST_SUITE("compile/part_fold") {
  TEST_CASE("a prompt of a part is the prompt") {
    int known = 0;
    int asked = 0;
    for (int seed = 0; seed < spoor::testing::rounds(20); ++seed) {
      INFO("seed ", seed);
      Line line(static_cast<std::uint64_t>(seed), 3'000);
      const auto& reader = line.repository().reader();
      const store::KeptCache cache(line.repository().store(), some_key);
      const compile::LineIndex index(reader, cache);
      for (int i = 0; i < 25; ++i) {
        const Oid tip = i == 0 ? line.tip() : i < 10 ? line.early() : line.any();
        compile::CompileOptions options;
        if (line.one_in(3)) options.window = 1 + static_cast<std::int64_t>(line.below(6));
        if (!options.window || line.one_in(2)) {
          options.budget = static_cast<std::int64_t>(line.below(line.one_in(4) ? 20'000 : 500));
        }
        options.include_reasoning = line.one_in(2);
        const auto whole = line.repository().folder().at(tip).value();
        const auto expected =
            compile::select(reader, *whole, options, line.repository().counter()).value();
        options.lists_left_out = false;
        REQUIRE(compile::may_be_of_part(options));
        const PartOptions want{.newest = 1 + line.below(300)};
        const auto part = compile::fold_part(reader, index, tip, want).value();
        ++asked;
        if (!part) continue;
        const auto prompt =
            compile::select_part(reader, *part, options, line.repository().counter()).value();
        if (!prompt) continue;
        ++known;
        check_same(*prompt, expected);
      }
    }
    CHECK(known > asked / 4);  // Else it would be of no use.
  }

  TEST_CASE("an entry of a part is the entry") {
    for (int seed = 0; seed < spoor::testing::rounds(6); ++seed) {
      INFO("seed ", seed);
      Line line(static_cast<std::uint64_t>(100 + seed), 2'500);
      const auto& reader = line.repository().reader();
      const store::KeptCache cache(line.repository().store(), some_key);
      const compile::LineIndex index(reader, cache);
      for (int i = 0; i < 100; ++i) {
        const Oid tip = line.one_in(2) ? line.tip() : line.any();
        const Oid wanted = line.any();
        const auto whole = line.repository().folder().at(tip).value();
        const auto part = compile::fold_part(reader, index, tip, {.wanted = wanted}).value();
        REQUIRE(part);
        const compile::Entry* expected = whole->find(wanted);
        const compile::Entry* entry = part->find(wanted);
        REQUIRE((entry == nullptr) == (expected == nullptr));
        if (expected != nullptr) check_same(*entry, *expected);
      }
    }
  }

  TEST_CASE("without a window or a budget no part will do") {
    const auto repository = graph::Repository::in_memory({.cache_key = some_key});
    graph::Branch main = repository->branch("main");
    for (int i = 0; i < 20; ++i) main.user("turn").value();
    const auto& reader = repository->reader();
    const compile::LineIndex index(reader, repository->kept_cache());
    const compile::CompileOptions options{.lists_left_out = false};
    CHECK(!compile::may_be_of_part(options));
    const auto part = compile::fold_part(reader, index, *main.tip().value(), {.newest = 10});
    REQUIRE(part.value());
    CHECK(part.value()->entries().size() == 10);
    CHECK(!compile::select_part(reader, **part, options, repository->counter()).value());
    CHECK_THROWS(compile::select(reader, **part, options, repository->counter()).value());
  }

  TEST_CASE("a pinned result needs its call") {
    const auto repository = graph::Repository::in_memory({.cache_key = some_key});
    graph::Branch main = repository->branch("main");
    main.user("first").value();
    main.assistant("", {{"c", "tool", "{}"}}).value();
    main.user("wait").value();
    const Oid result = main.tool("found", "c", "tool").value();
    main.user("and").value();
    main.user("then").value();
    main.annotate(result, Priority::pinned).value();
    const Oid tip = *main.tip().value();
    const auto& reader = repository->reader();
    const compile::LineIndex index(reader, repository->kept_cache());
    const auto part = compile::fold_part(reader, index, tip, {.newest = 5}).value();
    REQUIRE(part);
    REQUIRE(part->find(result) != nullptr);
    for (int budget = 0; budget < 20; ++budget) {
      INFO("budget ", budget);
      const compile::CompileOptions options{.budget = budget, .lists_left_out = false};
      const auto prompt = compile::select_part(reader, *part, options, repository->counter());
      CHECK(!prompt.value());
    }
  }

  TEST_CASE("anything pinned that has calls needs their results") {
    Forge forge;
    store::Commit caller = forge.like(forge.main.system("rules"));
    caller.fields = forge.like(forge.main.assistant("", {{"c", "tool", "{}"}})).fields;
    const store::Commit result = forge.like(forge.main.tool("found", "c", "tool"));
    const store::Commit turn = forge.like(forge.main.user("turn"));
    forge.root(caller);
    forge.add(result);
    for (int i = 0; i < 900; ++i) forge.add(turn);
    const auto whole = forge.check_same({.budget = 20});
    CHECK(whole.messages.at(1).text() == "found");
  }

  TEST_CASE("a result that has calls is kept with its own") {
    Forge forge;
    const store::Commit turn = forge.like(forge.main.user("turn"));
    const store::Commit caller = forge.like(forge.main.assistant("A", {{"c", "tool", "{}"}}));
    compile::Turn both{.type = Type::tool, .text = "B"};
    both.fields.call_id = "c";
    store::Commit between = forge.like(forge.main.commit(both));
    compile::Fields fields = both.fields;
    fields.tool_calls = {{{"d", "tool", "{}"}}};
    between.fields = forge.content(compile::write_fields(fields).value());
    const store::Commit result = forge.like(forge.main.tool("C", "d", "tool"));
    store::Commit pin =
        forge.like(forge.main.annotate(*forge.main.tip().value(), Priority::pinned));
    forge.root(turn);
    forge.add(caller);
    for (int i = 0; i < 900; ++i) forge.add(turn);
    forge.add(between);
    pin.target = {forge.add(result)};
    forge.add(pin);
    for (int i = 0; i < 90; ++i) forge.add(turn);
    const auto whole = forge.check_same({.budget = 20});
    CHECK(whole.messages.at(0).text() == "A");
  }

  TEST_CASE("a commit that lies about its depth changes no prompt") {
    Forge forge;
    const store::Commit turn = forge.like(forge.main.user("turn"));
    const store::Commit rules = forge.like(forge.main.system("rules"));
    const auto setting = [&](const char* json) {
      compile::Turn config{.type = Type::config};
      config.fields.set = json;
      return forge.like(forge.main.commit(config));
    };
    const store::Commit first = setting(R"({"k":1})");
    const store::Commit second = setting(R"({"k":2})");
    forge.root(turn);
    for (int i = 0; i < 700; ++i) forge.add(turn);
    SUBCASE("none after it") {
      for (int i = 0; i < 1'300; ++i) forge.add(turn);
      forge.add(turn, 600);
    }
    SUBCASE("the newest at the end of a kept stretch") {
      for (int i = 0; i < 1'300; ++i) forge.add(turn);
      forge.add(turn, 1'023);
    }
    SUBCASE("in another order than theirs") {
      forge.add(rules, 9'000);
      forge.add(first, 800);
      forge.add(second, 750);
      for (std::uint64_t i = 0; i < 300; ++i) forge.add(turn, 900 + i);
    }
    SUBCASE("after stretches that are kept") {
      forge.check_same({.budget = 40});
      forge.add(rules, 1'023);
      for (std::uint64_t i = 1; i < 600; ++i) forge.add(turn, 1'023 + i);
    }
    forge.check_same({.budget = 40});
    forge.check_same({.window = 3});
  }

  TEST_CASE("texts that the whole does not read are no reason to refuse a part") {
    const auto repository =
        graph::Repository::in_memory({.cache_key = some_key, .limits = {.text = 10'000}});
    graph::Branch main = repository->branch("main");
    main.system("rules").value();
    for (const char letter : {'a', 'b'}) {
      const Oid large = main.user(std::string(6'000, letter)).value();
      main.annotate(large, Priority::normal).value();
    }
    for (int i = 0; i < 600; ++i) main.user("turn").value();
    for (int i = 0; i < 400; ++i) {
      main.commit(compile::Turn{.type = Type::note, .text = "note"}).value();
    }
    for (int i = 0; i < 3; ++i) main.user("last").value();
    compile::CompileOptions options{.budget = 100};
    const auto whole = main.compile(options).value();
    repository->drop_caches();
    options.lists_left_out = false;
    check_same(main.compile(options).value(), whole);
  }

  TEST_CASE("a line with a merge is folded whole") {
    Line line(8, 1'100);
    auto& repository = line.repository();
    graph::Branch side = repository.branch("side");
    side.user("aside").value();
    repository
        .transact("merge", graph::OnConflict::fail,
                  [&](graph::Draft& draft) -> Result<void> {
                    TRY(graph::merge(draft, repository.reader(), repository.folder(),
                                     line.main().ref(), *side.tip().value(), {}));
                    return {};
                  })
        .value();
    line.main().user("after it").value();
    const store::KeptCache cache(repository.store(), some_key);
    const compile::LineIndex index(repository.reader(), cache);
    CHECK(!index.needed(line.tip()).value());
    CHECK(!compile::fold_part(repository.reader(), index, line.tip(), {.newest = 2}).value());
  }
}

TEST_SUITE("compile/line_index") {
  TEST_CASE("what is kept says the same, and only under its key") {
    Line line(9, 5'000);
    auto& repository = line.repository();
    const store::KeptCache none(repository.store(), {});
    const auto expected = compile::LineIndex(repository.reader(), none).needed(line.tip()).value();
    REQUIRE(expected);
    const store::KeptCache cache(repository.store(), some_key);
    const compile::LineIndex index(repository.reader(), cache);
    CHECK(index.needed(line.tip()).value() == expected);
    CHECK(index.needed(line.tip()).value() == expected);

    // Each row is replaced by one that hides everything.
    std::size_t rows = 0;
    const auto lie = [&](const store::NamedCommit& named) {
      const std::string name = "line/2/" + named.oid.hex();
      const auto kept = repository.store().cached(name).value();
      if (!kept) return true;
      ++rows;
      CHECK(!store::KeptCache(repository.store(), [] { return std::string(32, 'x'); }).find(name));
      CHECK(cache.find(name));
      std::string forged = *kept;
      forged.resize(32 + 8 + 1 + 32);
      if (forged == *kept) forged.back() ^= 1;  // It had nothing to hide.
      repository.store().put_cached(name, forged).value();
      CHECK(!cache.find(name));
      return true;
    };
    repository.reader().run(line.tip(), 1'000'000, lie).value();
    CHECK(rows == (repository.reader().commit(line.tip()).value()->depth + 1) / 256);
    CHECK(index.needed(line.tip()).value() == expected);
  }

  TEST_CASE("a value kept under one name is not another's") {
    const auto repository = graph::Repository::in_memory();
    const store::KeptCache cache(repository->store(), some_key);
    cache.put("one", "value");
    CHECK(cache.find("one") == "value");
    repository->store().put_cached("two", *repository->store().cached("one").value()).value();
    CHECK(!cache.find("two"));
    CHECK(!store::KeptCache(repository->store(), {}).find("one"));
    const store::KeptCache short_key(repository->store(), [] { return std::string("short"); });
    CHECK(!short_key.is_usable());
    short_key.put("three", "value");
    CHECK(!repository->store().cached("three").value());
  }
}
