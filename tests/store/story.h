#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "store/sqlite/sqlite_store.h"
#include "tests/store/old_format.h"
#include "tests/store/world.h"

namespace spoor::store::sample {

/// Writes a world into a store while it grows, by the store's own transactions: so the rows, and
/// the log, are those of any store.
class Scribe {
 public:
  Scribe(Store& store, World& world) : store_(store), world_(world) {}

  /// Stores what came into the world since the last time, and moves a ref.
  void move(const std::string& ref, const std::optional<Oid>& target) {
    const auto now = world_.refs.find(ref);
    const auto before = now == world_.refs.end() ? std::nullopt : std::optional(now->second);
    std::vector<NewObject> added(world_.objects.begin() + taken_, world_.objects.end());
    store_.commit(move_ref(ref, before, target, std::move(added), at(moves_++))).value();
    taken_ += static_cast<std::ptrdiff_t>(world_.objects.size()) - taken_;
    world_.refs.erase(ref);
    if (target) world_.refs.emplace(ref, *target);
  }

  /// The log as the store wrote it.
  void copy_log() { world_.log = store_.operations(0, 1'000'000).value(); }

 private:
  Store& store_;
  World& world_;
  std::ptrdiff_t taken_ = 0;
  std::int64_t moves_ = 0;
};

/// A text of words, each time the same one of a number.
inline std::string story_text(std::uint64_t number) {
  std::mt19937_64 random(number);
  std::string text = std::to_string(number) + ':';
  for (int i = 0; i < 60; ++i) text += " word" + std::to_string(random() % 500);
  return text;
}

inline const std::string kAnswers = branch_ref("answers");

/// On a branch of its own what is rare: a bundle, an attest, a tombstone, and a name that it says
/// was erased.
inline void write_answers(World& world, Scribe& scribe, const Oid& asked) {
  Bundle bundle;
  bundle.commit = asked;
  bundle.renderer = "anthropic/1";
  bundle.params = world.content("{\"max_tokens\":10}");
  bundle.sent = object_name(Kind::blob, "a request");
  bundle.bytes = 9;
  Commit answer = world.turn({asked}, "an answer", Type::assistant);
  answer.prompt = world.add(Kind::bundle, serialize(bundle).value());
  const Oid erased = object_name(Kind::blob, "erased");
  answer.attach = {{erased, "image/png"}};
  const Oid tip = world.add(answer);
  world.add(Kind::attest, serialize(sign(std::string(kSigningKeyBytes, 'w'), tip).value()));
  const Tombstone tombstone{.erased = {erased}, .reason = {}, .author = "tester", .time = at(9)};
  world.add(Kind::tombstone, serialize(tombstone).value());
  scribe.move(kAnswers, tip);
}

/// Makes a store of some two hundred operations, and says what is in it: two branches of words, so
/// many that a dictionary can be learned from them, a merge, directives, a long attachment, a tag,
/// and one of each kind that is rarer.
inline World write_story(const std::string& path) {
  const auto store = create_old(path);
  World world;
  Scribe scribe(*store, world);
  const auto add_turn = [&](std::optional<Oid> parent, std::uint64_t number) {
    const auto parents = parent ? std::vector{*parent} : std::vector<Oid>();
    Commit turn = world.turn(parents, story_text(number));
    turn.meta =
        "{\"model\":\"a-model\",\"usage\":{\"input_tokens\":" + std::to_string(number) + "}}";
    return world.add(turn);
  };
  std::optional<Oid> main;
  std::optional<Oid> side;
  for (std::uint64_t i = 0; i < 160; ++i) {
    main = add_turn(main, i);
    scribe.move(kMain, main);
    if (i == 0) scribe.move(branch_ref("start"), main);
    if (i < 80 || i >= 100) continue;
    side = add_turn(side ? side : main, 1'000 + i);
    scribe.move(kSide, side);
  }
  write_answers(world, scribe, *main);
  Commit merge = world.directive(Op::merge, {*main, *side});
  merge.mode = Mode::append;
  main = world.add(merge);
  scribe.move(kMain, main);
  Commit edit = world.directive(Op::edit, {*main});
  edit.target = {*side};
  edit.content = Content{world.content(story_text(2'000))};
  main = world.add(edit);
  scribe.move(kMain, main);
  Commit large = world.turn({*main}, "with a long attachment", Type::tool);
  large.attach = {{world.content(std::string(kMaxBlobContent + 5, 'x')), "text/plain"}};
  main = world.add(large);
  scribe.move(kMain, main);
  const Tag tag{.target = *main, .name = "v1", .author = "tester", .time = at(5), .note = {}};
  scribe.move(tag_ref("v1"), world.add(Kind::tag, serialize(tag).value()));
  scribe.copy_log();
  return world;
}

}  // namespace spoor::store::sample
