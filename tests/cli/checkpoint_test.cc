// The key of a signed log, and the cosignatures that are kept.
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "base/big_endian.h"
#include "proof/note.h"
#include "store/sha256.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/cli/program.h"
#include "tests/support/holds.h"

using spoor::test::Program;
namespace proof = spoor::proof;

namespace {

using spoor::testing::holds;

const std::string kWitnessSecret(spoor::store::sha256("a witness's secret").view());

proof::VerifierKey witness_key(const std::string& name) {
  return {name, proof::VerifierKey::Signs::cosignatures,
          spoor::store::public_key_of(kWitnessSecret).value()};
}

// The answer of a witness to a checkpoint.
std::string cosigned(const std::string& checkpoint, const std::string& name) {
  const proof::Note note = proof::parse_note(checkpoint).value();
  const auto raw =
      spoor::store::sign_message(kWitnessSecret, "cosignature/v1\ntime 1900000000\n" + note.text);
  std::string bytes;
  spoor::append_big_endian(bytes, 1'900'000'000, 8);
  bytes.append(raw.value().begin(), raw.value().end());
  const proof::Note signed_note{"", {{name, proof::id_of(witness_key(name)), bytes}}};
  return serialize(signed_note).substr(1);
}

std::filesystem::path log_key_file(const Program& spoor) {
  for (const auto& entry :
       std::filesystem::directory_iterator(spoor.folder.path + "/.local/share/spoor/keys")) {
    if (entry.path().extension() == ".log") return entry.path();
  }
  return {};
}

std::string bytes_in(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_SUITE("cli/checkpoint") {
  TEST_CASE("the key is made at first use, outside the store, for its owner alone") {
    Program spoor;
    spoor({"init"});
    CHECK(spoor({"checkpoint"}).err.starts_with("error: the log is empty"));
    spoor({"user", "hello"});
    const std::string key = spoor.out({"checkpoint", "--key"});
    CHECK(spoor.out({"checkpoint", "--key"}) == key);
    const auto file = log_key_file(spoor);
    CHECK(std::filesystem::status(file).permissions() == std::filesystem::perms{0600});
    const std::string secret = bytes_in(file).substr(0, 64);
    CHECK_FALSE(holds(bytes_in(spoor.folder.path + "/.spoor"), secret));
    CHECK_FALSE(holds(bytes_in(spoor.folder.path + "/.spoor-wal"), secret));

    spoor({"checkpoint"});
    std::filesystem::remove(file);
    const auto refused = spoor({"checkpoint"});
    CHECK(refused.status == 1);
    CHECK(holds(refused.err, "the key of this store's log is missing"));
    CHECK(spoor({"prove"}).status == 0);  // The note is there.
    CHECK(spoor({"checkpoint", "--new-key"}).status == 0);
    CHECK(spoor.out({"checkpoint", "--key"}) != key);
  }

  TEST_CASE("a cosignature is kept if the witness's key made it, until the log has grown") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "hello"});
    const std::string key = spoor.out({"checkpoint", "--key"});
    const std::string checkpoint = spoor.out({"checkpoint"});
    const std::string answer = cosigned(checkpoint, "w.example/1") + cosigned(checkpoint, "w2");
    const std::string witness = serialize(witness_key("w.example/1"));
    const Program::Answer refused = spoor(
        {"checkpoint", "--cosignatures", "-", "--witness", serialize(witness_key("w3"))}, answer);
    CHECK(holds(refused.err, "'w3' has not signed it"));
    std::string damaged = cosigned(checkpoint, "w.example/1");
    damaged[damaged.size() / 2] = damaged[damaged.size() / 2] == 'A' ? 'B' : 'A';
    CHECK(spoor({"checkpoint", "--cosignatures", "-", "--witness", witness}, damaged).status == 1);
    CHECK(spoor.out({"checkpoint"}) == checkpoint);

    for (int i = 0; i < 2; ++i) {  // The second time it is not kept twice.
      const std::string kept =
          spoor.out({"checkpoint", "--cosignatures", "-", "--witness", witness}, answer);
      CHECK(kept == checkpoint + cosigned(checkpoint, "w.example/1"));
      CHECK(spoor.out({"checkpoint"}) == kept);
    }
    const std::string file = spoor.folder.path + "/proof";
    spoor({"prove", "--output", file});
    const std::string shown =
        spoor.out({"verify", file, "--key", key.substr(0, key.size() - 1), "--witness", witness});
    CHECK(holds(shown, "witness    w.example/1, 2030-03-17T17:46:40Z\nproven\n"));

    spoor({"user", "more"});
    CHECK_FALSE(holds(spoor.out({"checkpoint"}), "w.example/1"));
  }

  TEST_CASE("a kept note that is forged or malformed is named by fsck, and replaced") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "hello"});
    const std::string checkpoint = spoor.out({"checkpoint"});
    std::string longer = checkpoint;
    longer.replace(longer.find("\n1\n"), 3, "\n9\n");
    for (const std::string& forged : {longer, std::string("nothing of the kind")}) {
      {
        const std::string path = spoor.folder.path + "/.spoor";
        const auto store = spoor::store::SqliteStore::open(path).value();
        REQUIRE(store->set_property("log.checkpoint", forged));
      }
      const Program::Answer found = spoor({"store", "fsck"});
      CHECK(found.status == 1);
      CHECK(holds(found.out, "[checkpoint]"));
      CHECK(spoor({"prove"}).status == 1);
      CHECK(spoor.out({"checkpoint"}) == checkpoint);
      CHECK(spoor({"store", "fsck"}).status == 0);
    }
  }

  TEST_CASE("a proof is verified from standard input, with no store or one that is not trusted") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "hello"});
    std::string key = spoor.out({"checkpoint", "--key"});
    key.pop_back();
    spoor({"checkpoint"});
    const std::string made = spoor.out({"prove"});
    Program elsewhere;
    CHECK(elsewhere({"verify", "-", "--key", key}, made).status == 0);
    CHECK_FALSE(std::filesystem::exists(elsewhere.folder.path + "/.local"));
    std::filesystem::copy(spoor.folder.path + "/.spoor", elsewhere.folder.path + "/.spoor");
    CHECK(elsewhere({"checkpoint"}).status == 1);
    CHECK(elsewhere({"verify", "-", "--key", key}, made).status == 0);
  }
}
