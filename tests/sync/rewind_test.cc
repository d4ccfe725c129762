// A store that lost what others saw of it, by a backup or on purpose, is named.
#include "proof/note.h"
#include "store/gc.h"
#include "store/sha256.h"
#include "sync/remote_log.h"
#include "tests/sync/stage.h"

using namespace sync_test;
using proof::Note;
using proof::VerifierKey;

namespace {

const std::string kSecret(sha256("the key of a log").view());

VerifierKey verifier() {
  return {"spoor/log", VerifierKey::Signs::notes, public_key_of(kSecret).value()};
}

// Signs the log as it is, and keeps the note in the store, as 'spoor checkpoint' does.
void sign(Side& side, const std::string& origin = "spoor/log") {
  const std::string text = serialize(proof::read_log_tree(side.store).value().head(origin));
  const Note note{text, {proof::sign_note(text, "spoor/log", kSecret).value()}};
  REQUIRE(side.store.set_property(proof::kKeptCheckpoint, serialize(note)));
}

// Moves main on by some turns, each an operation.
struct Growing {
  World world;
  std::optional<Oid> tip;

  void grow(Side& side, int turns, const std::string& text) {
    for (int i = 0; i < turns; ++i) {
      tip = world.grow(tip, 1, text + std::to_string(i));
      side.move(branch_ref("main"), tip, world);
    }
  }
};

void fold(Side& side) {
  GcOptions options;
  options.keep_since = at(1'000'000);
  options.actor = "tester";
  REQUIRE(collect_garbage(side.store, options));
}

KnownRemote remote_with(const Seen& seen, const std::string& key = "") {
  return {"origin", "/x", key, seen};
}

// Fetches into a new store, as one who has seen `seen`.
Result<Fetched> fetch_as(Side& from, const Seen& seen, const std::string& key = "",
                         bool accepts_rewind = false) {
  Side here;
  CountedLink link(from);
  return fetch(here.store, link, remote_with(seen, key), here.intake(), at(0), accepts_rewind);
}

}  // namespace

TEST_SUITE("sync/rewind") {
  TEST_CASE("a store that was restored from a backup is named, and taken only when asked to") {
    Side hub;
    Side backup;
    Growing both;
    both.grow(hub, 3, "turn");
    both.tip.reset();
    both.grow(backup, 3, "turn");
    const Seen before = fetch_as(hub, {}).value().seen;
    both.grow(hub, 1, "lost");
    const Seen seen = fetch_as(hub, before).value().seen;
    REQUIRE(seen.operation != before.operation);
    CHECK(fetch_as(hub, seen));

    const auto refused = fetch_as(backup, seen);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::conflict);
    CHECK(refused.error().message.find(seen.operation->hex(12)) != std::string::npos);
    Side here;
    here.move(branch_ref("main"), both.tip, both.world);
    CountedLink link(backup);
    CHECK(push(here.store, link, remote_with(seen), {{branch_ref("mine"), both.tip, false}},
               here.intake(), at(0))
              .error()
              .code == Error::Code::conflict);
    const Seen now = fetch_as(backup, seen, "", true).value().seen;
    CHECK(now == before);
  }

  TEST_CASE("a store that lost a push is named, though nothing was fetched since") {
    Side hub;
    Side backup;
    Growing both;
    both.grow(hub, 2, "turn");
    both.tip.reset();
    both.grow(backup, 2, "turn");
    Side here;
    KnownRemote remote = remote_with(fetch_all(here, hub).value().seen);
    here.move(branch_ref("main"), both.tip, both.world);
    both.grow(here, 1, "pushed");
    CountedLink link(hub);
    const auto pushed = push(here.store, link, remote, {{branch_ref("main"), both.tip, false}},
                             here.intake(), at(0));
    REQUIRE_MESSAGE(pushed, pushed.error().message);
    remote.seen = pushed->seen;
    REQUIRE(remote.seen.pushed);
    CHECK(fetch_as(hub, remote.seen).value().seen.pushed == std::nullopt);
    CHECK(fetch_as(backup, remote.seen).error().code == Error::Code::conflict);
    CHECK(fetch_as(backup, remote.seen, "", true));
    fold(hub);
    CHECK(fetch_as(hub, remote.seen));
  }

  TEST_CASE("a log that was folded is still the same one") {
    Side hub;
    Growing turns;
    turns.grow(hub, 5, "a");
    Seen seen = fetch_as(hub, {}).value().seen;
    for (int i = 0; i < 3; ++i) {
      fold(hub);
      const auto again = fetch_as(hub, seen);
      REQUIRE_MESSAGE(again, again.error().message);
      CHECK(again->seen == seen);  // gc is not a change of refs.
      turns.grow(hub, 2, "after " + std::to_string(i));
      seen = fetch_as(hub, seen).value().seen;
    }
  }

  TEST_CASE("a signed log is verified to begin with the one that is remembered") {
    Side hub;
    Growing turns;
    turns.grow(hub, 5, "a");
    CHECK(fetch_as(hub, {}).value().seen.checkpoint.empty());
    sign(hub);
    const std::string key = serialize(verifier());
    Seen seen = fetch_as(hub, {}, key).value().seen;
    CHECK(remembered_size(remote_with(seen)) == 5);
    for (int i = 0; i < 20; ++i) {
      turns.grow(hub, i % 3 + 1, "b" + std::to_string(i));
      if (i == 10) fold(hub);
      sign(hub);
      const auto next = fetch_as(hub, seen, key);
      REQUIRE_MESSAGE(next, next.error().message);
      CHECK(remembered_size(remote_with(next->seen)) > remembered_size(remote_with(seen)));
      seen = next->seen;
    }
    CHECK(fetch_as(hub, seen, key));

    VerifierKey other = verifier();
    other.key = public_key_of(std::string(sha256("another key").view())).value();
    CHECK(fetch_as(hub, seen, serialize(other)).error().code == Error::Code::denied);
    CHECK(fetch_as(hub, seen, serialize(other), true).error().code == Error::Code::denied);

    // Other logs under the same name: longer, equally long, shorter.
    for (const int length : {80, 45, 20}) {
      CAPTURE(length);
      Side rewritten;
      Growing others;
      others.grow(rewritten, length, "other");
      sign(rewritten);
      const Seen only_note{std::nullopt, {}, seen.checkpoint};
      CHECK(fetch_as(rewritten, only_note, key).error().code == Error::Code::conflict);
      CHECK(fetch_as(rewritten, only_note, key, true));
    }
    Side unsigned_log;
    Growing others;
    others.grow(unsigned_log, 80, "other");
    CHECK(fetch_as(unsigned_log, {std::nullopt, {}, seen.checkpoint}).error().code ==
          Error::Code::conflict);
    CHECK(fetch_as(unsigned_log, {}, key).error().code == Error::Code::denied);
    CHECK(fetch_as(unsigned_log, {}));
    sign(hub, "spoor/another");
    CHECK(fetch_as(hub, seen).error().code == Error::Code::conflict);
  }

  TEST_CASE("a proof that was changed shows nothing") {
    Side hub;
    Growing turns;
    turns.grow(hub, 13, "a");
    sign(hub);
    const KnownRemote remote =
        remote_with({std::nullopt, {}, log_news(hub.store, 0).value().checkpoint});
    turns.grow(hub, 9, "b");
    sign(hub);
    const LogNews news = log_news(hub.store, 13).value();
    REQUIRE(news.consistency.size() > 2);
    CHECK(contradiction(remote, news).empty());
    const std::string text = write_log_news(news) + "end x\n";
    LineReader lines(text);
    CHECK(take_log_news(lines).value() == news);
    for (std::size_t i = 0; i < news.consistency.size(); ++i) {
      LogNews changed = news;
      changed.consistency[i] = blob("other").oid;
      CHECK_FALSE(contradiction(remote, changed).empty());
      changed = news;
      changed.consistency.erase(changed.consistency.begin() + static_cast<std::ptrdiff_t>(i));
      CHECK_FALSE(contradiction(remote, changed).empty());
    }
    for (const std::size_t at : {std::size_t{0}, news.checkpoint.size() / 2}) {
      LogNews changed = news;
      changed.checkpoint[at] ^= 1;
      CHECK_FALSE(signature_problem(remote_with({}, serialize(verifier())), changed).empty());
    }
  }
}
