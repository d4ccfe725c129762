// Proofs of commits and operations, on each store, through gc and erasure.
#include "proof/proof.h"

#include <doctest/doctest.h>

#include <array>
#include <map>

#include "proof/tiles.h"
#include "store/fsck.h"
#include "store/gc.h"
#include "store/sha256.h"
#include "store/tag.h"
#include "tests/store/engines.h"
#include "tests/store/sample.h"
#include "tests/support/passing_store.h"

using namespace spoor;
using namespace spoor::proof;
using namespace spoor::store::sample;
using store::Oid;
using store::Store;

#define PROVABLE store::InMemory, store::InSqlite

namespace {

const std::string kSecret(store::sha256("the key of a log").view());

VerifierKey verifier() {
  return {"spoor/log", VerifierKey::Signs::notes, store::public_key_of(kSecret).value()};
}

Note sign(const LogTree& log) {
  const std::string text = serialize(log.head("spoor/log"));
  return {text, {sign_note(text, "spoor/log", kSecret).value()}};
}

LogTree log_of(const Store& store) { return read_log_tree(store).value(); }

// A turn a second on `main`, from a second on; returns the commits.
std::vector<Oid> grow(Store& store, History& history, std::int64_t from, int length) {
  std::vector<Oid> commits;
  for (int i = 0; i < length; ++i) {
    REQUIRE(append(store, history, "main", "turn " + std::to_string(from + i), at(from + i)));
    commits.push_back(history.last());
  }
  return commits;
}

void fold(Store& store, std::int64_t before) {
  store::GcOptions options;
  options.keep_since = at(before);
  options.actor = "tester";
  REQUIRE(store::collect_garbage(store, options));
}

// Another program folds the log while it is read: after the names of folded operations are known.
class FoldedMeanwhile final : public testing::PassingStore {
 public:
  explicit FoldedMeanwhile(Store& store) : store_(store) {}

  bool has_lanes() const override { return true; }
  Result<store::OperationNames> folded_names() const override {
    auto names = store_.folded_names();
    if (next_ <= 6) fold(store_, next_);
    next_ += 3;
    return names;
  }

 private:
  Store& on() const override { return store_; }

  Store& store_;
  mutable std::int64_t next_ = 3;
};

Result<Proven> proven(const Store& store, const Note& note, const Oid& commit) {
  const store::Reader reader(store);
  const Proof made = TRY(prove_commit(reader, log_of(store), note, commit));
  const Proof read = TRY(parse_proof(serialize(made)));
  CHECK(read == made);
  return verify(read, verifier(), {});
}

}  // namespace

TEST_SUITE("proof/proof") {
  TEST_CASE_TEMPLATE("each commit of a branch is proven by the operation that added it", Kept,
                     PROVABLE) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, 0, 70);
    const Note note = sign(log_of(kept.store()));
    for (std::size_t i = 0; i < commits.size(); ++i) {
      CAPTURE(i);
      const Proven shown = proven(kept.store(), note, commits[i]).value();
      CHECK(shown.commit->oid == commits[i]);
      CHECK(shown.commit->commit->depth == i);
      CHECK(shown.operation->time == at(static_cast<std::int64_t>(i)));
      CHECK(shown.ref == "refs/heads/main");
      CHECK(shown.checkpoint.size == 70);
    }
  }

  TEST_CASE_TEMPLATE("a commit that came with others is proven by its path", Kept, PROVABLE) {
    Kept kept;
    History history;
    std::vector<store::NewObject> objects;
    std::vector<Oid> commits;
    for (int i = 0; i < 500; ++i) {
      const auto parent = i == 0 ? std::nullopt : std::optional(history.last());
      for (auto& each : history.turn(parent, std::to_string(i))) objects.push_back(std::move(each));
      commits.push_back(history.last());
    }
    REQUIRE(kept.store().commit(move_ref("refs/heads/main", {}, commits.back(), objects)));
    const Note note = sign(log_of(kept.store()));
    const store::Reader reader(kept.store());
    for (const std::size_t i : {0U, 1U, 255U, 256U, 498U, 499U}) {
      CAPTURE(i);
      CHECK(proven(kept.store(), note, commits[i]).value().commit->oid == commits[i]);
      const auto made = prove_commit(reader, log_of(kept.store()), note, commits[i]).value();
      CHECK(made.evidence.path.size() < 24);
    }
  }

  TEST_CASE_TEMPLATE("folding the log changes no root and no proof", Kept, PROVABLE) {
    Kept kept;
    Store& store = kept.store();
    History history;
    const auto commits = grow(store, history, 0, 40);
    const LogTree before = log_of(store);
    const Note note = sign(before);
    const store::Reader reader(store);
    const Proof early = prove_commit(reader, before, note, commits[3]).value();
    const Oid folded = before.names[3];
    CHECK(prove_operation(store, before, note, folded).value().evidence.body != "");

    fold(store, 20);
    fold(store, 30);
    grow(store, history, 40, 5);
    const LogTree after = log_of(store);
    CHECK(after.size() == 45);
    CHECK(after.names.front() == before.names.front());
    CHECK(after.tree.root(40) == before.tree.root(40));
    CHECK(contradiction(after, parse_checkpoint(note.text).value()).empty());
    CHECK(verify(early, verifier(), {}).value().commit->oid == commits[3]);
    CHECK(store::fsck(store).value().is_sound());

    // The operation's text is gone; its name and a later operation remain.
    const Proof by_name = prove_operation(store, after, note, folded).value();
    CHECK(by_name.evidence.body.empty());
    CHECK(parse_proof(serialize(by_name)).value() == by_name);
    CHECK_FALSE(verify(by_name, verifier(), {}).value().operation);
    const Proven later = proven(store, note, commits[3]).value();
    CHECK(later.commit->oid == commits[3]);
    CHECK(later.operation->time == at(30));
  }

  TEST_CASE_TEMPLATE("a commit that only folded operations led to needs a new one", Kept,
                     PROVABLE) {
    Kept kept;
    Store& store = kept.store();
    History history;
    const Oid commit = grow(store, history, 0, 10).back();
    REQUIRE(append(store, history, "other", "something else", at(20)));
    fold(store, 15);
    const auto refused = proven(store, sign(log_of(store)), commit);
    CHECK(refused.error().code == Error::Code::not_found);

    const store::NewObject tag = store::new_object(
        store::Kind::tag, serialize(store::Tag{commit, "kept", "ada", at(21), {}}).value());
    REQUIRE(store.commit(move_ref("refs/tags/kept", {}, tag.oid, {tag}, at(21))));
    const Proven shown = proven(store, sign(log_of(store)), commit).value();
    CHECK(shown.commit->oid == commit);
    CHECK(shown.ref == "refs/tags/kept");
  }

  TEST_CASE_TEMPLATE("a commit of a branch that has gone is proven while the log has it", Kept,
                     PROVABLE) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, 0, 10);
    REQUIRE(kept.store().commit(move_ref("refs/heads/main", commits.back(), {}, {}, at(11))));
    CHECK(proven(kept.store(), sign(log_of(kept.store())), commits[4]).value().commit->oid ==
          commits[4]);
  }

  TEST_CASE_TEMPLATE("an erasure changes no proof", Kept, PROVABLE) {
    Kept kept;
    Store& store = kept.store();
    History history;
    const auto commits = grow(store, history, 0, 5);
    const LogTree before = log_of(store);
    const Note note = sign(before);
    const store::Reader reader(store);
    const Proof made = prove_commit(reader, before, note, commits[2]).value();
    REQUIRE(store.erase(std::array{blob("turn 2").oid}).value() == 1);
    CHECK(log_of(store).names == before.names);
    CHECK(prove_commit(store::Reader(store), log_of(store), note, commits[2]).value() == made);
  }

  TEST_CASE("an operation after the checkpoint is not proven by it") {
    store::MemoryStore store;
    History history;
    grow(store, history, 0, 3);
    const Note note = sign(log_of(store));
    const Oid later = grow(store, history, 3, 1).front();
    const auto refused = proven(store, note, later);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().hint == "run 'spoor checkpoint'");
  }

  TEST_CASE("a log that was rolled back or rewritten contradicts its checkpoint") {
    store::MemoryStore one;
    store::MemoryStore other;
    History history;
    grow(one, history, 0, 6);
    grow(other, history, 0, 4);
    const Checkpoint checkpoint = log_of(one).head("spoor/log");
    CHECK(contradiction(log_of(one), checkpoint).empty());
    CHECK(contradiction(log_of(other), checkpoint) ==
          "the log was rolled back: it has 4 of the 6 operations of the checkpoint");
    grow(other, history, 10, 4);
    CHECK(contradiction(log_of(other), checkpoint) ==
          "the log was rewritten: its first 6 operations are not the checkpoint's");
    CHECK(contradiction(log_of(other), log_of(one).head("x")) != "");
  }

  TEST_CASE("each changed byte of a proof is refused") {
    store::MemoryStore store;
    History history;
    const auto commits = grow(store, history, 0, 9);
    const LogTree log = log_of(store);
    const Note note = sign(log);
    const store::Reader reader(store);
    const std::string text = serialize(prove_commit(reader, log, note, commits[4]).value());
    const auto shows = [](const std::string& bytes) {
      const auto proof = parse_proof(bytes);
      return proof && verify(*proof, verifier(), {});
    };
    REQUIRE(shows(text));
    for (std::size_t i = 0; i < text.size(); ++i) {
      for (const char other : {'\n', 'A', '0', static_cast<char>(text[i] ^ 1)}) {
        std::string changed = text;
        changed[i] = other;
        if (changed == text) continue;
        CAPTURE(changed);
        CHECK_FALSE(shows(changed));
      }
      CHECK_FALSE(shows(text.substr(0, i)));
    }
    CHECK_FALSE(shows(text + "\n"));
  }

  TEST_CASE("a path that does not lead to its commit is refused") {
    store::MemoryStore store;
    History history;
    const auto commits = grow(store, history, 0, 40);
    // Only the newest operation is left, so that the path is long.
    fold(store, 39);
    const LogTree log = log_of(store);
    const Note note = sign(log);
    const Proof good = prove_commit(store::Reader(store), log, note, commits[5]).value();
    REQUIRE(good.evidence.path.size() > 3);
    REQUIRE(verify(good, verifier(), {}));
    for (std::size_t i = 0; i + 1 < good.evidence.path.size(); ++i) {
      Proof bad = good;
      bad.evidence.path.erase(bad.evidence.path.begin() + static_cast<std::ptrdiff_t>(i));
      CAPTURE(i);
      CHECK_FALSE(verify(bad, verifier(), {}));
    }
    Proof bad = good;
    bad.evidence.path.push_back({store::Kind::blob, blob("turn 5").body});
    CHECK_FALSE(verify(bad, verifier(), {}));
    bad = good;
    bad.checkpoint = sign(log);
    bad.checkpoint.text = serialize(Checkpoint{"spoor/other", log.size(), log.tree.root(40)});
    bad.checkpoint.signatures = {sign_note(bad.checkpoint.text, "spoor/log", kSecret).value()};
    CHECK(verify(bad, verifier(), {}).error().message == "its checkpoint is another log's");
  }

  TEST_CASE("a witness that is asked for must have signed") {
    store::MemoryStore store;
    History history;
    const Oid commit = grow(store, history, 0, 2).front();
    Note note = sign(log_of(store));
    const std::string other(store::sha256("another key").view());
    note.signatures.push_back(sign_note(note.text, "auditor", other).value());
    const VerifierKey auditor{"auditor", VerifierKey::Signs::notes,
                              store::public_key_of(other).value()};
    const Proof made = prove_commit(store::Reader(store), log_of(store), note, commit).value();
    CHECK(verify(made, verifier(), {auditor}));
    VerifierKey stranger = auditor;
    stranger.name = "stranger";
    CHECK_FALSE(verify(made, verifier(), {auditor, stranger}));
    CHECK_FALSE(verify(made, stranger, {}));
  }

  TEST_CASE("a log that is folded while it is read is read again") {
    store::InMemory kept;
    History history;
    grow(kept.store(), history, 0, 9);
    const LogTree before = log_of(kept.store());
    const FoldedMeanwhile folded(kept.store());
    const LogTree after = log_of(folded);
    CHECK(after.names == before.names);
    CHECK(after.first == before.first);
    CHECK(kept.store().folded_names().value().names.size() > 3);
  }

  TEST_CASE("a store of an old format keeps no names of folded operations, and says so") {
    store::InOldSqlite kept;
    History history;
    grow(kept.store(), history, 0, 3);
    const auto refused = read_log_tree(kept.store());
    CHECK(refused.error().code == Error::Code::unavailable);
    CHECK(refused.error().hint == "run 'spoor store gc --upgrade'");
    fold(kept.store(), 2);
    REQUIRE(kept.store().upgrade());
    CHECK(log_of(kept.store()).first == 2);
    CHECK(log_of(kept.store()).size() == 2);
    grow(kept.store(), history, 3, 3);
    const Note note = sign(log_of(kept.store()));
    fold(kept.store(), 5);
    CHECK(contradiction(log_of(kept.store()), parse_checkpoint(note.text).value()).empty());
  }

  TEST_CASE("an inclusion in a million operations takes less than 1 KB") {
    LogTree log;
    for (int i = 0; i < 1'000'000; ++i) {
      log.names.push_back(store::sha256(std::to_string(i)));
      log.tree.append(log.names.back().view());
    }
    const Note note = sign(log);
    for (const std::size_t index : {0U, 1U, 524'287U, 524'288U, 999'999U}) {
      Proof proof{{log.names[index], {}, {}}, index, log.tree.inclusion(index, log.size()), note};
      REQUIRE(verify(proof, verifier(), {}));
      const std::string text = serialize(proof);
      CHECK(proof.inclusion.size() <= 20);
      // Without the extra line and the checkpoint.
      CHECK(text.find("\n\n") - text.find("index ") < 1'000);
    }
    for (const std::uint64_t old : {1U, 3U, 500'000U, 999'999U}) {
      const auto path = log.tree.consistency(old, log.size());
      CHECK(path.size() <= 21);
      CHECK(is_consistent(old, log.tree.root(old), log.size(), log.tree.root(log.size()), path));
    }
  }

  TEST_CASE("tiles have the hashes and entries of the tree, complete ones once") {
    LogTree log;
    for (int i = 0; i < 70'000; ++i) {
      log.names.push_back(store::sha256(std::to_string(i)));
      log.tree.append(log.names.back().view());
    }
    std::map<std::string, std::string> files;
    const auto write = [&](std::uint64_t size) {
      std::size_t count = 0;
      REQUIRE(write_tiles(
          log, size, [&](const std::string& path) { return files.contains(path); },
          [&](const std::string& path, std::string_view bytes) -> Result<void> {
            files[path] = bytes;
            ++count;
            return {};
          }));
      return count;
    };
    // The example of the specification: 273 full tiles and one of 112, one full and one of 17, one
    // of 1.
    CHECK(write(70'000) == 274 + 274 + 2 + 1);
    CHECK(files.at("tile/0/000").size() == 256 * 32);
    CHECK(files.at("tile/0/273.p/112").size() == 112 * 32);
    CHECK(files.at("tile/1/001.p/17").size() == 17 * 32);
    CHECK(files.at("tile/2/000.p/1") == std::string(log.tree.node(16, 0).view()));
    CHECK(files.at("tile/entries/273.p/112").size() == 112 * 34);
    CHECK(files.at("tile/entries/000").substr(0, 34) ==
          std::string("\0\x20", 2).append(log.names[0].view()));
    CHECK(write(70'000) == 4);  // Partial ones.
  }
}
