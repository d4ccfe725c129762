// The pieces of a conversation between stores: messages, frames, requests, questions.
#include <thread>

#include "store/ancestry.h"
#include "sync/journal.h"
#include "sync/local_link.h"
#include "sync/negotiate.h"
#include "sync/remotes.h"
#include "sync/requests.h"
#include "tests/sync/stage.h"

using namespace sync_test;

TEST_SUITE("sync/parts") {
  TEST_CASE("an error comes back as it was") {
    const Error error = conflict("'main' is elsewhere", "pull first");
    const Error read = error_of(answer_of(error));
    CHECK(read.code == error.code);
    CHECK(read.message == error.message);
    CHECK(read.hint == error.hint);
    CHECK_FALSE(error_of({"error", ""}).message.empty());
  }

  TEST_CASE("requests have one text, and no other is read") {
    const Oid one = blob("1").oid;
    const Oid two = blob("2").oid;
    const std::vector<Oid> haves = {std::min(one, two), std::max(one, two)};
    const FetchRequest fetch{.wants = {{"refs/heads/a", one}}, .haves = haves, .from = two};
    const std::string text = write(fetch);
    CHECK(write(parse_fetch(text).value()) == text);
    CHECK(transfer_name(fetch) == transfer_name(FetchRequest{fetch.wants, haves, {}}));
    const PushRequest push{.moves = {{{"refs/heads/a", one, std::nullopt}, true},
                                     {{"refs/heads/b", std::nullopt, two}, false}},
                           .haves = haves};
    CHECK(write(parse_push(write(push)).value()) == write(push));
    CHECK(push.refs() == std::vector<Ref>{{"refs/heads/b", two}});
    for (const char* bad : {"", "want refs/heads/a\n", "want refs/heads/a xyz\n", "want a 1\n",
                            "have 1\n", "move a\n"}) {
      CHECK_FALSE(parse_fetch(bad));
      CHECK_FALSE(parse_push(bad));
    }
    const std::string hex = one.hex();
    CHECK_FALSE(parse_push("move refs/heads/a - -\n"));
    CHECK_FALSE(parse_push("move refs/heads/a " + hex + " " + hex + "\n"));
    CHECK_FALSE(parse_push("move refs/heads/b - " + hex + "\nmove refs/heads/a - " + hex + "\n"));
  }

  TEST_CASE("a client with one question gets one answer, over a socket and a thread") {
    Side side;
    Server server(side.store, side.clock, {.intake = side.intake()});
    const auto link = LocalLink::open([&](const ByteSource& request, const ByteSink& answer) {
                        return server.answer(request, answer);
                      }).value();
    for (int i = 0; i < 3; ++i) {
      const auto answer = ask(*link, {"refs", ""});
      REQUIRE_MESSAGE(answer, answer.error().message);
      CHECK(answer->message.text == "refs all\n");
    }
    CHECK(ask(*link, {"nonsense", ""}).error().code == Error::Code::invalid);
    // A long request that is not read to its end does not block either side.
    const auto refused = ask(*link, {"push", "x"}, [](const ByteSink& sink) -> Result<void> {
      for (int i = 0; i < 200; ++i) TRY(sink(std::string(50'000, 'x')));
      return {};
    });
    CHECK(refused.error().code == Error::Code::invalid);
    CHECK(ask(*link, {"refs", ""}));
  }

  TEST_CASE("bytes that are no message are answered with an error") {
    Side side;
    Server server(side.store, side.clock, {.intake = side.intake()});
    for (const std::string bytes :
         {"", "GET / HTTP/1.1\n", "spoor sync 2 refs 0\n", "spoor sync 1 refs\n",
          "spoor sync 1 refs 99999999999999\n", "spoor sync 1 refs 10\nshort"}) {
      std::string_view rest = bytes;
      std::string answer;
      REQUIRE(server.answer(
          [&](std::span<char> to) -> Result<std::size_t> {
            const std::size_t count = std::min(to.size(), rest.size());
            rest.copy(to.data(), count);
            rest.remove_prefix(count);
            return count;
          },
          [&](std::string_view part) -> Result<void> {
            answer += part;
            return {};
          }));
      CHECK(answer.starts_with("spoor sync 1 error "));
    }
  }

  TEST_CASE("the journal says what moved, or everything where the log was folded") {
    Side side;
    World world;
    const Oid first = world.grow(std::nullopt, 1, "a");
    const Oid second = world.grow(first, 1, "b");
    CHECK(refs_since(side.store, std::nullopt).value() == RefNews{.is_full = true});
    side.move("refs/heads/a", first, world);
    side.move("refs/heads/b", first, world);
    const auto then = refs_since(side.store, std::nullopt).value();
    CHECK(then.is_full);
    CHECK(then.values.size() == 2);
    side.move("refs/heads/a", second, world);
    side.move("refs/heads/b", std::nullopt, world);
    side.move("refs/remotes/x/a", second, world);
    const auto now = refs_since(side.store, then.operation).value();
    CHECK_FALSE(now.is_full);
    CHECK(now.values == RefValues{{"refs/heads/a", second}, {"refs/heads/b", std::nullopt}});
    const auto again = [](const RefNews& news) {
      const std::string text = write_news(news);
      LineReader lines(text);
      return take_news(lines).value();
    };
    CHECK(again(now) == now);
    CHECK(again(then) == then);
    CHECK(refs_since(side.store, now.operation).value().values.empty());

    const auto newest = side.store.newest_operation().value();
    Operation checkpoint{.folded = newest->name, .time = at(0), .actor = "t", .command = "gc"};
    for (const auto& [name, target] : side.refs()) {
      checkpoint.refs.push_back({name, std::nullopt, target});
    }
    const std::string body = serialize(checkpoint).value();
    Sweep sweep;
    sweep.checkpoint = LoggedOperation{newest->number, operation_name(body), body};
    REQUIRE(side.store.sweep(sweep));
    CHECK(refs_since(side.store, then.operation).value().is_full);
    CHECK_FALSE(refs_since(side.store, then.operation).value().is_rewound);
    const auto lost = refs_since(side.store, blob("never an operation").oid).value();
    CHECK(lost.is_rewound);
    CHECK(again(lost) == lost);
    CHECK_FALSE(refs_since(side.store, newest->name).value().is_full);
  }

  TEST_CASE("what both have is found with few questions, however far they parted") {
    for (const int split : {0, 1, 2, 5, 100, 1'000, 4'000}) {
      CAPTURE(split);
      World world;
      const std::optional<Oid> base =
          split == 0 ? std::nullopt : std::optional(world.grow(std::nullopt, split, "base"));
      const std::set<Oid> theirs = [&] {
        std::set<Oid> all;
        for (const auto& [oid, commit] : world.commits) all.insert(oid);
        return all;
      }();
      const Oid tip = world.grow(base, 3'000, "ours");
      MemoryStore store;
      REQUIRE(store.put(world.objects));
      int questions = 0;
      const auto common = find_common(store, std::array{tip}, [&](std::span<const Oid> names) {
                            ++questions;
                            std::vector<bool> has;
                            for (const Oid& name : names) has.push_back(theirs.contains(name));
                            return Result<std::vector<bool>>(has);
                          }).value();
      CHECK(questions <= 3);
      if (split == 0) {
        CHECK(common.empty());
        continue;
      }
      REQUIRE(common.size() == 1);
      CHECK(theirs.contains(common[0]));
      const std::uint64_t depth = world.commits.at(common[0]).depth;
      CHECK(static_cast<std::uint64_t>(split) - 1 - depth <= 256);
    }
  }

  TEST_CASE("remotes are kept by name, with how far they were seen") {
    MemoryStore store;
    REQUIRE(add_remote(store, {"origin", "/a"}));
    REQUIRE(add_remote(store, {"backup", "ssh://x/b"}));
    REQUIRE(note_seen(store, "origin", {blob("1").oid, blob("2").oid, "a note\n"}));
    const auto all = known_remotes(store).value();
    REQUIRE(all.size() == 2);
    CHECK(all[0] == KnownRemote{"backup", "ssh://x/b"});
    CHECK(all[1] == KnownRemote{"origin", "/a", "", {blob("1").oid, blob("2").oid, "a note\n"}});
    CHECK(add_remote(store, {"origin", "/c"}).error().code == Error::Code::conflict);
    CHECK(add_remote(store, {"a/b", "/c"}).error().code == Error::Code::invalid);
    CHECK(add_remote(store, {"c", "x\ny"}).error().code == Error::Code::invalid);
    REQUIRE(remove_remote(store, "backup"));
    CHECK(known_remote(store, "backup").error().code == Error::Code::not_found);
  }
}
