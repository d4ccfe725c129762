#include "store/fsck.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "tests/store/forgeries.h"
#include "tests/store/world.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

FsckReport report_of(const World& world) { return fsck(WorldStore(world)).value(); }

std::string shown(const FsckReport& report) {
  std::string text;
  for (const auto& each : report.problems) {
    text += each.subject + ": " + std::string(name_of(each.rule)) + ": " + each.message + "\n";
  }
  return text;
}

std::set<Rule> rules_of(const FsckReport& report) {
  std::set<Rule> rules;
  for (const auto& each : report.problems) rules.insert(each.rule);
  return rules;
}

std::uint64_t count(const World& world, Kind kind) {
  return static_cast<std::uint64_t>(
      std::count_if(world.objects.begin(), world.objects.end(),
                    [kind](const NewObject& each) { return each.kind == kind; }));
}

}  // namespace

TEST_SUITE("store/fsck") {
  TEST_CASE("an empty store is sound") {
    const FsckReport report = report_of(World());
    CHECK(report.is_sound());
    CHECK_FALSE(report.newest_operation.has_value());
    CHECK(report.object_count() == 0);
  }

  TEST_CASE("a store with one of everything is sound, and is counted") {
    const World world = sound_world();
    const FsckReport report = report_of(world);
    CHECK_MESSAGE(report.is_sound(), shown(report));
    CHECK(report.object_count() == world.objects.size());
    CHECK(report.objects[static_cast<std::size_t>(Kind::commit)] == count(world, Kind::commit));
    CHECK(report.objects[static_cast<std::size_t>(Kind::chunks)] == 1);
    CHECK(report.operations == world.log.size());
    CHECK(report.refs == world.refs.size());
    CHECK(report.newest_operation == world.log.back().name);
    CHECK(report.orphans == 0);
    CHECK(report.unreachable == 0);
  }

  TEST_CASE("each forgery is found by its rule, and by no other") {
    for (const Forgery& forgery : forgeries()) {
      CAPTURE(forgery.what);
      World world = sound_world();
      const std::string subject = forgery.forge(world);
      const FsckReport report = report_of(world);
      INFO(shown(report));
      CHECK(rules_of(report) == std::set{forgery.rule});
      REQUIRE_FALSE(report.problems.empty());
      CHECK(report.problems[0].subject == subject);
    }
  }

  TEST_CASE("every rule has a forgery") {
    // The first: see the test below. The last two are for what layers above keep.
    std::set<Rule> forged = {Rule::engine, Rule::derived, Rule::checkpoint};
    for (const Forgery& forgery : forgeries()) forged.insert(forgery.rule);
    for (std::size_t i = 0; i < kRuleCount; ++i) {
      CAPTURE(name_of(static_cast<Rule>(i)));
      CHECK(forged.contains(static_cast<Rule>(i)));
    }
  }

  TEST_CASE("what the engine finds is reported") {
    World world = sound_world();
    world.findings.push_back({"row 7", "is malformed"});
    const FsckReport report = report_of(world);
    REQUIRE(report.problem_count == 1);
    CHECK(report.problems[0].rule == Rule::engine);
    CHECK(report.problems[0].subject == "row 7");
  }

  TEST_CASE("an object that the engine reported is not also missing") {
    World world = sound_world();
    const Oid content = world.commits.at(world.refs.at(kMain)).content->oid;
    world.drop(content);
    world.findings.push_back({content.hex(), "its row is malformed"});
    const FsckReport report = report_of(world);
    CHECK(rules_of(report) == std::set{Rule::engine});
  }

  TEST_CASE("a damaged commit in the middle is one problem, not one for each descendant") {
    World world = sound_world();
    const Oid root = world.refs.at(tag_ref("v0"));
    for (NewObject& each : world.objects) {
      if (each.oid == root) each.body[3] ^= 1;
    }
    const FsckReport report = report_of(world);
    INFO(shown(report));
    CHECK(report.problem_count == 1);
    CHECK(report.problems[0].subject == root.hex());
  }

  TEST_CASE("what a tombstone explains is absent, not missing") {
    const FsckReport report = report_of(sound_world());
    REQUIRE(report.absent.size() == 1);
    CHECK(report.absent[0].oid == object_name(Kind::blob, "erased"));
    CHECK(report.absent[0].reason == "erased");
  }

  TEST_CASE("what no ref leads to is counted") {
    World world = sound_world();
    world.grow(std::nullopt, 3, "nobody's");
    world.content("a lone blob");
    const FsckReport report = report_of(world);
    CHECK(report.is_sound());
    CHECK(report.orphans == 3);
    CHECK(report.unreachable == 4);  // Three turns' texts, and the lone one.
  }

  TEST_CASE("a log may begin with a checkpoint") {
    World world = sound_world();
    Operation checkpoint = world.moving({});
    checkpoint.folded = checkpoint.prev;
    checkpoint.prev.reset();
    for (const auto& [name, target] : world.refs) {
      checkpoint.refs.push_back({name, std::nullopt, target});
    }
    const std::uint64_t number = world.log.back().number;
    const Oid root = world.refs.at(tag_ref("v0"));
    world.log.clear();
    world.log_operation(checkpoint);
    Operation next = world.moving({{kMain, root}});
    next.time = checkpoint.time;
    world.log_operation(next);
    world.log[0].number = number;
    world.log[1].number = number + 1;
    const FsckReport report = report_of(world);
    CHECK_MESSAGE(report.is_sound(), shown(report));
    CHECK(report.operations == 2);
  }

  TEST_CASE("a store with more problems than anyone reads keeps their number") {
    World world;
    for (std::size_t i = 0; i < FsckReport::kMaxProblems + 5; ++i) {
      world.add(Kind::attest, std::to_string(i));
    }
    const FsckReport report = report_of(world);
    CHECK(report.problems.size() == FsckReport::kMaxProblems);
    CHECK(report.problem_count == FsckReport::kMaxProblems + 5);
  }

  TEST_CASE("progress is told, and a cancelled fsck stops") {
    World world;
    for (int i = 0; i < 3'000; ++i) world.content(std::to_string(i));
    const WorldStore store(world);
    std::vector<std::uint64_t> told;
    FsckOptions options;
    options.progress = [&told](std::uint64_t objects) { told.push_back(objects); };
    REQUIRE(fsck(store, options));
    CHECK(told == std::vector<std::uint64_t>{1'024, 2'048, 3'000});

    options.is_cancelled = [] { return true; };
    const auto stopped = fsck(store, options);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == Error::Code::interrupted);
  }

  TEST_CASE("no bytes make fsck fail: bodies of every kind, changed at random and named anew") {
    const World sound = sound_world();
    std::mt19937_64 random(1);
    const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (int round = 0; round < 60; ++round) {
      World world = sound;
      for (NewObject& each : world.objects) {
        if (each.body.size() > 10'000 || below(8) != 0) continue;
        std::string& body = each.body;
        switch (below(4)) {
          case 0:
            body.erase(below(body.size()), 1 + below(80));
            break;
          case 1:
            body.insert(below(body.size()), body.substr(below(body.size()), 1 + below(80)));
            break;
          case 2:
            body[below(body.size())] = static_cast<char>(random());
            break;
          default:
            each.kind = static_cast<Kind>(below(7));
        }
        if (below(2) == 0) each.oid = object_name(each.kind, body);
        if (body.empty()) body = "x";
      }
      for (LoggedOperation& each : world.log) {
        if (below(3) != 0) continue;
        each.body[below(each.body.size())] ^= static_cast<char>(1U << below(8));
        if (below(2) == 0) each.name = operation_name(each.body);
      }
      CHECK(fsck(WorldStore(world)).has_value());
    }
  }
}
