// The parts of an archive: what builds on what the reader has, cut, and written with few calls.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "store/archive_reader.h"
#include "store/bundle.h"
#include "store/fsck.h"
#include "store/memory_store.h"
#include "tests/store/archive_text.h"
#include "tests/store/sample.h"
#include "tests/store/world.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

std::string packed(const Store& store, const ArchiveHead& head) {
  std::string bytes;
  const auto count = write_archive(store, head, [&](std::string_view part) -> Result<void> {
    bytes += part;
    return {};
  });
  REQUIRE_MESSAGE(count, count.error().message);
  return bytes;
}

Result<Received> unpack(Store& store, std::string_view bytes, const ReceiveOptions& options = {}) {
  return receive_archive(store, options, [&](std::span<char> to) -> Result<std::size_t> {
    const std::size_t count = std::min(bytes.size(), to.size());
    bytes.copy(to.data(), count);
    bytes.remove_prefix(count);
    return count;
  });
}

// The names of the objects in an archive.
std::set<std::string> names_in(std::string_view bytes) {
  std::set<std::string> names;
  for (const std::string& text : take_apart(bytes).texts) {
    for (std::size_t at = 0; at < text.size();) {
      const std::string line = text.substr(at, text.find('\n', at) - at);
      names.insert(line.substr(line.size() - 64));
      at += line.size() + 2 + std::stoull(line.substr(line.find(' ', 7) + 1));
    }
  }
  return names;
}

std::string noise(std::mt19937_64& random, std::size_t size) {
  std::string text;
  while (text.size() < size) text += std::to_string(random());
  return text;
}

}  // namespace

TEST_SUITE("store/parts") {
  TEST_CASE("the formats of earlier versions are read") {
    MemoryStore from;
    History history;
    for (int i = 0; i < 5; ++i) REQUIRE(append(from, history, "main", std::to_string(i)));
    const std::string bytes = packed(from, {.refs = from.refs("").value()});
    for (const int format : {1, 2}) {
      MemoryStore to;
      const std::string earlier = in_earlier_format(bytes, format);
      const auto received = unpack(to, earlier);
      REQUIRE_MESSAGE(received, received.error().message);
      CHECK(received->count.commits == 5);
      CHECK(to.has(std::array{history.last()}).value()[0]);
      for (std::size_t at = 0; at < earlier.size(); ++at) {
        std::string changed = earlier;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        MemoryStore other;
        CHECK_MESSAGE(!unpack(other, changed), at);
      }
    }
  }

  TEST_CASE("a part builds on what its reader has, and on nothing else") {
    MemoryStore from;
    History history;
    for (int i = 0; i < 300; ++i) REQUIRE(append(from, history, "main", std::to_string(i)));
    const Oid middle = history.last();
    MemoryStore to;
    REQUIRE(unpack(to, packed(from, {.refs = from.refs("").value()})));
    for (int i = 300; i < 400; ++i) REQUIRE(append(from, history, "main", std::to_string(i)));
    const std::string part = packed(from, {.haves = {middle}, .refs = from.refs("").value()});
    CHECK(names_in(part).size() == 200);
    const auto received = unpack(to, part);
    REQUIRE_MESSAGE(received, received.error().message);
    CHECK(received->head.haves == std::vector{middle});
    CHECK(to.has(std::array{history.last()}).value()[0]);

    MemoryStore empty;
    const auto refused = unpack(empty, part);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::not_found);
    CHECK(refused.error().message.find("builds on") != std::string::npos);
  }

  TEST_CASE("a have that the writer lacks is as good as none") {
    MemoryStore from;
    History history;
    for (int i = 0; i < 3; ++i) REQUIRE(append(from, history, "main", std::to_string(i)));
    const Oid unknown = blob("elsewhere").oid;
    CHECK(names_in(packed(from, {.haves = {unknown}, .refs = from.refs("").value()})).size() == 6);
  }

  TEST_CASE("of random histories with merges, a part has all commits that the haves lack") {
    for (std::uint64_t seed = 1; seed <= spoor::testing::rounds(30U); ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(spoor::testing::seeded(seed));
      World world;
      std::vector<Oid> commits = {world.add(world.turn({}, "root"))};
      std::map<Oid, std::set<Oid>> history = {{commits[0], {commits[0]}}};
      for (int i = 0; i < 80; ++i) {
        // Near the end, so that the lines are long.
        const auto any = [&] {
          return commits[commits.size() - 1 - random() % std::min<std::size_t>(commits.size(), 6)];
        };
        const Oid parent = any();
        const Oid other = any();
        std::set<Oid> all = history[parent];
        Oid made;
        if (random() % 4 == 0 && parent != other) {
          Commit merge = world.directive(Op::merge, {parent, other});
          merge.mode = Mode::append;
          made = world.add(merge);
          all.insert(history[other].begin(), history[other].end());
        } else {
          made = world.add(world.turn({parent}, std::to_string(i)));
        }
        all.insert(made);
        if (!history.contains(made)) commits.push_back(made);
        history[made] = all;
      }
      MemoryStore from;
      REQUIRE(from.put(world.objects));
      const Oid have = commits[random() % commits.size()];
      const Oid want = commits[random() % commits.size()];
      const std::vector<Ref> had = {{branch_ref("b"), have}};
      const std::vector<Ref> wanted = {{branch_ref("b"), want}};
      MemoryStore to;
      REQUIRE(unpack(to, packed(from, {.refs = had})));
      const std::string part = packed(from, {.haves = {have}, .refs = wanted});
      std::set<std::string> missing;
      for (const Oid& each : history[want]) {
        if (!history[have].contains(each)) missing.insert(each.hex());
      }
      std::set<std::string> sent;
      for (const std::string& name : names_in(part)) {
        if (world.commits.contains(*Oid::from_hex(name))) sent.insert(name);
      }
      CHECK(std::includes(sent.begin(), sent.end(), missing.begin(), missing.end()));
      const auto received = unpack(to, part);
      REQUIRE_MESSAGE(received, received.error().message);
      CHECK(fsck(to).value().problems.empty());
    }
  }

  TEST_CASE("what the commits before name is not sent again") {
    World world;
    const Oid tools = world.content(std::string(5'000, 't'));
    Oid tip = world.add(world.turn({}, "question"));
    const auto answer = [&](int number) {
      Bundle bundle;
      bundle.commit = tip;
      bundle.renderer = "anthropic/1";
      bundle.tools = tools;
      bundle.bytes = 1;
      Commit commit = world.turn({tip}, "answer " + std::to_string(number), Type::assistant);
      commit.prompt = world.add(Kind::bundle, serialize(bundle).value());
      tip = world.add(commit);
    };
    for (int i = 0; i < 3; ++i) answer(i);
    const Oid have = tip;
    answer(3);
    MemoryStore from;
    REQUIRE(from.put(world.objects));
    const std::vector<Ref> refs = {{branch_ref("main"), tip}};
    const auto names = names_in(packed(from, {.haves = {have}, .refs = refs}));
    CHECK(names.size() == 3);  // The answer's text, its bundle, itself.
    CHECK_FALSE(names.contains(tools.hex()));
  }

  TEST_CASE("texts that a store erased may be missing under a part, and are not sent to it") {
    MemoryStore from;
    History history;
    REQUIRE(append(from, history, "main", "secret"));
    MemoryStore to;
    REQUIRE(unpack(to, packed(from, {.refs = from.refs("").value()})));
    const Oid have = history.last();
    const Tombstone stone{.erased = {blob("secret").oid}, .author = "tester", .time = at(1)};
    const NewObject object = new_object(Kind::tombstone, serialize(stone).value());
    Transaction erasure;
    erasure.objects = {object};
    erasure.erase = stone.erased;
    erasure.properties = {{"tombstones", object.oid.hex() + "\n"},
                          {"tombstones.own", object.oid.hex() + "\n"}};
    REQUIRE(to.commit(erasure));
    REQUIRE(append(from, history, "main", "secret"));  // The same content again.
    const auto received =
        unpack(to, packed(from, {.haves = {have}, .refs = from.refs("").value()}));
    REQUIRE_MESSAGE(received, received.error().message);
    CHECK_FALSE(to.has(std::array{blob("secret").oid}).value()[0]);
  }

  TEST_CASE("a tombstone that the reader has is not sent, and explains what is missing here") {
    MemoryStore from;
    History history;
    REQUIRE(append(from, history, "main", "secret"));
    const Tombstone stone{.erased = {blob("secret").oid}, .author = "tester", .time = at(1)};
    const NewObject object = new_object(Kind::tombstone, serialize(stone).value());
    Transaction erasure;
    erasure.objects = {object};
    erasure.erase = stone.erased;
    erasure.properties = {{"tombstones", object.oid.hex() + "\n"}};
    REQUIRE(from.commit(erasure));
    const ArchiveHead head{.refs = from.refs("").value()};
    MemoryStore to;
    REQUIRE(unpack(to, packed(from, head)));
    REQUIRE(append(from, history, "main", "more"));
    const std::string part = packed(from, {.haves = {object.oid}, .refs = from.refs("").value()});
    CHECK_FALSE(names_in(part).contains(object.oid.hex()));
    REQUIRE(unpack(to, part));
  }

  TEST_CASE("parts have at most 8 MiB of text, and each begins where the last ended") {
    std::mt19937_64 random(1);
    MemoryStore from;
    History history;
    for (int i = 0; i < 30; ++i) REQUIRE(append(from, history, "main", noise(random, 900'000)));
    const ArchiveHead head{.refs = from.refs("").value()};
    std::vector<std::string> calls;
    REQUIRE(write_archive(from, head, [&](std::string_view piece) -> Result<void> {
      calls.emplace_back(piece);
      return {};
    }));
    REQUIRE(calls.size() == 6);  // The head, four parts, the last line.
    std::string bytes;
    for (const std::string& each : calls) bytes += each;
    const ArchiveText apart = take_apart(bytes);
    CHECK(calls[0] == std::string(kArchiveMagic) + apart.head);
    CHECK(std::equal(apart.pieces.begin(), apart.pieces.end(), calls.begin() + 1, calls.end()));
    for (const std::string& text : apart.texts) CHECK(text.size() <= (8U << 20U));
    std::string chain = sha256(calls[0]).hex();
    for (std::size_t i = 0; i + 1 < apart.pieces.size(); ++i) {
      const std::string& piece = apart.pieces[i];
      const std::size_t end = piece.find('\n');
      const std::string frame = piece.substr(end + 1, piece.size() - end - 2);
      chain = sha256(Oid::from_hex(chain)->view(), frame).hex();
      CHECK(piece.substr(0, end) == "part " + std::to_string(frame.size()) + " " + chain);
    }
    CHECK(apart.pieces.back() == "end " + chain + "\n");
  }

  TEST_CASE("what a reader does not admit refuses the whole archive") {
    MemoryStore from;
    History history;
    REQUIRE(append(from, history, "main", "fine"));
    REQUIRE(append(from, history, "main", "not fine"));
    const Oid bad = blob("not fine").oid;
    MemoryStore to;
    const auto refused = unpack(to, packed(from, {.refs = from.refs("").value()}),
                                {.admits = [&](const NewObject& each) -> Result<void> {
                                  if (each.oid == bad) return denied("no");
                                  return {};
                                }});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::denied);
  }
}
