#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/blob.h"
#include "store/bundle.h"
#include "store/commit.h"
#include "store/rope.h"
#include "store/signature.h"
#include "store/store.h"
#include "store/tag.h"
#include "store/tombstone.h"
#include "tests/store/sample.h"

namespace spoor::store::sample {

/// A store as plain data, in which nothing is checked, so that tests can forge
/// what no library call would write.
struct World {
  std::vector<NewObject> objects;
  std::vector<LoggedOperation> log;
  std::map<std::string, Oid> refs;  // As the table of refs says.
  std::vector<Store::Finding> findings;

  std::set<Oid> names;  // Of objects that were added.
  std::map<Oid, Commit> commits;
  std::optional<Oid> chain;

  Oid add(NewObject object) {
    const Oid oid = object.oid;
    if (names.insert(oid).second) objects.push_back(std::move(object));
    return oid;
  }
  Oid add(Kind kind, std::string body) { return add(new_object(kind, std::move(body))); }

  Oid content(std::string_view text) {
    Oid last;
    for (NewObject& each : encode_content(text, Salter())) last = add(std::move(each));
    return last;
  }

  Oid rope(std::string_view text, const std::vector<Cut>& cuts) {
    Oid last;
    for (NewObject& each : encode_rope(text, cuts, Salter())) last = add(std::move(each));
    return last;
  }

  Oid add(const Commit& commit) {
    const Oid oid = add(Kind::commit, serialize(commit).value());
    commits.emplace(oid, commit);
    return oid;
  }

  /// Parents, depth, gen and skip for a commit behind `parents`.
  Commit behind(const std::vector<Oid>& parents) const {
    Commit commit;
    commit.parents = parents;
    if (parents.empty()) return commit;
    commit.depth = commits.at(parents[0]).depth + 1;
    for (const Oid& each : parents) commit.gen = std::max(commit.gen, commits.at(each).gen + 1);
    if (commit.depth < 2) return commit;
    Oid at = parents[0];
    while (commits.at(at).depth > skip_height(commit.depth)) at = commits.at(at).parents[0];
    commit.skip = at;
    return commit;
  }

  /// A turn, ready to be changed and added.
  Commit turn(const std::vector<Oid>& parents, std::string_view text, Type type = Type::user) {
    Commit commit = behind(parents);
    commit.type = type;
    commit.content = Content{content(text)};
    return commit;
  }

  Commit directive(Op op, const std::vector<Oid>& parents) const {
    Commit commit = behind(parents);
    commit.op = op;
    return commit;
  }

  /// A chain of turns; the last one.
  Oid grow(std::optional<Oid> tip, int turns, const std::string& text) {
    for (int i = 0; i < turns; ++i) {
      const std::vector<Oid> parents = tip ? std::vector<Oid>{*tip} : std::vector<Oid>();
      tip = add(turn(parents, text + " " + std::to_string(i)));
    }
    return *tip;
  }

  /// The operation that moves refs to `targets` from where they are; not logged yet.
  Operation moving(const std::map<std::string, std::optional<Oid>>& targets) const {
    Operation operation;
    operation.prev = chain;
    operation.time = at(static_cast<std::int64_t>(log.size()));
    operation.actor = "tester";
    operation.command = "test";
    for (const auto& [name, target] : targets) {
      const auto now = refs.find(name);
      const auto before = now == refs.end() ? std::nullopt : std::optional(now->second);
      operation.refs.push_back({name, before, target});
    }
    return operation;
  }

  /// Logs an operation and moves the refs.
  Oid log_operation(const Operation& operation) {
    const Oid name = log_text(serialize(operation).value());
    for (const RefMove& move : operation.refs) {
      refs.erase(move.name);
      if (move.after) refs.emplace(move.name, *move.after);
    }
    chain = chain_name(operation, name);
    return name;
  }

  Oid log_text(std::string body) {
    const Oid name = operation_name(body);
    log.push_back({log.size() + 1, name, std::move(body)});
    return name;
  }

  Oid move(const std::string& ref, const std::optional<Oid>& target) {
    return log_operation(moving({{ref, target}}));
  }

  /// The first object of a kind.
  NewObject& first(Kind kind) {
    return *std::find_if(objects.begin(), objects.end(),
                         [kind](const NewObject& each) { return each.kind == kind; });
  }

  void drop(const Oid& oid) {
    std::erase_if(objects, [&oid](const NewObject& each) { return each.oid == oid; });
  }
};

/// The refs of a sound world.
inline const std::string kMain = branch_ref("main");
inline const std::string kSide = branch_ref("side");

/// A sound store with one of everything: each op, kind of object and line.
inline World sound_world() {
  World world;
  const Oid root = world.add(world.turn({}, "first"));
  const Oid second = world.add(world.turn({root}, "second"));
  const Oid third = world.grow(second, 4, "main");
  const Oid begin = world.move(kMain, third);
  const Oid side = world.grow(second, 3, "side");
  world.move(kSide, side);

  Commit merge = world.directive(Op::merge, {third, side});
  merge.mode = Mode::append;
  Oid tip = world.add(merge);

  Bundle bundle;
  bundle.commit = tip;
  bundle.renderer = "anthropic/1";
  bundle.model = "a-model";
  bundle.options = world.content("{}");
  bundle.tools = world.content("[]");
  bundle.params = world.content("{\"max_tokens\":10}");
  bundle.hook = world.content("a hook");
  bundle.sent = object_name(Kind::blob, "request");
  bundle.bytes = 7;
  bundle.stored = world.rope("request", {{0, 5, {{0, 2}}}});
  Commit answer = world.turn({tip}, "an answer", Type::assistant);
  answer.prompt = world.add(Kind::bundle, serialize(bundle).value());
  answer.fields = world.content("{\"tool_calls\":[]}");
  answer.raw = {{world.content("{\"type\":\"text\"}"), "application/json"}};
  answer.meta = "{\"model\":\"a-model\"}";
  answer.extra = world.content("{\"message\":\"m\"}");
  answer.author = "agent/a";
  answer.time = at(7);
  tip = world.add(answer);

  Commit large = world.turn({tip}, "with a long attachment", Type::tool);
  large.attach = {{world.content(std::string(kMaxBlobContent + 5, 'x')), "text/plain"}};
  const Oid erased = object_name(Kind::blob, "erased");
  large.attach.push_back({erased, "image/png"});
  tip = world.add(large);
  Tombstone tombstone;
  tombstone.erased = {erased};
  tombstone.reason = world.content("asked for");
  tombstone.author = "tester";
  tombstone.time = at(9);
  world.add(Kind::tombstone, serialize(tombstone).value());

  Commit edit = world.directive(Op::edit, {tip});
  edit.target = {side};  // An ancestor by way of the merge.
  edit.content = Content{world.content("edited")};
  tip = world.add(edit);
  Commit annotate = world.directive(Op::annotate, {tip});
  annotate.target = {root, second};
  annotate.priority = Priority::pinned;
  tip = world.add(annotate);
  Commit decision = world.turn({tip}, "a decision", Type::decision);
  decision.about = {second};
  tip = world.add(decision);

  std::string list;
  for (std::size_t i = 0; i <= kMaxTargetLines; ++i) {
    tip = world.add(world.turn({tip}, "many " + std::to_string(i)));
    list.append(tip.view());
  }
  Commit compress = world.turn({tip}, "a summary");
  compress.op = Op::compress;
  compress.type.reset();
  compress.targets = world.content(list);
  tip = world.add(compress);
  const Oid moved = world.move(kMain, tip);

  const Tag tag{
      .target = tip, .name = "v1", .author = "tester", .time = at(5), .note = bundle.hook};
  const Oid named = world.add(Kind::tag, serialize(tag).value());
  Operation tagging = world.moving({{tag_ref("v1"), named}, {tag_ref("v0"), root}});
  tagging.map = {{third, side}};
  world.log_operation(tagging);
  Operation undo = world.moving({{kSide, root}});
  undo.undo = begin;
  world.log_operation(undo);

  world.add(Kind::attest, serialize(sign(std::string(kSigningKeyBytes, 'w'), moved).value()));
  return world;
}

/// A Store over a World, for reading only.
class WorldStore final : public Store {
 public:
  explicit WorldStore(const World& world) : world_(world) {
    for (const NewObject& each : world.objects) objects_[each.oid] = &each;
  }

  Result<std::vector<std::optional<Object>>> get(std::span<const Oid> oids) const override {
    std::vector<std::optional<Object>> found;
    for (const Oid& oid : oids) {
      const auto at = objects_.find(oid);
      found.emplace_back();
      if (at != objects_.end()) found.back() = Object{at->second->kind, at->second->body};
    }
    return found;
  }
  Result<void> scan(const ScanVisitor& visit) const override {
    for (const NewObject& each : world_.objects) {
      if (!visit({each.oid, {each.kind, each.body}})) break;
    }
    return {};
  }
  Result<std::vector<Ref>> refs(std::string_view prefix) const override {
    std::vector<Ref> all;
    for (const auto& [name, target] : world_.refs) {
      if (name.starts_with(prefix)) all.push_back({name, target});
    }
    return all;
  }
  Result<std::vector<LoggedOperation>> operations(std::uint64_t after,
                                                  std::size_t limit) const override {
    std::vector<LoggedOperation> some;
    for (const LoggedOperation& each : world_.log) {
      if (each.number > after && some.size() < limit) some.push_back(each);
    }
    return some;
  }
  Result<std::optional<LoggedOperation>> newest_operation() const override {
    if (world_.log.empty()) return std::optional<LoggedOperation>();
    return std::optional(world_.log.back());
  }
  Result<std::vector<Finding>> check() const override { return world_.findings; }

  Result<std::vector<bool>> has(std::span<const Oid>) const override { return none(); }
  Result<std::vector<Oid>> find(std::string_view, Kind, std::size_t) const override {
    return none();
  }
  Result<std::optional<Oid>> ref(std::string_view) const override { return none(); }
  Result<Receipt> commit(const Transaction&) override { return none(); }
  Result<void> exclusive(const std::function<Result<void>()>&) override { return none(); }
  Result<std::optional<LoggedOperation>> operation_at(std::string_view, Timestamp) const override {
    return none();
  }
  Result<std::vector<Oid>> loose(std::uint64_t) const override { return none(); }
  Result<void> sweep(const Sweep&) override { return none(); }
  Result<void> compact() override { return none(); }
  Result<Properties> properties(std::span<const std::string_view>) const override { return none(); }
  Result<std::optional<std::string>> local(std::string_view) const override { return none(); }
  Result<void> set_local(std::string_view, const std::optional<std::string>&) override {
    return none();
  }
  Result<std::optional<std::string>> cached(std::string_view) const override { return none(); }
  Result<void> put_cached(std::string_view, std::string_view) override { return none(); }
  Result<void> rebuild() override { return none(); }

 private:
  static Error none() { return unavailable("a world is only read"); }

  const World& world_;
  std::map<Oid, const NewObject*> objects_;
};

}  // namespace spoor::store::sample
