// Rows that are compressed: nobody notices but by the size of the file.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <thread>

#include "store/fsck.h"
#include "store/memory_store.h"
#include "store/sha256.h"
#include "store/sqlite/compression.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/chores.h"
#include "tests/store/database.h"
#include "tests/store/hex.h"
#include "tests/store/temp_dir.h"
#include "tests/store/turns.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

bool never() { return false; }

std::string words(std::mt19937_64& random, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "word" + std::to_string(random() % 500) + ' ';
  return text;
}

// Turns of words on `main`, enough for dictionaries.
std::unique_ptr<SqliteStore> wordy_store(const std::string& path, int turns = 400) {
  std::mt19937_64 random(7);
  auto store = SqliteStore::create(path).value();
  const Reader reader(*store);
  for (int i = 0; i < turns; ++i) {
    const std::string text = words(random, 20 + static_cast<int>(random() % 80));
    append_turn(*store, reader, branch_ref("main"), text).value();
  }
  return store;
}

std::map<Oid, Object> all_of(const Store& store) {
  std::map<Oid, Object> all;
  REQUIRE(store.scan([&](const StoredObject& each) {
    all.emplace(each.oid, each.object);
    return true;
  }));
  return all;
}

std::vector<std::string> walked(const Store& store) {
  std::vector<std::string> texts;
  const Oid tip = *store.ref(branch_ref("main")).value();
  REQUIRE(store.run(tip, 10'000, Store::kAllContents, [&](const Store::RunStep& step) {
    texts.push_back(std::string(step.body) + (step.content ? step.content->body : "-"));
    return true;
  }));
  return texts;
}

// How many dictionaries of the file have this text in them.
int dictionaries_with(const std::string& path, const std::string& text) {
  int count = 0;
  const auto rows = Database(path).ask("SELECT number,body FROM dictionaries");
  for (std::size_t i = 0; i < rows.size(); i += 2) {
    const auto number = static_cast<sqlite::DictionaryNumber>(std::stoul(rows[i]));
    const auto dictionary = sqlite::unpack_dictionary(number, rows[i + 1]);
    if (dictionary && dictionary->find(text) != std::string::npos) ++count;
  }
  return count;
}

std::int64_t number(const std::string& path, const std::string& sql) {
  return std::stoll(Database(path).ask("SELECT CAST((" + sql + ") AS TEXT)").at(0));
}

}  // namespace

TEST_SUITE("store/packing") {
  TEST_CASE("a body comes back from its frame, and from no other bytes") {
    std::mt19937_64 random(1);
    std::vector<std::string> samples;
    for (int i = 0; i < 500; ++i) samples.push_back(words(random, 40));
    const auto dictionary = sqlite::train_dictionary(9, samples, 4096);
    REQUIRE(dictionary);
    const auto lookup = [&](sqlite::DictionaryNumber wanted) {
      return wanted == 9 ? dictionary : std::nullopt;
    };
    const auto none = [](sqlite::DictionaryNumber) { return std::optional<std::string>(); };
    for (const std::string& with : {std::string(), *dictionary}) {
      sqlite::Compressor compressor(with);
      sqlite::Decompressor decompressor;
      for (int i = 0; i < 300; ++i) {
        const std::string body = words(random, 60 + static_cast<int>(random() % 60));
        const auto made = compressor.compress(body);
        REQUIRE(made);
        std::string frame(*made);
        CHECK(frame.size() < body.size());
        CHECK(sqlite::is_sealed(frame));
        CHECK(decompressor.decompress(frame, body.size(), lookup) == body);
        CHECK_FALSE(decompressor.decompress(frame, body.size() - 1, lookup));
        if (!with.empty()) CHECK_FALSE(sqlite::Decompressor().decompress(frame, body.size(), none));
        const std::string cut = frame.substr(0, random() % frame.size());
        CHECK(decompressor.decompress(cut, body.size(), lookup).value_or("") != body);
        frame[random() % frame.size()] ^= static_cast<char>(1U << random() % 8);
        const auto other = decompressor.decompress(frame, body.size(), lookup);
        if (other) CHECK(other->size() <= body.size());
        CHECK_FALSE(sqlite::is_sealed(frame));
      }
      std::string noise(1000, ' ');
      for (char& byte : noise) byte = static_cast<char>(random());
      CHECK_FALSE(compressor.compress(noise));
      CHECK_FALSE(compressor.compress("short"));
    }
    sqlite::Decompressor decompressor;
    CHECK_FALSE(decompressor.decompress("", 10, lookup));
    CHECK_FALSE(decompressor.decompress("x", sqlite::kMostCompressed + 1, lookup));
  }

  TEST_CASE("a packed store says what it said, in less room") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = wordy_store(path);
    const auto early = SqliteStore::open(path).value();  // Has looked at the file as it was.
    const auto before = all_of(*early);
    const auto told = walked(*early);

    const auto packing = store->pack(never).value();
    CHECK(packing.rows > 600);
    CHECK(packing.after * 2 < packing.before);
    CHECK(number(path, "SELECT COUNT(*) FROM objects WHERE codec>=2") > 300);
    CHECK(number(path, "SELECT COUNT(*) FROM commits WHERE codec>=2") > 200);
    CHECK(number(path, "SELECT COUNT(*) FROM dictionaries") == 2);
    CHECK(number(path, "SELECT user_version FROM pragma_user_version") == 4);
    for (const Store* each :
         {static_cast<const Store*>(store.get()), static_cast<const Store*>(early.get())}) {
      CHECK(all_of(*each) == before);
      CHECK(walked(*each) == told);
      CHECK(fsck(*each)->is_sound());
    }
    CHECK(store->pack(never)->rows == 0);

    REQUIRE(store->rebuild());
    CHECK(all_of(*store) == before);
    const Reader reader(*store);
    append_turn(*store, reader, branch_ref("main"), "and on it goes").value();
    const auto late = SqliteStore::open(path, {.mode = SqliteStore::Mode::read_only}).value();
    CHECK(fsck(*late)->is_sound());
    CHECK(walked(*late).size() == told.size() + 1);
  }

  TEST_CASE("a few turns are packed without a dictionary, or not at all") {
    const TempDir folder;
    const auto store = wordy_store(folder / "store", 3);
    const auto before = all_of(*store);
    const std::array same = {blob(std::string(5'000, 'x'))};
    REQUIRE(store->put(same));
    CHECK(store->pack(never)->rows > 0);
    CHECK(number(folder / "store", "SELECT COUNT(*) FROM dictionaries") == 0);
    for (const auto& [oid, object] : before)
      CHECK(store->get(std::array{oid}).value()[0] == object);
    CHECK(MemoryStore().pack(never)->rows == 0);
  }

  TEST_CASE("a better dictionary comes when there is more to learn from; the old one stays") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = wordy_store(path, 300);
    REQUIRE(store->pack(never));
    std::mt19937_64 random(8);
    const Reader reader(*store);
    for (int i = 0; i < 900; ++i) {
      append_turn(*store, reader, branch_ref("main"), "later " + words(random, 80)).value();
    }
    REQUIRE(store->pack(never));
    CHECK(number(path, "SELECT COUNT(*) FROM dictionaries WHERE serves='objects'") == 2);
    CHECK(fsck(*store)->is_sound());
  }

  TEST_CASE("others write and read while it packs") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = wordy_store(path);
    const auto before = walked(*store);
    constexpr int kMore = 200;
    std::thread writer([&path] {
      std::mt19937_64 random(9);
      const auto other = SqliteStore::open(path).value();
      const Reader reader(*other);
      for (int i = 0; i < kMore; ++i) {
        append_turn(*other, reader, branch_ref("main"), words(random, 50)).value();
      }
    });
    std::thread packer([&path] {
      const auto other = SqliteStore::open(path).value();
      for (int i = 0; i < 5; ++i) REQUIRE(other->pack(never));
    });
    for (int i = 0; i < 5; ++i) REQUIRE(store->pack(never));
    writer.join();
    packer.join();
    const auto after = walked(*store);
    REQUIRE(after.size() == before.size() + kMore);
    CHECK(std::equal(before.begin(), before.end(), after.begin() + kMore));
    CHECK(fsck(*store)->is_sound());
  }

  TEST_CASE("what is erased is in no dictionary afterwards, and the rest is packed again") {
    const TempDir folder;
    const std::string path = folder / "store";
    const std::string secret = "the-secret-that-everybody-repeats";
    const auto store = SqliteStore::create(path).value();
    const Reader reader(*store);
    std::mt19937_64 random(11);
    std::vector<Oid> contents;
    for (int i = 0; i < 400; ++i) {
      const std::string text = words(random, 30) + (i % 2 == 0 ? secret : "") + words(random, 30);
      append_turn(*store, reader, branch_ref("main"), text).value();
      if (i % 2 == 0) contents.push_back(blob(text).oid);
    }
    REQUIRE(store->pack(never));
    REQUIRE(dictionaries_with(path, secret) > 0);  // Else this test shows nothing.

    CHECK(store->erase(contents).value() == contents.size());
    REQUIRE(store->compact());
    CHECK(dictionaries_with(path, secret) == 0);
    CHECK(bytes_of(path).find(secret) == std::string::npos);
    CHECK(bytes_of(path + "-wal").find(secret) == std::string::npos);
    CHECK(number(path, "SELECT COUNT(*) FROM dictionaries WHERE length(body)=0") == 2);
    CHECK(number(path, "SELECT COUNT(*) FROM objects WHERE codec>=2") > 100);
    for (const auto& [oid, object] : all_of(*store)) {
      CHECK(object.body.find(secret) == std::string::npos);
      CHECK(verify(oid, object));
    }
  }

  TEST_CASE("who packs while another erases, and clears away, takes nothing with him") {
    // The eraser comes between two batches of the packer, who has the dictionary in his hands; or
    // where he has looked, and not yet learned. And is killed before he has packed again.
    for (const int moment : {1, 2, 3, 4, 5, 6}) {
      CAPTURE(moment);
      const TempDir folder;
      const std::string path = folder / "store";
      const std::string secret = "the-secret-that-everybody-repeats";
      const auto store = wordy_store(path, 300);
      if (moment > 1) REQUIRE(store->pack(never));
      const Reader reader(*store);
      std::mt19937_64 random(14);
      std::vector<Oid> contents;
      for (int i = 0; i < 1'500; ++i) {
        const std::string text = words(random, 90) + (i % 9 == 0 ? secret : "");
        append_turn(*store, reader, branch_ref("main"), text).value();
        if (i % 9 == 0) contents.push_back(blob(text).oid);
      }
      int calls = 0;
      REQUIRE(store->pack([&] {
        if (++calls == moment) {
          const auto other = SqliteStore::open(path).value();
          Database rows(path);
          for (const std::string table : {"commits", "objects"}) {
            rows.run("CREATE TEMP TABLE raw_" + table + " AS SELECT oid,codec,body FROM " + table +
                     " WHERE codec<2");
          }
          REQUIRE(other->erase(contents).value() == contents.size());
          REQUIRE(other->compact());
          for (const std::string table : {"commits", "objects"}) {
            rows.run("UPDATE " + table + " SET codec=raw.codec,body=raw.body FROM raw_" + table +
                     " AS raw WHERE raw.oid=" + table + ".oid");
          }
          REQUIRE(
              SqliteStore::open(path).value()->compact());  // What was kept aside is in the log.
        }
        return false;
      }));
      REQUIRE(calls >= moment);
      CHECK(store->check().value().empty());
      for (const auto& [oid, object] : all_of(*store)) CHECK(verify(oid, object));
      CHECK(all_of(*store).size() > 3'000);
      CHECK(dictionaries_with(path, secret) == 0);
      CHECK(bytes_of(path).find(secret) == std::string::npos);
      CHECK(bytes_of(path + "-wal").find(secret) == std::string::npos);
      REQUIRE(store->pack(never));
      CHECK(store->check().value().empty());
    }
  }

  TEST_CASE("a damaged row keeps no erasure from being finished") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = wordy_store(path);
    REQUIRE(store->pack(never));
    Database(path).run(
        "UPDATE objects SET body=CAST(x'00'||substr(body,2) AS BLOB) WHERE codec>=2 AND handle IN "
        "(SELECT handle FROM objects WHERE codec>=2 ORDER BY handle LIMIT 1 OFFSET 5)");
    REQUIRE(store->set_local("a", "b"));  // Makes the mark anew.
    REQUIRE(store->check().value().size() == 1);
    const Oid tip = *store->ref(branch_ref("main")).value();
    const Oid content = Reader(*store).commit(tip).value()->content->oid;
    REQUIRE(store->erase(std::array{content}).value() == 1);
    REQUIRE(store->compact());
    CHECK_FALSE(store->local("erasure.unfinished").value());
    CHECK(number(path, "SELECT COUNT(*) FROM objects WHERE codec>=2") > 100);
  }

  TEST_CASE("what gc removed is in no dictionary after the next compacting") {
    const TempDir folder;
    const std::string path = folder / "store";
    const std::string secret = "the-secret-that-everybody-repeats";
    const auto store = wordy_store(path, 60);
    const Oid kept = *store->ref(branch_ref("main")).value();
    const Reader reader(*store);
    std::mt19937_64 random(15);
    for (int i = 0; i < 300; ++i) {
      const std::string text = words(random, 30) + secret + words(random, 30);
      append_turn(*store, reader, branch_ref("main"), text).value();
    }
    REQUIRE(store->pack(never));
    REQUIRE(dictionaries_with(path, secret) > 0);
    const auto tip = store->ref(branch_ref("main")).value();
    REQUIRE(store->commit(move_ref(branch_ref("main"), tip, kept, {})));
    REQUIRE(collect_garbage(*store));
    REQUIRE(store->compact());
    CHECK(dictionaries_with(path, secret) == 0);
    CHECK(bytes_of(path).find(secret) == std::string::npos);
    CHECK(fsck(*store)->is_sound());
  }

  TEST_CASE("what gets no smaller is looked at once, and stops nobody") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = wordy_store(path);
    std::mt19937_64 random(16);
    for (int i = 0; i < 5; ++i) {
      std::string noise(300'000, ' ');
      for (char& byte : noise) byte = static_cast<char>(random());
      REQUIRE(store->put(std::array{blob(noise)}));
    }
    REQUIRE(store->put(std::array{blob(words(random, 900))}));
    int batches = 0;
    const auto count = [&batches] { return ++batches < 0; };
    CHECK(store->pack(count)->rows > 600);
    CHECK(number(path, "SELECT COUNT(*) FROM objects WHERE codec<2") >= 5);
    CHECK(batches > 5);
    batches = 0;
    CHECK(store->pack(count)->rows == 0);
    CHECK(batches <= 2);
    REQUIRE(store->put(std::array{blob(words(random, 901))}));
    CHECK(store->pack(count)->rows == 1);
    CHECK(store->pack([] { return true; })->rows == 0);
  }

  TEST_CASE("few new rows bring no dictionary of their own") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = wordy_store(path);
    REQUIRE(store->pack(never));
    const Reader reader(*store);
    std::mt19937_64 random(17);
    for (int round = 0; round < 9; ++round) {
      for (int i = 0; i < 12; ++i) {
        append_turn(*store, reader, branch_ref("main"), words(random, 50)).value();
      }
      CHECK(store->pack(never)->rows > 0);
    }
    CHECK(number(path, "SELECT COUNT(*) FROM dictionaries") == 2);
  }

  TEST_CASE("a dictionary that was changed, or is gone, is named; nothing wrong is read") {
    const TempDir folder;
    const std::string path = folder / "store";
    wordy_store(path)->pack(never).value();
    const auto said = [&path] {
      const auto store = SqliteStore::open(path).value();
      const auto report = fsck(*store).value();
      return std::any_of(report.problems.begin(), report.problems.end(),
                         [](const auto& each) { return each.subject == "dictionary 2"; });
    };
    CHECK_FALSE(said());
    Database(path).run(
        "UPDATE dictionaries SET body=CAST(substr(body,1,900)||x'00'||substr(body,902) AS BLOB) "
        "WHERE number=2");
    CHECK(said());
    Database(path).run("DELETE FROM dictionaries WHERE number=2");
    const auto store = SqliteStore::open(path).value();
    CHECK_FALSE(fsck(*store)->is_sound());
  }

  TEST_CASE("nothing more is packed with a dictionary that was changed, or that nobody trained") {
    for (const bool has_hash : {false, true}) {
      CAPTURE(has_hash);
      const TempDir folder;
      const std::string path = folder / "store";
      wordy_store(path)->pack(never).value();
      const std::string magic("\x37\xa4\x30\xec\x02\0\0\0", 8);  // RFC 8878, section 5.
      const std::string forged = sqlite::pack_dictionary(magic + std::string(1'000, '\xff'));
      const std::string hash = has_hash ? sha256(forged).hex() : std::string(64, '0');
      Database(path).run("UPDATE dictionaries SET body=x'" + hex_of(forged) + "',hash=x'" + hash +
                         "' WHERE number=2");
      const auto store = SqliteStore::open(path).value();
      const Reader reader(*store);
      std::mt19937_64 random(13);
      std::vector<NewObject> added;
      for (int i = 0; i < 400; ++i) added.push_back(blob(words(random, 50)));
      REQUIRE(store->put(added));
      CHECK(store->pack(never)->rows > 300);
      for (const NewObject& each : added) {
        const auto read = store->get(std::array{each.oid}).value();
        REQUIRE(read[0]);
        CHECK(verify(each.oid, *read[0]));
      }
      CHECK_FALSE(fsck(*store)->is_sound());
    }
  }

  TEST_CASE("a dictionary that is none, or another's, is named, and nothing is packed with it") {
    // Both unpack, and have their right hash.
    std::mt19937_64 random(17);
    const std::string some = words(random, 600);
    for (const std::string& forged : {some, std::string("\x37\xa4\x30\xec\x09\0\0\0", 8) + some}) {
      const TempDir folder;
      const std::string path = folder / "store";
      wordy_store(path)->pack(never).value();
      const std::string packed = sqlite::pack_dictionary(forged);
      Database(path).run("INSERT INTO dictionaries VALUES(3,'objects',1,x'" + sha256(packed).hex() +
                         "',x'" + hex_of(packed) + "')");
      const auto store = SqliteStore::open(path).value();
      const auto report = fsck(*store).value();
      REQUIRE(report.problems.size() == 1);
      CHECK(report.problems[0].subject == "dictionary 3");
      const NewObject added = blob(forged.substr(8));
      REQUIRE(store->put(std::array{added}));
      REQUIRE(store->pack(never));
      CHECK(verify(added.oid, *store->get(std::array{added.oid}).value()[0]));
    }
  }

  TEST_CASE("a large dictionary is learned in pieces, and serves") {
    std::mt19937_64 random(18);
    std::vector<std::string> samples;
    for (int i = 0; i < 3'000; ++i) samples.push_back(words(random, 120));
    constexpr std::size_t kCapacity = 300U << 10U;
    const auto dictionary = sqlite::train_dictionary(7, samples, kCapacity);
    REQUIRE(dictionary);
    CHECK(dictionary->size() > kCapacity / 4);
    CHECK(dictionary->size() <= kCapacity);
    const std::string packed = sqlite::pack_dictionary(*dictionary);
    CHECK(sqlite::unpack_dictionary(7, packed) == dictionary);
    CHECK_FALSE(sqlite::unpack_dictionary(8, packed));
    sqlite::Compressor compressor(*dictionary);
    sqlite::Decompressor decompressor;
    const auto look_up = [&](sqlite::DictionaryNumber number) {
      return number == 7 ? dictionary : std::nullopt;
    };
    for (const std::string& sample : samples) {
      const auto frame = compressor.compress(sample);
      REQUIRE(frame);
      CHECK(decompressor.decompress(*frame, sample.size(), look_up) == sample);
    }
  }

  TEST_CASE("who has put much packs it when the store is closed, if it was open for long") {
    const TempDir folder;
    const std::string path = folder / "store";
    std::mt19937_64 random(12);
    const auto put_much = [&](SqliteStore& store) {
      for (int i = 0; i < 9; ++i) {
        const std::array objects = {blob(words(random, 60'000))};
        REQUIRE(store.put(objects));
      }
    };
    put_much(*SqliteStore::create(path).value());
    CHECK(number(path, "SELECT COUNT(*) FROM objects WHERE codec>=2") == 0);
    put_much(*SqliteStore::open(path, {.packing_at_close = std::chrono::seconds(1)}).value());
    // In about a second, of which learning is a part.
    CHECK(number(path, "SELECT COUNT(*) FROM objects WHERE codec>=2") > 0);
    REQUIRE(SqliteStore::open(path).value()->pack(never));
    CHECK(number(path, "SELECT COUNT(*) FROM objects WHERE codec>=2") == 18);
  }
}
