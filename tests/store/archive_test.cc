// An archive written and read again, whole, cut short, and changed anywhere.
#include "store/archive.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <set>

#include <fmt/format.h>

#include "store/archive_reader.h"
#include "store/fsck.h"
#include "tests/store/engines.h"
#include "tests/store/sample.h"
#include "tests/store/world.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

void write_world(const World& world, Store& store) {
  REQUIRE(store.put(world.objects));
  for (const LoggedOperation& logged : world.log) {
    const Operation operation = parse_operation(logged.body).value();
    REQUIRE(store.commit({.objects = {},
                          .refs = operation.refs,
                          .actor = operation.actor,
                          .command = operation.command,
                          .time = operation.time}));
  }
}

std::string archive_of(const Store& store, const ArchiveHead& head) {
  std::string bytes;
  const auto count = write_archive(store, head, [&](std::string_view part) -> Result<void> {
    bytes += part;
    return {};
  });
  REQUIRE_MESSAGE(count, count.error().message);
  return bytes;
}

std::string archive_of(const Store& store) {
  return archive_of(store, {.refs = store.refs("").value()});
}

// In pieces of `piece` bytes.
Result<Received> receive(Store& store, std::string_view bytes, std::size_t piece = 1'000,
                         bool is_private = false) {
  return receive_archive(store, {.is_private = is_private},
                         [&](std::span<char> to) -> Result<std::size_t> {
                           const std::size_t count = std::min({piece, bytes.size(), to.size()});
                           bytes.copy(to.data(), count);
                           bytes.remove_prefix(count);
                           return count;
                         });
}

std::set<Oid> objects_of(const Store& store) {
  std::set<Oid> all;
  REQUIRE(store.scan([&](const StoredObject& each) { return all.insert(each.oid), true; }));
  return all;
}

Result<void> place(Store& store, const ArchiveHead& head) {
  for (const PlacedRef& ref : TRY(place_refs(store, head))) {
    if (ref.is_new) TRY(store.commit(move_ref(ref.as, std::nullopt, ref.target)));
  }
  return {};
}

}  // namespace

TEST_SUITE("store/archive") {
  TEST_CASE_TEMPLATE("a store with one of everything comes back with the same names, and is sound",
                     Kept, STORES) {
    Kept kept_from;
    Store& from = kept_from.store();
    write_world(sound_world(), from);
    const std::string bytes = archive_of(from);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{65'536}}) {
      Kept kept_to;
      Store& to = kept_to.store();
      const auto received = receive(to, bytes, piece);
      REQUIRE_MESSAGE(received, received.error().message);
      CHECK(to.refs("").value().empty());  // That is for the caller.
      REQUIRE(place(to, received->head));
      CHECK(to.refs("").value() == from.refs("").value());
      CHECK(fsck(to).value().is_sound());
      // All but the signature under an operation, which stays at home.
      const auto here = objects_of(to);
      const auto there = objects_of(from);
      CHECK(here.size() + 1 == there.size());
      CHECK(std::includes(there.begin(), there.end(), here.begin(), here.end()));
      CHECK(archive_of(to) == bytes);
      CHECK(received->count.objects == here.size());
      if (piece == 1) continue;
      REQUIRE(receive(to, bytes));  // Again: nothing new.
      CHECK(objects_of(to) == here);
    }
  }

  TEST_CASE_TEMPLATE("one branch brings what it needs and no more", Kept, STORES) {
    Kept kept_from;
    Store& from = kept_from.store();
    History history;
    REQUIRE(append(from, history, "main", "shared"));
    const Oid shared = history.last();
    REQUIRE(from.commit(move_ref(branch_ref("side"), std::nullopt, shared)));
    REQUIRE(append(from, history, "main", "mine"));
    const Oid mine = history.last();
    REQUIRE(append(from, history, "side", "theirs"));
    Kept kept_to;
    Store& to = kept_to.store();
    REQUIRE(receive(to, archive_of(from, {.refs = from.refs("refs/heads/side").value()})));
    CHECK(to.has(std::array{shared, history.last(), mine}).value() ==
          std::vector<bool>{true, true, false});
  }

  TEST_CASE_TEMPLATE("a ref that is here is never moved", Kept, STORES) {
    Kept kept_from;
    Store& from = kept_from.store();
    Kept kept_to;
    Store& to = kept_to.store();
    History history;
    History other;
    REQUIRE(append(from, history, "main", "theirs"));
    REQUIRE(append(to, other, "main", "ours"));
    const auto received = receive(to, archive_of(from));
    REQUIRE(received);
    const auto first = place_refs(to, received->head).value();
    CHECK(first[0].as == "refs/heads/main-imported");
    CHECK(first[0].is_new);
    REQUIRE(place(to, received->head));
    CHECK(to.ref(branch_ref("main")).value() == other.last());
    CHECK(to.ref(branch_ref("main-imported")).value() == history.last());
    CHECK_FALSE(place_refs(to, received->head).value()[0].is_new);  // Again: nothing new.
  }

  TEST_CASE("no cut archive is whole") {
    MemoryStore from;
    History history;
    for (int i = 0; i < 3; ++i) REQUIRE(append(from, history, "main", std::to_string(i)));
    const std::string bytes = archive_of(from);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      MemoryStore to;
      const auto received = receive(to, std::string_view(bytes).substr(0, size));
      REQUIRE_FALSE(received);
      CHECK(received.error().code == Error::Code::corrupt);
    }
    MemoryStore to;
    CHECK(receive(to, bytes + "x").error().code == Error::Code::corrupt);
  }

  TEST_CASE("a changed byte is noticed, wherever it is") {
    MemoryStore from;
    History history;
    for (int i = 0; i < 3; ++i) REQUIRE(append(from, history, "main", std::to_string(i)));
    const std::string bytes = archive_of(from);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 1);
      MemoryStore to;
      CHECK_MESSAGE(!receive(to, changed), at);
    }
  }

  TEST_CASE_TEMPLATE("what stands wrongly in a history does not come in", Kept, STORES) {
    // Sound lines around a commit that its parents contradict.
    Kept kept_from;
    Store& from = kept_from.store();
    History history;
    REQUIRE(append(from, history, "main", "first"));
    Commit commit;
    commit.type = Type::user;
    commit.content = Content{blob("second").oid};
    commit.parents = {history.last()};
    commit.depth = 7;
    commit.gen = 7;
    commit.skip = history.last();
    const NewObject forged = new_object(Kind::commit, serialize(commit).value());
    REQUIRE(from.put(std::array{blob("second"), forged}));
    REQUIRE(from.commit(move_ref(branch_ref("bad"), std::nullopt, forged.oid)));
    Kept kept_to;
    Store& to = kept_to.store();
    CHECK(receive(to, archive_of(from)).error().code == Error::Code::corrupt);
  }

  TEST_CASE_TEMPLATE("an object that no ref needs, or more than were asked for, does not come in",
                     Kept, STORES) {
    World world;
    const Oid tip = world.add(world.turn({}, "needed"));
    Kept kept_from;
    Store& from = kept_from.store();
    REQUIRE(from.put(world.objects));
    const std::string line =
        std::string(kArchiveMagic) + "ref " + branch_ref("main") + " " + tip.hex() + "\n";
    const auto archive = [&](const std::vector<NewObject>& objects) {
      std::string bytes;
      const ByteSink sink = [&](std::string_view piece) -> Result<void> {
        bytes += piece;
        return {};
      };
      PartWriter parts(sink);
      REQUIRE(parts.begin(line));
      for (const NewObject& each : objects) {
        const auto about =
            fmt::format("object {} {} {}\n", name_of(each.kind), each.body.size(), each.oid.hex());
        REQUIRE(parts.add(about, each.body));
      }
      REQUIRE(parts.finish());
      return bytes;
    };
    Kept kept_to;
    Store& to = kept_to.store();
    auto more = world.objects;
    more.insert(more.begin(), blob("a stowaway"));
    const auto refused = receive(to, archive(more));
    CHECK(refused.error().code == Error::Code::corrupt);
    CHECK(refused.error().message.find(blob("a stowaway").oid.hex()) != std::string::npos);

    const std::string bytes = archive(world.objects);
    const auto limited = [&](const ReceiveOptions& options) {
      std::string_view rest = bytes;
      Kept kept_other;
      Store& other = kept_other.store();
      return receive_archive(other, options, [&](std::span<char> into) -> Result<std::size_t> {
        const std::size_t count = std::min(rest.size(), into.size());
        rest.copy(into.data(), count);
        rest.remove_prefix(count);
        return count;
      });
    };
    std::uint64_t size = 0;
    for (const NewObject& each : world.objects) size += each.body.size();
    CHECK(limited({.most_objects = world.objects.size(), .most_bytes = size}));
    CHECK(limited({.most_objects = world.objects.size() - 1}).error().code == Error::Code::denied);
    CHECK(limited({.most_bytes = size - 1}).error().code == Error::Code::denied);
  }

  TEST_CASE("private and other stores do not mix") {
    MemoryStore from;
    History history;
    REQUIRE(append(from, history, "main", "text"));
    MemoryStore to;
    const std::string bytes = archive_of(from);
    CHECK(receive(to, bytes, 1'000, true).error().code == Error::Code::denied);
    const std::string lying = archive_of(from, {.is_private = true, .refs = from.refs("").value()});
    CHECK(receive(to, lying).error().code == Error::Code::denied);
    CHECK(receive(to, lying, 1'000, true).error().code == Error::Code::corrupt);
  }

  TEST_CASE("other files are no archives, and newer ones say so") {
    MemoryStore to;
    CHECK(receive(to, "{\"type\":\"user\"}\n").error().code == Error::Code::invalid);
    CHECK(receive(to, "spoor archive 4\n").error().message.find("newer") != std::string::npos);
  }

  TEST_CASE_TEMPLATE("a store that lacks something writes no archive", Kept, STORES) {
    Kept kept_from;
    Store& from = kept_from.store();
    History history;
    for (int i = 0; i < 3; ++i) REQUIRE(append(from, history, "main", std::to_string(i)));
    REQUIRE(from.erase(std::array{blob("1").oid}));
    const auto sink = [](std::string_view) { return Result<void>(); };
    const ArchiveHead head{.refs = from.refs("").value()};
    CHECK(write_archive(from, head, sink).error().code == Error::Code::corrupt);
    CHECK(write_archive(from, {}, sink).error().code == Error::Code::invalid);
  }

  TEST_CASE_TEMPLATE("random histories come back with the same names", Kept, STORES) {
    for (std::uint64_t seed = 1; seed <= spoor::testing::rounds(20U); ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(spoor::testing::seeded(seed));
      World world;
      std::vector<Oid> commits = {world.add(world.turn({}, "root"))};
      for (int i = 0; i < 60; ++i) {
        const Oid parent = commits[random() % commits.size()];
        const Oid other = commits[random() % commits.size()];
        if (random() % 5 == 0 && parent != other) {
          Commit merge = world.directive(Op::merge, {parent, other});
          merge.mode = Mode::append;
          commits.push_back(world.add(merge));
        } else {
          commits.push_back(world.add(world.turn({parent}, std::to_string(random() % 40))));
        }
      }
      for (int i = 0; i < 5; ++i) {
        world.move(branch_ref("b" + std::to_string(i)), commits[random() % commits.size()]);
      }
      Kept kept_from;
      Store& from = kept_from.store();
      write_world(world, from);
      Kept kept_to;
      Store& to = kept_to.store();
      const auto received = receive(to, archive_of(from));
      REQUIRE_MESSAGE(received, received.error().message);
      REQUIRE(place(to, received->head));
      CHECK(to.refs("").value() == from.refs("").value());
      const FsckReport report = fsck(to).value();
      CHECK(report.is_sound());
      CHECK(report.orphans == 0);
      CHECK(report.unreachable == 0);
    }
  }
}
