// Keys that can be destroyed one by one, and a store in PostgreSQL that is sealed with them.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include "store/erased.h"
#include "store/postgres/address.h"
#include "store/postgres/key_tree.h"
#include "store/postgres/seal.h"
#include "store/sha256.h"
#include "tests/store/child.h"
#include "tests/store/cutting_proxy.h"
#include "tests/store/engines.h"
#include "tests/store/hex.h"
#include "tests/store/postgres_sql.h"
#include "tests/store/sample.h"
#include "tests/store/sound.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

postgres::KeyTree tree_of(const postgres::Key& root) {
  postgres::KeyTree tree;
  tree.add({0, 0, root});
  return tree;
}

postgres::Key counting_key() {
  postgres::Key key{};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
  return key;
}

// A sealed store on two servers.
struct Sealed {
  std::string address = PostgresServer::get()->new_address();
  std::string keys = PostgresServer::of_keys()->new_address();
  std::unique_ptr<PostgresStore> store = PostgresStore::create(address, {}, keys).value();
  std::unique_ptr<postgres::Connection> own =
      postgres::Connection::open(postgres::parse_address(address)->server).value();

  std::unique_ptr<PostgresStore> another() const {
    return PostgresStore::open(address, {}).value();
  }
  void run(const char* text) const { REQUIRE(own->run(postgres::Statement(text))); }

  // The keys as they are in their database.
  postgres::KeyTree stored_keys(std::span<const Oid> oids) const {
    std::vector<std::uint64_t> addresses;
    for (const Oid& oid : oids) addresses.push_back(postgres::address_of(oid, 0));
    postgres::KeyTree tree;
    postgres::KeyDatabase database(postgres::parse_address(keys).value(), {});
    for (const postgres::KeyNode& each : database.find(addresses).value()) tree.add(each);
    return tree;
  }
  bool has_key(const Oid& oid) const {
    return stored_keys(std::array{oid}).key(postgres::address_of(oid, 0)).has_value();
  }
};

bool has_servers() {
  return PostgresServer::get() != nullptr && PostgresServer::of_keys() != nullptr;
}

// Returns whether a file below `folder` has these bytes.
bool is_in_files(const std::string& folder, std::string_view bytes) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    if (all.find(bytes) != std::string::npos) return true;
  }
  return false;
}

PostgresStore::Options hasty() {
  PostgresStore::Options options;
  options.patience.longest = std::chrono::milliseconds(0);
  return options;
}

}  // namespace

TEST_SUITE("store/sealed") {
  using namespace spoor::store::postgres;

  TEST_CASE("keys are those that another implementation derives") {
    // Python: for i in range(63, -1, -1): n = hashlib.sha256(n + bytes([a >> i & 1])).digest()
    const KeyTree tree = tree_of(counting_key());
    for (const auto& [address, key] : std::initializer_list<std::pair<std::uint64_t, const char*>>{
             {0, "437dec011dd7bab94c3dfcf8eb8cb641e33bc6f3265700f29570f40e2ef7ebf9"},
             {1, "f7c43c887471bb82e23257046c29ac9da19c12e8827f27b6a5c068debf882c11"},
             {0x8000000000000000,
              "7415bf468266737f0563913efb26bcf101a6437ddb62d32fc3a9773684cb429f"},
             {0x0123456789abcdef,
              "e98a3f85daea95d97f73a074a3afbe7ea20bb815bcf5df3042542dd8ca93ad17"},
             {~std::uint64_t{0},
              "beae91230b0e1897b5773e913a7061d76cb5aa36eec644939c36f9b82699acc1"}}) {
      CHECK(Oid{*tree.key(address)}.hex() == key);
    }
    const Oid oid = sha256("an object");
    CHECK(address_of(oid, 0) == 0x5e490031dff642ec);
    CHECK(address_of(oid, 7) == 0x9d992c8172e01c45);
  }

  TEST_CASE("a destroyed key follows from no node that is left, and every other one does") {
    std::mt19937_64 random(spoor::testing::seeded(5));
    for (int round = 0; round < spoor::testing::rounds(20); ++round) {
      const KeyTree whole = tree_of(random_key());
      KeyTree tree = whole;
      std::vector<std::uint64_t> destroyed;
      std::vector<std::uint64_t> others;
      for (int i = 0; i < 60; ++i) {
        // Neighbours and strangers.
        const std::uint64_t address = i % 3 == 0 ? random() : random() % 64;
        (random() % 2 == 0 ? destroyed : others).push_back(address);
      }
      for (const std::uint64_t each : destroyed) tree.destroy(each);
      for (const std::uint64_t each : destroyed) CHECK_FALSE(tree.key(each));
      for (const std::uint64_t each : others) {
        const bool is_gone = std::ranges::count(destroyed, each) > 0;
        CHECK(tree.key(each) == (is_gone ? std::nullopt : whole.key(each)));
      }
      // No node that is left is above a destroyed key, and each is as it was.
      for (const auto& [first, node] : tree.nodes()) {
        for (const std::uint64_t each : destroyed) CHECK_FALSE(node.covers(each));
        CHECK(tree.key(first) == whole.key(first));
      }
      CHECK(tree.nodes().size() <= 64 * destroyed.size());
    }
  }

  TEST_CASE("what is encrypted is what another implementation encrypts") {
    // Python: AESGCM(key).encrypt(nonce, b"\0" + text, about) of the package cryptography.
    const Key key = *tree_of(counting_key()).key(0x0123456789abcdef);
    Nonce nonce{};
    for (std::size_t i = 0; i < nonce.size(); ++i) nonce[i] = static_cast<std::uint8_t>(100 + i);
    const std::string about = std::string(sha256("an object").view()) + '\0';
    const std::string text = "Keep this to yourself.";
    const std::string made = encrypt(key, nonce, about, text);
    CHECK(hex_of(made) ==
          "6465666768696a6b6c6d6e6f579c5d1edc26834b39895e001312b167256007316af6bff1cbea022b165c30b5"
          "65f0c7b4b060bc");
    CHECK(decrypt(key, about, made) == text);
    for (std::size_t i = 0; i < made.size(); ++i) {
      std::string other = made;
      other[i] = static_cast<char>(other[i] ^ 1);
      CHECK_FALSE(decrypt(key, about, other));
      CHECK_FALSE(decrypt(key, about, std::string_view(made).substr(0, i)));
    }
    CHECK_FALSE(decrypt(key, about + "x", made));
    CHECK_FALSE(decrypt(counting_key(), about, made));
  }

  TEST_CASE("texts of all sizes come back, and long ones are compressed") {
    const Key key = random_key();
    for (const std::size_t size : {0U, 1U, 100U, 5'000U, 1'048'592U, 1'048'593U}) {
      const std::string text(size, 'a');
      const std::string made = encrypt(key, random_nonce(), "", text);
      CHECK(decrypt(key, "", made) == text);
      if (size == 5'000) CHECK(made.size() < 100);
    }
  }

  TEST_CASE("no content is in any file of the server, and no turn takes another round trip") {
    if (!has_servers()) return;
    const Sealed sealed;
    const auto plain = PostgresStore::create(PostgresServer::get()->new_address(), {}).value();
    REQUIRE(plain->put(std::array{blob("what anybody may read 8812")}));
    History history;
    REQUIRE(append(*sealed.store, history, "main", "first"));
    for (int i = 0; i < 20; ++i) {
      auto objects = history.turn(history.last(), "what nobody may read 7231 " + std::to_string(i));
      const auto before = sealed.store->ref(branch_ref("main")).value();
      const std::uint64_t trips = sealed.store->round_trips();
      REQUIRE(sealed.store->commit(
          move_ref(branch_ref("main"), before, history.last(), std::move(objects))));
      CHECK(sealed.store->round_trips() - trips == 1);
    }
    REQUIRE(sealed.store->put_cached("state", "what nobody may read 7231 either"));
    const auto is_anywhere = [&](std::string_view text) {
      sealed.run("CHECKPOINT");
      return is_in_files(PostgresServer::get()->data(), text);
    };
    CHECK(is_anywhere("may read 8812"));
    CHECK_FALSE(is_anywhere("may read 7231"));
    REQUIRE(sealed.store->erase(std::array{blob("what nobody may read 7231 7").oid}));
    REQUIRE(sealed.store->compact());
    CHECK_FALSE(is_anywhere("may read 7231"));
    CHECK_FALSE(is_in_files(PostgresServer::of_keys()->data(), "may read 7231"));
    CHECK(fsck(*sealed.another()).value().problem_count == 1);  // The content has no tombstone.
  }

  TEST_CASE("a store whose making ends anywhere is made by the next call, with the same keys") {
    if (!has_servers()) return;
    const Sealed other;
    History others;
    REQUIRE(append(*other.store, others, "main", "another store"));
    for (const bool is_of_keys : {false, true}) {
      for (const auto how : {CuttingProxy::Cut::before, CuttingProxy::Cut::after}) {
        for (int cut = 1;; ++cut) {
          std::string address = PostgresServer::get()->new_address();
          std::string keys = PostgresServer::of_keys()->new_address();
          CuttingProxy proxy(is_of_keys ? keys : address);
          proxy.cut_at(cut, how);
          const std::string direct = std::exchange(is_of_keys ? keys : address, proxy.address());
          (void)PostgresStore::create(address, hasty(), keys);
          const int trips = proxy.trips();
          if (!is_of_keys) address = direct;
          const auto again = PostgresStore::create(address, {}, keys);
          if (!again) CHECK(again.error().code == Error::Code::conflict);
          const auto store = PostgresStore::open(address, {}).value();
          History history;
          REQUIRE(append(*store, history, "main", "a turn"));
          CHECK(store->get(std::array{blob("a turn").oid}).value()[0]);
          check_is_sound(*store);
          if (trips < cut) break;
        }
      }
    }
    // Who names the keys of another store gets none, and that store keeps them.
    for (int cut = 1;; ++cut) {
      const std::string address = PostgresServer::get()->new_address();
      CuttingProxy proxy(address);
      proxy.cut_at(cut, CuttingProxy::Cut::after);
      CHECK_FALSE(PostgresStore::create(proxy.address(), hasty(), other.keys));
      const int trips = proxy.trips();
      REQUIRE(PostgresStore::create(address, {}, PostgresServer::of_keys()->new_address()));
      if (trips < cut) break;
    }
    CHECK(other.another()->get(std::array{blob("another store").oid}).value()[0]);
  }

  TEST_CASE("a backup that is put back has all but what was erased") {
    if (!has_servers()) return;
    const Sealed sealed;
    History history;
    for (int i = 0; i < 30; ++i) {
      REQUIRE(append(*sealed.store, history, "main", "turn " + std::to_string(i)));
    }
    const std::vector<Oid> erased = {blob("turn 3").oid, blob("turn 17").oid};
    sealed.run(
        "CREATE TABLE spoor.backup AS SELECT o.* FROM spoor.objects o WHERE store = "
        "(SELECT max(id) FROM spoor.stores)");
    CHECK(sealed.store->erase(erased).value() == 2);
    REQUIRE(sealed.store->compact());
    sealed.run("INSERT INTO spoor.objects SELECT * FROM spoor.backup ON CONFLICT DO NOTHING");
    sealed.run("DROP TABLE spoor.backup");
    const auto restored = sealed.another();
    CHECK(restored->has(erased).value() == std::vector{false, false});
    CHECK(restored->has(std::array{blob("turn 4").oid, history.last()}).value() ==
          std::vector{true, true});
    for (int i = 0; i < 30; ++i) {
      const NewObject object = blob("turn " + std::to_string(i));
      const auto found = restored->get(std::array{object.oid});
      if (std::ranges::count(erased, object.oid) == 0) {
        CHECK(found.value()[0] == Object{Kind::blob, object.body});
        continue;
      }
      CHECK_FALSE(found.value()[0]);  // As if its row had not come back.
    }
    std::size_t contents = 0;
    REQUIRE(
        restored->run(history.last(), 100, Store::kAllContents, [&](const Store::RunStep& step) {
          if (step.content != nullptr) ++contents;
          return true;
        }));
    CHECK(contents == 28);
    std::size_t scanned = 0;
    const auto scan = restored->scan([&](const StoredObject&) { return ++scanned > 0; });
    CHECK(scanned == 58);
    CHECK(scan);
    const auto report = fsck(*restored).value();
    for (const Oid& oid : erased) {
      const auto names_it = [&](const auto& problem) { return problem.subject == oid.hex(); };
      CHECK(std::ranges::count_if(report.problems, names_it) == 1);
    }
  }

  TEST_CASE(
      "an erasure makes every row of its content unreadable, also those of gc and of losers") {
    if (!has_servers()) return;
    const Sealed sealed;
    const auto other = sealed.another();
    const NewObject text = blob("more than once");
    const auto row = [&] {
      const auto connection = postgres::Connection::open(parse_address(sealed.address)->server);
      Statement get("SELECT body FROM spoor.objects WHERE oid = $1");
      return std::string((*connection)->run(get.add(text.oid)).value().bytes(0, 0));
    };
    std::vector<std::string> bodies;
    REQUIRE(sealed.store->put(std::array{text}));
    bodies.push_back(row());
    REQUIRE(sealed.store->sweep({.objects = {text.oid}}));
    REQUIRE(other->put(std::array{text}));
    bodies.push_back(row());
    CHECK(bodies[0] != bodies[1]);
    const KeyTree before = sealed.stored_keys(std::array{text.oid});
    REQUIRE(sealed.store->erase(std::array{text.oid}));
    REQUIRE(sealed.store->compact());
    const KeyTree after = sealed.stored_keys(std::array{text.oid});
    const std::string about = std::string(text.oid.view()) + '\0';
    for (const std::string& body : bodies) {
      CHECK(body[0] == 0);
      const std::uint64_t address = address_of(text.oid, 0);
      CHECK(decrypt(*before.key(address), about, body.substr(1)) == text.body);
      CHECK_FALSE(after.key(address));
    }
  }

  TEST_CASE("what was erased can come back, also from who has its key still") {
    if (!has_servers()) return;
    const Sealed sealed;
    const NewObject text = blob("here again");
    const auto stale = sealed.another();
    REQUIRE(stale->put(std::array{text}));
    for (int round = 0; round < 3; ++round) {
      CAPTURE(round);
      CHECK(sealed.store->erase(std::array{text.oid}).value() == 1);
      if (round != 1) REQUIRE(sealed.store->compact());  // Or its key is to be destroyed still.
      REQUIRE(stale->put(std::array{text}));
      const auto is_there = [&](const Store& store) {
        const auto found = store.get(std::array{text.oid}).value();
        return found[0] && found[0]->body == text.body;
      };
      CHECK(is_there(*sealed.store));
      CHECK(is_there(*sealed.another()));
      REQUIRE(sealed.store->compact());
      CHECK(is_there(*sealed.another()));
      CHECK_FALSE(sealed.has_key(text.oid));  // Its first one.
    }
    check_is_sound(*sealed.another());
  }

  TEST_CASE("an erasure that was killed before its keys were destroyed is finished later") {
    if (!has_servers()) return;
    const Sealed sealed;
    REQUIRE(sealed.store->put(std::array{blob("one"), blob("two"), blob("stays")}));
    Child killed([&] {
      const auto store = sealed.another();
      return store->erase(std::array{blob("one").oid}).value() == 1 ? 7 : 8;
    });
    CHECK(killed.wait() == 7);
    const auto remarks = fsck(*sealed.store).value().remarks;
    REQUIRE(remarks.size() == 1);
    CHECK(remarks[0].message.find("an erasure is not finished") != std::string::npos);
    CHECK(sealed.has_key(blob("one").oid));
    CHECK(sealed.store->erase(std::array{blob("two").oid}).value() == 1);
    REQUIRE(sealed.store->compact());
    CHECK_FALSE(sealed.has_key(blob("one").oid));
    CHECK_FALSE(sealed.has_key(blob("two").oid));
    CHECK(sealed.has_key(blob("stays").oid));
    CHECK_FALSE(sealed.store->property(kUnfinishedErasure).value());
    CHECK(fsck(*sealed.another()).value().remarks.empty());
  }

  TEST_CASE(
      "without the database of the keys nothing is erased, or it is said that it is not done") {
    if (!has_servers()) return;
    const auto server = PostgresServer::start(false);
    const std::string address = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(address, {}, server->new_address()));
    const auto store = PostgresStore::open(address, hasty()).value();
    const std::array one = {blob("one")};
    REQUIRE(store->put(one));
    server->stop();
    const auto refused = store->erase(std::array{one[0].oid});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::unavailable);
    CHECK(refused.error().message.starts_with("the database of the keys: "));
    CHECK(store->has(std::array{one[0].oid}).value()[0]);
    CHECK_FALSE(store->property(kUnfinishedErasure).value());
    CHECK(store->get(std::array{one[0].oid}));  // Its key is known here.
    const auto late = PostgresStore::open(address, hasty()).value();
    CHECK(late->get(std::array{one[0].oid}).error().code == Error::Code::unavailable);
    CHECK(late->put(std::array{blob("two")}).error().code == Error::Code::unavailable);
    server->run();
    CHECK(late->get(std::array{one[0].oid}));
    CHECK(store->erase(std::array{one[0].oid}).value() == 1);
    server->stop();
    const auto unfinished = store->compact();
    REQUIRE_FALSE(unfinished);
    CHECK(unfinished.error().message.starts_with("the keys of erased texts are not destroyed yet"));
    CHECK(unfinished.error().hint.find("spoor store gc --vacuum") != std::string::npos);
    CHECK(store->property(kUnfinishedErasure).value());
    server->run();
    REQUIRE(store->compact());
    CHECK_FALSE(store->property(kUnfinishedErasure).value());
  }

  TEST_CASE("many erasures leave every other content, and few nodes are asked for") {
    if (!has_servers()) return;
    const Sealed sealed;
    std::vector<NewObject> objects;
    std::vector<Oid> all;
    for (int i = 0; i < 1'200; ++i) {
      objects.push_back(blob("content " + std::to_string(i)));
      all.push_back(objects.back().oid);
    }
    REQUIRE(sealed.store->put(objects));
    const auto gone = std::span(all).first(600);
    CHECK(sealed.store->erase(gone).value() == gone.size());
    REQUIRE(sealed.store->compact());
    const auto left = sealed.another()->get(all).value();
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(left[i].has_value() == (i >= gone.size()));
    }
    REQUIRE(sealed.another()->put(objects));
    check_is_sound(*sealed.another());
  }

  TEST_CASE("each store has its own keys, on another server, and they go with it") {
    if (!has_servers()) return;
    const Sealed sealed;
    const auto create = [&](const std::string& keys) {
      return PostgresStore::create(PostgresServer::get()->new_address(), {}, keys).error();
    };
    CHECK(create(sealed.keys).code == Error::Code::conflict);
    CHECK(create(PostgresServer::get()->new_address()).code == Error::Code::invalid);
    CHECK(create("postgres:///x?host=/nowhere").code == Error::Code::unavailable);
    CHECK(create("no address").code == Error::Code::invalid);
    const std::string keys = PostgresServer::of_keys()->new_address();
    CHECK(PostgresStore::create(sealed.address, {}, keys).error().code == Error::Code::conflict);
    REQUIRE(PostgresStore::create(PostgresServer::get()->new_address(), {}, keys));  // Not taken.
    REQUIRE(PostgresStore::remove(sealed.address));
    CHECK(KeyDatabase(parse_address(sealed.keys).value(), {}).find({}).error().message ==
          "the database of the keys: it has no store '" + parse_address(sealed.keys).value().store +
              "'");
  }

  TEST_CASE("a text whose keys cannot be found is an error, not one that was erased") {
    if (!has_servers()) return;
    const Sealed sealed;
    History history;
    REQUIRE(append(*sealed.store, history, "main", "text"));
    REQUIRE(run_sql(sealed.address,
                    "UPDATE spoor.properties SET value = value || 'x'::bytea "
                    "WHERE store = $1 AND key = 'keys'"));
    const auto store = sealed.another();
    CHECK(store->get(std::array{blob("text").oid}).error().code == Error::Code::io);
    const auto read = store->run(history.last(), 1, 100, [](const auto&) { return true; });
    CHECK(read.error().code == Error::Code::io);
  }

  TEST_CASE("a row that was changed, or moved to another name, is named") {
    if (!has_servers()) return;
    const Sealed sealed;
    REQUIRE(sealed.store->put(std::array{blob("one"), blob("two"), blob("three")}));
    sealed.run(
        "UPDATE spoor.objects SET body = set_byte(body, 20, get_byte(body, 20) # 1), "
        "kind = kind WHERE store = (SELECT max(id) FROM spoor.stores)");
    const auto report = fsck(*sealed.another()).value();
    CHECK(report.problem_count >= 3);
    CHECK(sealed.another()
              ->get(std::array{blob("one").oid})
              .error()
              .message.ends_with("its bytes are not what was sealed"));
    sealed.run(
        "UPDATE spoor.objects SET body = set_byte(body, 20, get_byte(body, 20) # 1) "
        "WHERE store = (SELECT max(id) FROM spoor.stores)");
    check_is_sound(*sealed.another());
  }
}
