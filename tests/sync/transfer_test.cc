// What a fetch and a push bring, with how many bytes and requests, and what is left when they are
// cut or answered with rubbish.
#include <zstd.h>

#include <atomic>
#include <fstream>
#include <random>

#include "store/archive.h"
#include "sync/journal.h"
#include "sync/local_link.h"
#include "sync/requests.h"
#include "tests/support/soak.h"
#include "tests/sync/stage.h"

using namespace sync_test;
using spoor::testing::rounds;
using spoor::testing::seeded;

namespace {

// Text of words, about as compressible as prose.
std::string prose(std::mt19937_64& random, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    // A few hundred words, of which some are frequent.
    std::uint64_t word = random() % 400;
    word = word * (random() % 400) / 400;
    text += "w" + std::to_string(word * 7919 % 10'007) + " ";
  }
  return text;
}

// Sentences of one form.
std::string made_up(std::size_t number, std::size_t size) {
  std::string text;
  for (std::size_t line = 0; text.size() < size; ++line) {
    text += "Step " + std::to_string(number) + "." + std::to_string(line) +
            ": read the file src/part" + std::to_string(number * 7 % 40) +
            ".cc and run its tests again. ";
  }
  return text.substr(0, size);
}

std::string random_text(std::mt19937_64& random, std::size_t size) {
  std::string text;
  while (text.size() < size) text += static_cast<char>(' ' + random() % 95);
  return text;
}

struct Grown {
  World world;
  std::optional<Oid> tip;
  std::mt19937_64 random{1};

  void add(int turns, std::size_t size, bool is_prose = true) {
    for (int i = 0; i < turns; ++i) {
      const std::vector<Oid> parents = tip ? std::vector{*tip} : std::vector<Oid>();
      tip = world.add(
          world.turn(parents, is_prose ? prose(random, size) : random_text(random, size)));
    }
  }
};

// Hands a whole request to a server.
std::string answer_of(Server& server, const std::string& request) {
  std::string answer;
  std::size_t done = 0;
  REQUIRE(server.answer(
      [&](std::span<char> to) -> Result<std::size_t> {
        const std::size_t count = std::min(to.size(), request.size() - done);
        request.copy(to.data(), count, done);
        done += count;
        return count;
      },
      [&](std::string_view bytes) -> Result<void> {
        answer += bytes;
        return {};
      }));
  return answer;
}

}  // namespace

TEST_SUITE("sync/transfer") {
  TEST_CASE("a fetch brings refs and objects, and the next only what moved") {
    Grown grown;
    Side one;
    Side two;
    grown.add(20, 50);
    one.move(kMain, grown.tip, grown.world);
    one.move(tag_ref("v1"), grown.tip, grown.world);
    one.move("refs/notes/judge", grown.tip, grown.world);
    one.move("refs/remotes/other/main", grown.tip, grown.world);
    one.move("refs/requests/open/x", grown.tip, grown.world);
    one.move("refs/other/x", grown.tip, grown.world);
    const auto first = fetch_all(two, one);
    REQUIRE_MESSAGE(first, first.error().message);
    CHECK(first->head == kMain);
    CHECK(first->count.commits == 20);
    CHECK(two.refs() == RefMap{{"refs/mirrors/origin/notes/judge", *grown.tip},
                               {"refs/mirrors/origin/tags/v1", *grown.tip},
                               {"refs/notes/judge", *grown.tip},
                               {"refs/remotes/origin/main", *grown.tip},
                               {"refs/tags/v1", *grown.tip}});
    CHECK(fsck(two.store).value().is_sound());
    CHECK(two.spools() == 0);

    const auto again = fetch_all(two, one, first->seen);
    REQUIRE(again);
    CHECK(again->moves.empty());
    grown.add(3, 50);
    one.move(kMain, grown.tip, grown.world);
    const auto next = fetch_all(two, one, first->seen);
    REQUIRE(next);
    CHECK(next->count.commits == 3);
    CHECK(next->moves.size() == 1);
  }

  TEST_CASE("a pull of 100 turns takes 2 requests, and little more than their objects packed") {
    // Sentences from a few words, and this project's documentation.
    std::string prose;
    for (const char* page : {"format", "capture", "providers", "importing", "rationale", "facts"}) {
      prose += read_file(std::string(SPOOR_SOURCE_DIR) + "/docs/" + page + ".md");
    }
    REQUIRE(prose.size() > 100 * 600);
    for (const bool is_prose : {false, true}) {
      CAPTURE(is_prose);
      Grown grown;
      Side one;
      Side two;
      grown.add(3'000, 60);
      one.move(kMain, grown.tip, grown.world);
      const auto first = fetch_all(two, one);
      REQUIRE(first);
      const std::size_t before = grown.world.objects.size();
      for (std::size_t i = 0; i < 100; ++i) {  // Each a commit of its own, as an agent makes them.
        const std::string text = is_prose ? prose.substr(i * 600, 600) : made_up(i, 600);
        grown.tip = grown.world.add(grown.world.turn({*grown.tip}, text));
        one.move(kMain, grown.tip, grown.world);
      }
      std::string bodies;
      for (std::size_t i = before; i < grown.world.objects.size(); ++i) {
        bodies += grown.world.objects[i].body;
      }
      std::string packed(ZSTD_compressBound(bodies.size()), ' ');
      packed.resize(ZSTD_compress(packed.data(), packed.size(), bodies.data(), bodies.size(), 3));
      CountedLink link(one);
      const auto next = fetch_all(two, link, first->seen);
      REQUIRE(next);
      CHECK(next->count.objects == 200);
      CHECK(link.trips == 2);
      const std::uint64_t bytes = link.up + link.down;
      MESSAGE("bytes: " << bytes << ", of the objects: " << packed.size());
      CHECK(static_cast<double>(bytes) <= 1.2 * static_cast<double>(packed.size()));
      if (!is_prose) CHECK(bytes <= 20'000);
    }
  }

  TEST_CASE("a store that never fetched, but has the same commits, finds them") {
    Grown grown;
    Side one;
    Side two;
    grown.add(2'000, 20);
    two.move(kMain, grown.tip, grown.world);
    const Oid split = *grown.tip;
    grown.add(50, 20);
    one.move(kMain, grown.tip, grown.world);
    grown.tip = split;
    grown.add(700, 20);
    two.move(kMain, grown.tip, grown.world);
    CountedLink link(one);
    const auto fetched = fetch_all(two, link);
    REQUIRE_MESSAGE(fetched, fetched.error().message);
    CHECK(fetched->count.commits <= 50 + 256);
    CHECK(link.trips <= 4);
  }

  TEST_CASE("a push is refused where it would not go forward, unless leased") {
    Grown grown;
    Side hub;
    Side one;
    Side two;
    grown.add(5, 20);
    const Oid base = *grown.tip;
    hub.move(kMain, grown.tip, grown.world);
    for (Side* side : {&one, &two}) {
      REQUIRE(fetch_all(*side, hub));
      side->move(kMain, base, grown.world);
    }
    grown.add(1, 20);
    const Oid ones = *grown.tip;
    one.move(kMain, ones, grown.world);
    grown.tip = base;
    grown.add(1, 20);
    const Oid twos = *grown.tip;
    two.move(kMain, twos, grown.world);
    CountedLink link(hub);
    const auto pushed = push_branch(one, link, "main");
    REQUIRE_MESSAGE(pushed, pushed.error().message);
    CHECK(pushed->count.commits == 1);
    CHECK(link.trips == 3);
    CHECK(hub.refs().at(kMain) == ones);
    CHECK(one.refs().at("refs/remotes/origin/main") == ones);

    const auto refused = push_branch(two, link, "main");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::conflict);
    CHECK(refused.error().hint.find("spoor pull") != std::string::npos);
    const auto stale = push_branch(two, link, "main", true);
    REQUIRE_FALSE(stale);
    CHECK(stale.error().hint.find("spoor fetch") != std::string::npos);
    REQUIRE(fetch_all(two, hub));
    REQUIRE(push_branch(two, link, "main", true));
    CHECK(hub.refs().at(kMain) == twos);
    CHECK(fsck(hub.store).value().is_sound());
    CHECK(push_branch(two, link, "main")->moves.empty());
  }

  TEST_CASE("a server that may not be written, or only in part, refuses by name") {
    Grown grown;
    Side hub;
    Side one;
    grown.add(2, 20);
    one.move(kMain, grown.tip, grown.world);
    CountedLink closed(hub, {.may_write = false});
    CHECK(push_branch(one, closed, "main").error().code == Error::Code::denied);
    CountedLink narrow(hub, {.prefix = "team/"});
    CHECK(push_branch(one, narrow, "main").error().code == Error::Code::denied);
    one.move(branch_ref("team/a"), grown.tip, grown.world);
    CHECK(push_branch(one, narrow, "team/a"));
    CountedLink forward(hub, {.may_force = false});
    const auto removed = push(one.store, forward, {"origin", {}},
                              {{branch_ref("team/a"), std::nullopt, true}}, one.intake(), at(0));
    CHECK(removed.error().code == Error::Code::denied);
    for (const std::string ref : {"refs/heads", "refs/headsx/a", "refs/remotes/x/main", "refs/x"}) {
      CHECK(push(one.store, forward, {"origin", {}}, {{ref, grown.tip}}, one.intake(), at(0))
                .error()
                .code == Error::Code::denied);
    }
    CHECK(hub.spools() == 0);
  }

  TEST_CASE("a name that people would take for something else is not made") {
    Grown grown;
    grown.add(2, 20);
    const std::string id = grown.tip->hex(8);
    Side hub;
    Side one;
    one.move(kMain, grown.tip, grown.world);
    REQUIRE(push_branch(one, *std::make_unique<CountedLink>(hub), "main"));
    for (const std::string& name : {id, grown.tip->hex(4), std::string("HEAD"), std::string("@")}) {
      CAPTURE(name);
      for (const std::string& ref : {tag_ref(name), branch_ref(name)}) {
        CountedLink link(hub);
        const auto pushed =
            push(one.store, link, {"origin", {}}, {{ref, grown.tip, false}}, one.intake(), at(0));
        CHECK(pushed.error().code == Error::Code::invalid);
        CHECK_FALSE(hub.store.ref(ref).value());
      }
    }
    // A server that has it all the same.
    hub.move(tag_ref(id), grown.tip, grown.world);
    hub.move(tag_ref("HEAD"), grown.tip, grown.world);
    hub.move(tag_ref("facade"), grown.tip, grown.world);  // Digits, but of nothing.
    Side two;
    const auto fetched = fetch_all(two, hub).value();
    REQUIRE(fetched.not_named.size() == 2);
    CHECK(fetched.not_named[1].first == tag_ref(id));
    CHECK_FALSE(two.store.ref(tag_ref(id)).value());
    CHECK_FALSE(two.store.ref(tag_ref("HEAD")).value());
    CHECK(two.store.ref(tag_ref("facade")).value());
  }

  TEST_CASE("a transfer stops when it is asked to, however fast the other side is") {
    Grown grown;
    grown.add(40, 1'000'000, false);
    Side hub;
    hub.move(kMain, grown.tip, grown.world);
    Server server(hub.store, hub.clock, {.intake = hub.intake()});
    Side one;
    std::atomic<int> calls = 0;
    const auto link =
        LocalLink::open([&](const ByteSource& request,
                            const ByteSink& answer) { return server.answer(request, answer); },
                        [&] { return ++calls > 20; })
            .value();
    CHECK(fetch_all(one, *link).error().code == Error::Code::interrupted);
    CHECK(one.refs().empty());
  }

  TEST_CASE("transfers that were cut are kept, but not for ever, and keep nobody out") {
    Grown grown;
    Side hub;
    Side one;
    for (int i = 0; i < 20; ++i) {
      grown.add(1, 5'000, false);
      one.move(kMain, grown.tip, grown.world);
      CountedLink cut(hub);
      cut.up_limit = 2'000;
      REQUIRE_FALSE(push_branch(one, cut, "main"));
    }
    CHECK(hub.spools() <= 16);
    CountedLink link(hub);
    CHECK(push_branch(one, link, "main"));
  }

  TEST_CASE("a transfer's file is never another one") {
    Side side;
    const std::string victim = side.folder / "victim";
    std::ofstream(victim) << "precious";
    const Oid name = blob("a transfer").oid;
    const std::string path = (side.folder / "store") + "-incoming-" + name.hex(32);
    std::filesystem::create_symlink(victim, path);
    CHECK_FALSE(Spool::open(side.folder / "store", name));
    std::filesystem::remove(path);
    std::filesystem::create_hard_link(victim, path);
    CHECK_FALSE(Spool::open(side.folder / "store", name));
    CHECK(std::filesystem::file_size(victim) == 8);
    std::filesystem::remove(path);
    CHECK(Spool::open(side.folder / "store", name));
  }

  TEST_CASE("an object that is not admitted refuses the whole push, and nothing remains") {
    Grown grown;
    Side hub;
    Side one;
    grown.add(3, 20);
    one.move(kMain, grown.tip, grown.world);
    ServerOptions options{.intake = hub.intake()};
    options.intake.admits = [](const NewObject& object) -> Result<void> {
      if (object.kind == Kind::blob) return denied("a secret in " + object.oid.hex());
      return {};
    };
    Server server(hub.store, hub.clock, options);
    const ArchiveHead head{.refs = one.store.refs(kMain).value()};
    std::string request;
    const auto sink = [&](std::string_view bytes) -> Result<void> {
      request += bytes;
      return {};
    };
    PushRequest push{.moves = {{{kMain, std::nullopt, grown.tip}, false}}};
    REQUIRE(write_message(sink, {"push", write(push)}));
    REQUIRE(write_archive(one.store, head, sink));
    const std::string answer = answer_of(server, request);
    CHECK(answer.find("a secret in") != std::string::npos);
    CHECK(hub.refs().empty());
    CHECK(hub.store.loose(0).value().empty());
    CHECK(hub.spools() == 0);
  }

  TEST_CASE("a transfer that is cut at every part goes on, and sends at most one part again") {
    Grown grown;
    grown.add(40, 1'000'000, false);  // Five parts.
    Side one;
    one.move(kMain, grown.tip, grown.world);
    std::uint64_t whole = 0;
    std::vector<std::uint64_t> ends;  // Of the pieces.
    std::uint64_t largest = 0;
    const ArchiveHead head{.refs = one.store.refs(kMain).value()};
    REQUIRE(write_archive(one.store, head, [&](std::string_view piece) -> Result<void> {
      whole += piece.size();
      largest = std::max<std::uint64_t>(largest, piece.size());
      ends.push_back(whole);
      return {};
    }));
    REQUIRE(ends.size() >= 6);
    for (const bool is_push : {false, true}) {
      CAPTURE(is_push);
      Side two;
      std::uint64_t sent = 0;
      std::size_t cuts = 0;
      for (const std::uint64_t end : ends) {
        // A little after each end: the next part has begun.
        const std::uint64_t limit = std::max<std::uint64_t>(end - sent, 0) + 100'000;
        if (end + 200'000 > whole) break;
        CountedLink link(is_push ? two : one);
        (is_push ? link.up_limit : link.down_limit) = limit;
        const auto cut = is_push ? Result<void>(push_branch(one, link, "main").error())
                                 : Result<void>(fetch_all(two, link).error());
        CHECK(cut.error().code == Error::Code::unavailable);
        CHECK(two.refs().empty());
        CHECK(two.store.loose(0).value().empty());
        CHECK(two.spools() == 1);
        sent = end;
        ++cuts;
      }
      CHECK(cuts >= 4);
      CountedLink link(is_push ? two : one);
      if (is_push) {
        REQUIRE(push_branch(one, link, "main"));
      } else {
        REQUIRE(fetch_all(two, link));
      }
      CHECK((is_push ? link.up : link.down) <= whole - sent + largest + 2'000);
      CHECK(two.spools() == 0);
      CHECK(fsck(two.store).value().is_sound());
      CHECK(two.store.has(std::array{*grown.tip}).value()[0]);
    }
  }

  TEST_CASE("a fetch that is cut goes on although the other store moves meanwhile") {
    Grown grown;
    grown.add(40, 1'000'000, false);
    Side hub;
    hub.move(kMain, grown.tip, grown.world);
    hub.move(branch_ref("other"), grown.tip, grown.world);
    Side one;
    std::uint64_t bytes = 0;
    for (int i = 0; i < 4; ++i) {
      CountedLink link(hub);
      link.down_limit = 9'000'000;
      CHECK(fetch_all(one, link).error().code == Error::Code::unavailable);
      bytes += link.down;
      CHECK(one.spools() == 1);
      grown.add(1, 100);
      hub.move(kMain, grown.tip, grown.world);
    }
    CountedLink link(hub);
    const auto fetched = fetch_all(one, link);
    REQUIRE_MESSAGE(fetched, fetched.error().message);
    CHECK(one.store.ref(tracking_ref("origin", kMain)).value() == grown.tip);
    CHECK(bytes + link.down < 48'000'000);
    CHECK(one.spools() == 0);
    for (const RefMove& move : fetched->moves) CHECK_FALSE(move.before);
    CHECK(fetched->moves.size() == 2);
    CHECK(fetched->count.commits == 44);
    CHECK(fsck(one.store).value().is_sound());
  }

  TEST_CASE("a transfer begins anew if the other store has something else now") {
    Grown grown;
    grown.add(20, 1'000'000, false);
    Side one;
    one.move(kMain, grown.tip, grown.world);
    Side two;
    {
      CountedLink link(one);
      link.down_limit = 12'000'000;
      REQUIRE_FALSE(fetch_all(two, link));
    }
    // An erasure there: the archive of the same refs has other parts.
    const std::string erased = random_text(grown.random, 10);
    one.erase(erased);
    const auto fetched = fetch_all(two, one);
    REQUIRE_MESSAGE(fetched, fetched.error().message);
    CHECK(fsck(two.store).value().is_sound());
  }

  TEST_CASE("contents that the receiver erased stay erased") {
    World world;
    const Oid root = world.add(world.turn({}, "secret"));
    const Oid tip = world.add(world.turn({root}, "more"));
    Side one;
    Side two;
    one.move(kMain, tip, world);
    REQUIRE(fetch_all(two, one));
    two.erase("secret");
    const Oid again = world.add(world.turn({tip}, "secret"));
    one.move(branch_ref("again"), again, world);
    const auto fetched = fetch_all(two, one);
    REQUIRE_MESSAGE(fetched, fetched.error().message);
    CHECK_FALSE(two.store.has(std::array{blob("secret").oid}).value()[0]);
    CHECK(fsck(two.store).value().is_sound());
    // Its tombstone goes the other way, and obliges nobody.
    World more;
    two.move(branch_ref("more"), more.add(more.turn({}, "later")), more);
    REQUIRE(fetch_all(one, two));
    CHECK(one.store.find("", Kind::tombstone, 2).value().size() == 1);
    CHECK(one.store.has(std::array{blob("secret").oid}).value()[0]);
  }

  TEST_CASE("mutated answers and requests move no ref, and nothing remains") {
    Grown grown;
    grown.add(5, 40);
    Side one;
    one.move(kMain, grown.tip, grown.world);
    std::mt19937_64 random(seeded(3));
    const auto mutate = [&](std::string& bytes) {
      if (bytes.empty()) return;
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1U << random() % 8));
          break;
        case 1:
          bytes.erase(at, 1 + random() % 40);
          break;
        case 2:
          bytes.insert(at, bytes.substr(random() % bytes.size(), 1 + random() % 40));
          break;
        default:
          bytes.resize(at);
      }
    };
    int taken = 0;
    for (int i = 0; i < rounds(300); ++i) {
      CAPTURE(i);
      Side two;
      CountedLink link(one);
      const int which = static_cast<int>(random() % 2);
      int answers = 0;
      link.change = [&](std::string& answer) {
        if (answers++ == which) mutate(answer);
      };
      const auto fetched = fetch_all(two, link);
      if (fetched) {  // It was in a part that does not count, such as the hint where to begin.
        ++taken;
        CHECK(fsck(two.store).value().is_sound());
        continue;
      }
      CHECK_FALSE(fetched.error().message.empty());
      CHECK(two.refs().empty());
      CHECK(two.store.loose(0).value().empty());
      CHECK(two.spools() <= 1);  // Whole parts of it, for a week.
    }
    CHECK(taken < rounds(300) / 4);

    // The same in the other direction.
    std::string sound;
    PushRequest push{.moves = {{{kMain, std::nullopt, grown.tip}, false}}};
    const auto sink = [&](std::string_view bytes) -> Result<void> {
      sound += bytes;
      return {};
    };
    REQUIRE(write_message(sink, {"push", write(push)}));
    REQUIRE(write_archive(one.store, {.refs = push.refs()}, sink));
    for (int i = 0; i < rounds(300); ++i) {
      CAPTURE(i);
      std::string request = sound;
      mutate(request);
      Side two;
      Server server(two.store, two.clock, {.intake = two.intake()});
      const std::string answer = answer_of(server, request);
      CHECK(answer.starts_with("spoor sync 1 "));
      if (answer.starts_with("spoor sync 1 ok ")) {
        CHECK(fsck(two.store).value().is_sound());
        continue;
      }
      CHECK(two.refs().empty());
      CHECK(two.store.loose(0).value().empty());
      CHECK(two.spools() <= 1);
    }
  }
}
