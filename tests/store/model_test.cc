// Random calls on each engine, through two handles, beside a model of what store.h promises. The
// model shares no code with the engines, only names of objects and the text of operations.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "store/commit_head.h"
#include "store/put_roots.h"
#include "tests/store/engines.h"
#include "tests/store/sample.h"
#include "tests/support/soak.h"

namespace spoor::store::model {
namespace {

using Code = Error::Code;

/// A store as store.h describes it, in plain maps. Commits must not be called at once.
class Model {
 public:
  explicit Model(bool has_lanes) : has_lanes_(has_lanes) {}

  struct Logged {
    LoggedOperation text;
    Operation parsed;
  };
  struct Outcome {
    std::optional<Code> refused;
    Receipt receipt;
  };

  std::map<Oid, Object> objects;
  std::map<Oid, std::uint64_t> loose;
  std::vector<Logged> log;
  std::map<std::string, Oid> refs;
  std::map<std::string, std::string> properties;
  std::map<std::string, std::string> locals;
  std::map<std::string, std::string> cached;
  std::vector<Oid> folded;
  std::uint64_t epoch = 0;
  std::uint64_t erasures = 0;

  std::uint64_t number() const { return log.empty() ? 0 : log.back().text.number; }

  std::optional<Oid> ref(const std::string& name) const {
    const auto found = refs.find(name);
    return found == refs.end() ? std::nullopt : std::optional(found->second);
  }

  Outcome commit(const Transaction& change, const std::vector<std::vector<NewObject>>& more,
                 bool more_fails) {
    const auto refuse = [](Code code) { return Outcome{code, {}}; };
    std::optional<Operation> operation;
    if (!change.refs.empty()) {
      operation = operation_of(change);
      if (!serialize(*operation)) return refuse(Code::invalid);
      const auto is_at = [&](const RefMove& move, const std::optional<Oid>& place) {
        return ref(move.name) == place;
      };
      if (std::ranges::all_of(change.refs, [&](const auto& m) { return is_at(m, m.after); })) {
        return {{}, {.was_there = true}};
      }
      if (!std::ranges::all_of(change.refs, [&](const auto& m) { return is_at(m, m.before); })) {
        return refuse(Code::conflict);
      }
    }
    if (change.epoch && *change.epoch != epoch) return {{}, {.is_stale = true}};
    for (const Oid& oid : change.required) {
      if (!objects.contains(oid)) return refuse(Code::not_found);
    }
    if (more_fails) return refuse(Code::denied);

    Receipt receipt;
    for (const Oid& oid : change.erase) receipt.erased += objects.erase(oid);
    if (receipt.erased > 0) removed();
    for (const auto& [key, value] : change.properties) {
      properties.erase(key);
      if (value) properties.emplace(key, *value);
    }
    if (!change.properties.empty()) ++epoch;
    put(change.objects, !operation);
    for (const auto& part : more) put(part, !operation);
    if (operation) {
      const std::string body = serialize(*operation).value();
      receipt.operation = operation_name(body);
      for (const RefMove& move : operation->refs) {
        refs.erase(move.name);
        if (move.after) refs.emplace(move.name, *move.after);
        ends_[move.name] = {receipt.operation, operation->time};
      }
      end_ = {receipt.operation, operation->time};
      log.push_back({{number() + 1, receipt.operation, body}, *operation});
    }
    return {{}, receipt};
  }

  /// A checkpoint that replaces the operations up to the one at `place` of the log.
  LoggedOperation checkpoint_at(std::size_t place) const {
    Operation checkpoint;
    std::map<std::string, Oid> then;
    for (std::size_t i = 0; i <= place; ++i) {
      for (const RefMove& move : log[i].parsed.refs) {
        then.erase(move.name);
        if (move.after) then.emplace(move.name, *move.after);
      }
    }
    for (const auto& [name, target] : then) checkpoint.refs.push_back({name, {}, target});
    checkpoint.folded = chain_of(log[place]);
    checkpoint.time = log[place].parsed.time;
    checkpoint.actor = checkpoint.command = "gc";
    const std::string body = serialize(checkpoint).value();
    return {log[place].text.number, operation_name(body), body};
  }

  bool sweep(const Sweep& sweep) {
    if (sweep.checkpoint) {
      const auto at = std::ranges::find(log, sweep.checkpoint->number,
                                        [](const Logged& each) { return each.text.number; });
      if (at == log.end()) return false;
      for (auto each = log.begin(); each <= at; ++each) {
        if (!each->parsed.folded) folded.push_back(each->text.name);
      }
      *at = {*sweep.checkpoint, parse_operation(sweep.checkpoint->body).value()};
      log.erase(log.begin(), at);
    }
    for (const Oid& oid : sweep.objects) objects.erase(oid);
    std::erase_if(loose, [&](const auto& each) { return each.second < sweep.past; });
    removed();
    return true;
  }

  std::optional<LoggedOperation> operation_at(const std::string& ref, Timestamp time) const {
    for (auto each = log.rbegin(); each != log.rend(); ++each) {
      const auto names_it = [&](const RefMove& move) { return ref.empty() || move.name == ref; };
      if (!(time < each->parsed.time) &&
          (ref.empty() || std::ranges::any_of(each->parsed.refs, names_it))) {
        return each->text;
      }
    }
    return std::nullopt;
  }

  /// The commits of a first-parent chain that are stored, newest first.
  std::vector<Oid> chain(std::optional<Oid> from, std::size_t count) const {
    std::vector<Oid> found;
    while (from && found.size() < count) {
      const auto at = objects.find(*from);
      if (at == objects.end() || at->second.kind != Kind::commit) break;
      found.push_back(*from);
      from = first_parent_of(at->second.body);
    }
    return found;
  }

 private:
  struct End {
    std::optional<Oid> name;
    Timestamp time;
  };

  static Oid chain_of(const Logged& each) { return chain_name(each.parsed, each.text.name); }

  Operation operation_of(const Transaction& change) const {
    Operation operation;
    const auto end_of = [&](const std::string& name) {
      if (!has_lanes_) return end_;
      const auto found = ends_.find(name);
      return found == ends_.end() ? End() : found->second;
    };
    operation.prev = end_of(change.refs.front().name).name;
    operation.time = change.time;
    for (const RefMove& move : change.refs) {
      operation.time = std::max(operation.time, end_of(move.name).time);
    }
    operation.actor = change.actor;
    operation.command = change.command;
    operation.undo = change.undo;
    operation.map = change.map;
    operation.refs = change.refs;
    return operation;
  }

  void put(const std::vector<NewObject>& part, bool is_loose) {
    for (const NewObject& each : part) objects.try_emplace(each.oid, Object{each.kind, each.body});
    if (!is_loose) return;
    for (const Oid& root : put_roots(part)) loose[root] = number();
  }

  void removed() {
    ++erasures;
    ++epoch;
    cached.clear();
  }

  const bool has_lanes_;
  std::map<std::string, End> ends_;
  End end_;
};

/// One engine and the model, side by side.
template <class Kept>
class World {
 public:
  explicit World(std::uint32_t seed) : seed_(seed), random_(seed) {
    for (int i = 0; i < 24; ++i) pool_.push_back(sample::blob("blob " + std::to_string(i)));
    pool_.push_back(sample::blob(std::string(20'000, 'x')));
    pool_.push_back(new_object(Kind::commit, "this is not a commit"));
  }

  void run(int calls) {
    using Call = void (World::*)();
    const std::vector<std::pair<int, Call>> kinds = {
        {30, &World::append},      {14, &World::commit},    {8, &World::put},
        {3, &World::retry},        {3, &World::erase},      {2, &World::sweep},
        {4, &World::set_property}, {3, &World::set_local},  {3, &World::set_cached},
        {5, &World::get},          {5, &World::find},       {6, &World::refs},
        {8, &World::walk},         {5, &World::operations}, {5, &World::operation_at},
        {3, &World::loose},        {4, &World::properties}, {2, &World::reopen},
        {1, &World::look_at_all},
    };
    int total = 0;
    for (const auto& each : kinds) total += each.first;
    for (; calls > 0; --calls) {
      int drawn = below(total);
      auto each = kinds.begin();
      for (; drawn >= each->first; ++each) drawn -= each->first;
      (this->*each->second)();
    }
    look_at_all();
  }

 private:
  int below(std::size_t limit) { return static_cast<int>(random_() % limit); }
  int below(int limit) { return below(static_cast<std::size_t>(limit)); }
  bool one_in(int n) { return below(n) == 0; }

  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(all.size()))];
  }

  // One of the two handles.
  Store& store() {
    handle_ = below(2);
    return handle_ == 0 ? kept_.store() : kept_.another();
  }

  void say(const std::string& call) {
    last_.push_back(fmt::format("{} [handle {}]", call, handle_));
    if (last_.size() > 25) last_.pop_front();
  }

  void expect(bool holds, const std::string& what) {
    if (holds) return;
    std::string calls;
    for (const std::string& each : last_) calls += "\n  " + each;
    FAIL(what << " after" << calls << "\nwith seed " << seed_);
  }

  template <class T>
  T answer(Result<T> result) {
    expect(result.has_value(), result ? "" : "an error: " + result.error().message);
    return std::move(result).value();
  }

  static std::string shown(const std::optional<Oid>& oid) { return oid ? oid->hex(8) : "-"; }

  std::string a_ref() {
    const char* const kNames[] = {"refs/heads/a", "refs/heads/a/b", "refs/heads/é",
                                  "refs/tags/a",  "refs/x",         "refs/heads/z"};
    return kNames[below(std::size(kNames))];
  }

  // Two machines, the clock of one of which is behind, and stands still at times.
  Timestamp now() {
    if (!one_in(4)) clock_ += below(3);
    return sample::at(handle_ == 0 ? clock_ : clock_ - 40);
  }

  // Adds commits to the pool, and returns the newest.
  NewObject a_commit(const std::optional<Oid>& parent) {
    const bool is_known = parent && commits_.contains(*parent);
    auto made = history_.turn(is_known ? parent : std::nullopt, fmt::format("turn {}", turns_++));
    commits_.insert(made.back().oid);
    pool_.insert(pool_.end(), made.begin(), made.end());
    return made.back();
  }

  std::vector<NewObject> some_objects(int most) {
    std::vector<NewObject> some;
    for (int i = below(most + 1); i > 0; --i) {
      // Objects of one put in any order, and some twice; new ones more often.
      const std::size_t from =
          one_in(3) ? 0 : pool_.size() - std::min<std::size_t>(12, pool_.size());
      some.push_back(pool_[from + static_cast<std::size_t>(below(pool_.size() - from))]);
    }
    return some;
  }

  std::vector<Oid> some_names(int most) {
    std::vector<Oid> names;
    for (const NewObject& each : some_objects(most)) names.push_back(each.oid);
    return names;
  }

  Transaction empty_change() {
    Transaction change;
    change.actor = handle_ == 0 ? "ann" : "bob";
    change.command = "test";
    change.time = now();
    return change;
  }

  void make(const Transaction& given, const std::vector<std::vector<NewObject>>& more = {},
            bool more_fails = false) {
    Store& own = handle_ == 0 ? kept_.store() : kept_.another();
    std::string words = fmt::format("commit at {}:", given.time.text());
    for (const RefMove& move : given.refs) {
      words += fmt::format(" {} {}->{}", move.name, shown(move.before), shown(move.after));
    }
    words += fmt::format(" objects {} erase {} properties {} required {} parts {}{}{}",
                         given.objects.size(), given.erase.size(), given.properties.size(),
                         given.required.size(), more.size(), more_fails ? " and an error" : "",
                         given.epoch ? " epoch" : "");
    say(words);
    Transaction change = given;
    std::size_t next = 0;
    if (!more.empty() || more_fails) {
      change.more = [&]() -> Result<std::vector<NewObject>> {
        if (next < more.size()) return more[next++];
        if (more_fails) return denied("no more");
        return std::vector<NewObject>();
      };
    }
    const auto wanted = model().commit(given, more, more_fails);
    const auto got = own.commit(change);
    if (wanted.refused) {
      expect(!got, "a change was made that was to be refused");
      expect(got.error().code == *wanted.refused, "another refusal: " + got.error().message);
      return;
    }
    expect(got.has_value(), got ? "" : "a change was refused: " + got.error().message);
    expect(got->was_there == wanted.receipt.was_there, "was_there differs");
    expect(got->is_stale == wanted.receipt.is_stale, "is_stale differs");
    expect(got->erased == wanted.receipt.erased,
           fmt::format("{} erased, not {}", got->erased, wanted.receipt.erased));
    expect(got->operation == wanted.receipt.operation, "the name of the operation differs");
    if (!got->was_there && !got->is_stale && !given.refs.empty()) made_ = given;
  }

  void append() {
    store();
    const std::string name = a_ref();
    const auto tip = model().ref(name);
    Transaction change = empty_change();
    const NewObject next = a_commit(tip);
    change.objects = {pool_[pool_.size() - 2], next};
    change.refs = {{name, tip, next.oid}};
    if (one_in(2)) change.epoch = model().epoch;
    make(change);
  }

  void commit() {
    store();
    Transaction change = empty_change();
    std::set<std::string> names;
    for (int i = below(4); i > 0; --i) names.insert(a_ref());
    for (const std::string& name : names) {
      RefMove move{name, model().ref(name), {}};
      if (!one_in(4)) move.after = of(pool_).oid;
      if (one_in(8)) move.before = of(pool_).oid;
      if (one_in(8)) move.after = model().ref(name);
      change.refs.push_back(move);
    }
    if (one_in(30)) std::ranges::reverse(change.refs);
    if (one_in(30)) change.actor.clear();
    change.objects = some_objects(5);
    if (one_in(3)) change.required = some_names(2);
    if (one_in(3)) change.epoch = model().epoch - (one_in(3) && model().epoch > 0 ? 1 : 0);
    if (one_in(5)) change.erase = some_names(3);
    if (one_in(5)) change.properties = {{"a", "of " + std::to_string(turns_)}, {"b", {}}};
    if (one_in(8)) change.undo = of(pool_).oid;
    if (one_in(8)) change.map = {{of(pool_).oid, of(pool_).oid}};
    std::vector<std::vector<NewObject>> more;
    for (int i = one_in(4) ? 1 + below(3) : 0; i > 0; --i) {
      more.push_back(some_objects(4));
      if (more.back().empty()) more.pop_back();
    }
    const bool is_nothing = change.refs.empty() && change.erase.empty() &&
                            change.properties.empty() && change.objects.empty() && more.empty();
    if (is_nothing) return;
    make(change, more, one_in(20));
  }

  // The same again: it succeeds while its refs are where it moved them, and else is a conflict.
  void retry() {
    store();
    if (made_) make(Transaction(*made_));
  }

  void put() {
    store();
    Transaction change;
    change.objects = some_objects(6);
    if (!change.objects.empty()) make(change);
  }

  void erase() {
    store();
    Transaction change;
    change.erase = some_names(3);
    if (!change.erase.empty()) make(change);
  }

  void sweep() {
    Store& own = store();
    Sweep sweep;
    sweep.objects = some_names(4);
    if (!model().log.empty() && one_in(2)) {
      sweep.checkpoint = model().checkpoint_at(static_cast<std::size_t>(below(model().log.size())));
      if (one_in(8)) sweep.checkpoint->number += 1'000'000;
    }
    sweep.past = static_cast<std::uint64_t>(below(model().number() + 1));
    say(fmt::format("sweep of {} objects, checkpoint {}, past {}", sweep.objects.size(),
                    sweep.checkpoint ? std::to_string(sweep.checkpoint->number) : "none",
                    sweep.past));
    const bool is_right = model().sweep(sweep);
    const auto done = own.exclusive([&] { return own.sweep(sweep); });
    expect(done.has_value() == is_right, done ? "no error" : "an error: " + done.error().message);
    if (!is_right) expect(done.error().code == Code::invalid, "another error");
  }

  void set_property() {
    store();
    Transaction change;
    change.properties = {{of(std::vector<std::string>{"a", "b", "c"}), "x"}};
    if (one_in(3)) change.properties[0].second.reset();
    make(change);
  }

  void set_local() {
    Store& own = store();
    const std::string key = of(std::vector<std::string>{"head", "other"});
    const auto value = one_in(3) ? std::nullopt : std::optional(std::to_string(turns_));
    say("set_local " + key);
    expect(own.set_local(key, value).has_value(), "an error");
    model().locals.erase(key);
    if (value) model().locals.emplace(key, *value);
  }

  void set_cached() {
    Store& own = store();
    const std::string key = of(std::vector<std::string>{"one", "two"});
    say("put_cached " + key);
    const auto done = own.put_cached(key, std::to_string(turns_));
    expect(done || done.error().code == Code::unavailable, "an error");
    if (done) model().cached[key] = std::to_string(turns_);
  }

  void get() {
    Store& own = store();
    std::vector<Oid> names = some_names(12);
    names.push_back(Oid{});
    say(fmt::format("get of {}", names.size()));
    const auto found = answer(own.get(names));
    const auto has = answer(own.has(names));
    expect(found.size() == names.size() && has.size() == names.size(), "another count");
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto at = model().objects.find(names[i]);
      const bool is_there = at != model().objects.end();
      expect(found[i].has_value() == is_there && has[i] == is_there, shown(names[i]) + " differs");
      if (is_there) expect(*found[i] == at->second, shown(names[i]) + " has other bytes");
    }
  }

  void find() {
    Store& own = store();
    const std::string prefix = of(pool_).oid.hex(static_cast<std::size_t>(below(4)));
    const Kind kind = one_in(2) ? Kind::blob : Kind::commit;
    const auto limit = static_cast<std::size_t>(one_in(2) ? 1000 : below(4));
    say(fmt::format("find '{}' limit {}", prefix, limit));
    std::vector<Oid> wanted;
    for (const auto& [oid, object] : model().objects) {
      if (wanted.size() == limit) break;
      if (object.kind == kind && oid.hex().starts_with(prefix)) wanted.push_back(oid);
    }
    expect(answer(own.find(prefix, kind, limit)) == wanted, "it finds others");
  }

  void refs() {
    Store& own = store();
    const std::string name = a_ref();
    const std::string prefix = name.substr(0, static_cast<std::size_t>(below(name.size() + 1)));
    say(fmt::format("refs '{}', ref {}", prefix, name));
    std::vector<Ref> wanted;
    for (const auto& [each, target] : model().refs) {
      if (each.starts_with(prefix)) wanted.push_back({each, target});
    }
    expect(answer(own.refs(prefix)) == wanted, "the refs differ");
    expect(answer(own.ref(name)) == model().ref(name), "the ref differs");
  }

  void walk() {
    Store& own = store();
    const auto tip = model().ref(a_ref());
    const Oid from = tip && !one_in(4) ? *tip : of(pool_).oid;
    const auto count = static_cast<std::size_t>(one_in(3) ? 1000 : below(6));
    std::size_t contents = one_in(3) ? 0 : one_in(2) ? 30 : Store::kAllContents;
    say(fmt::format("run from {}, {} commits, contents {}", from.hex(8), count, contents));
    const std::vector<Oid> wanted = model().chain(from, count);
    std::size_t seen = 0;
    expect(own.run(from, count, contents,
                   [&](const Store::RunStep& step) {
                     expect(seen < wanted.size() && step.oid == wanted[seen], "another commit");
                     ++seen;
                     const std::string& body = model().objects.at(step.oid).body;
                     expect(step.body == body, "other bytes");
                     const auto name = content_of(body);
                     const auto at = name ? model().objects.find(*name) : model().objects.end();
                     const bool is_given = contents > 0 && at != model().objects.end();
                     expect((step.content != nullptr) == is_given, "a content more or less");
                     if (is_given) {
                       expect(*step.content == at->second, "another content");
                       contents -= std::min(contents, at->second.body.size());
                     }
                     return true;
                   })
               .has_value(),
           "an error");
    expect(seen == wanted.size(), fmt::format("{} commits, not {}", seen, wanted.size()));
  }

  static std::string numbers(const std::vector<LoggedOperation>& all) {
    std::string text;
    for (const LoggedOperation& each : all) text += fmt::format(" {}", each.number);
    return text;
  }

  void operations() {
    Store& own = store();
    const auto after = static_cast<std::uint64_t>(below(model().number() + 2));
    const auto limit = static_cast<std::size_t>(one_in(2) ? 100'000 : below(5));
    say(fmt::format("operations after {}, limit {}", after, limit));
    const auto found = answer(own.operations(after, limit));
    std::vector<LoggedOperation> wanted;
    for (const auto& each : model().log) {
      if (each.text.number > after && wanted.size() < limit) wanted.push_back(each.text);
    }
    const auto is_same = [](const LoggedOperation& a, const LoggedOperation& b) {
      return a.number == b.number && a.name == b.name && a.body == b.body;
    };
    expect(std::ranges::equal(found, wanted, is_same), "the operations differ:" + numbers(found));
    const auto newest = answer(own.newest_operation());
    expect(newest.has_value() == !model().log.empty(), "the newest operation");
    if (newest) expect(is_same(*newest, model().log.back().text), "another newest operation");
  }

  void operation_at() {
    Store& own = store();
    const std::string ref = one_in(3) ? "" : a_ref();
    const Timestamp time = sample::at(below(clock_ + 2));
    say(fmt::format("operation_at '{}' {}", ref, time.text()));
    const auto found = answer(own.operation_at(ref, time));
    const auto wanted = model().operation_at(ref, time);
    const auto shown = [](const auto& each) {
      return each ? std::to_string(each->number) : "none";
    };
    expect(found.has_value() == wanted.has_value() && (!found || found->name == wanted->name),
           fmt::format("it is {}, not {}", shown(found), shown(wanted)));
  }

  void loose() {
    Store& own = store();
    const auto since = static_cast<std::uint64_t>(below(model().number() + 1));
    say(fmt::format("loose since {}", since));
    std::vector<Oid> found = answer(own.loose(since));
    std::ranges::sort(found);
    std::vector<Oid> wanted;
    for (const auto& [oid, number] : model().loose) {
      if (number >= since) wanted.push_back(oid);
    }
    expect(found == wanted, fmt::format("{} loose, not {}", found.size(), wanted.size()));
  }

  void properties() {
    Store& own = store();
    say("properties, local, cached");
    const std::array<std::string_view, 4> keys = {"a", "b", "never", "c"};
    const auto value_in = [](const auto& words, std::string_view key) {
      const auto found = words.find(std::string(key));
      return found == words.end() ? std::nullopt : std::optional(found->second);
    };
    const Properties found = answer(own.properties(keys));
    expect(found.values.size() == keys.size(), "another count");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      expect(found.values[i] == value_in(model().properties, keys[i]), "a property differs");
    }
    expect(found.epoch == model().epoch,
           fmt::format("epoch {}, not {}", found.epoch, model().epoch));
    expect(found.erasures == model().erasures,
           fmt::format("erasures {}, not {}", found.erasures, model().erasures));
    for (const char* key : {"head", "other"}) {
      expect(answer(own.local(key)) == value_in(model().locals, key), "a local fact differs");
    }
    for (const char* key : {"one", "two"}) {
      const auto value = answer(own.cached(key));
      expect(!value || value == value_in(model().cached, key), "cached data differs");
    }
  }

  void reopen() {
    say("reopen");
    kept_.reopen();
  }

  void look_at_all() {
    Store& own = store();
    say("check, scan, folded_names");
    if (one_in(3)) {
      say("rebuild");
      expect(own.rebuild().has_value(), "an error");
      model().cached.clear();
    }
    if (one_in(4)) {
      say("pack, compact");
      expect(own.pack([] { return false; }).has_value() && own.compact().has_value(), "an error");
      const Properties now = answer(own.properties({}));
      expect(now.epoch >= model().epoch && now.erasures >= model().erasures, "a count went back");
      model().epoch = now.epoch;
      model().erasures = now.erasures;
    }
    for (const auto& each : answer(own.check())) expect(false, each.subject + ": " + each.problem);
    std::map<Oid, Object> seen;
    expect(own.scan([&](const StoredObject& each) {
                expect(seen.emplace(each.oid, each.object).second, "an object twice");
                return true;
              })
               .has_value(),
           "an error");
    expect(seen == model().objects, "the objects differ");
    const auto folded = own.folded_names();
    if (!folded) return expect(folded.error().code == Code::unavailable, "another error");
    expect(folded->names == model().folded, "the folded names differ");
    expect(folded->first == (model().folded.empty() ? 0 : 1), "the first folded name");
  }

  Model& model() { return model_; }

  const std::uint32_t seed_;
  std::mt19937 random_;
  Kept kept_;
  Model model_{kept_.store().has_lanes()};
  sample::History history_;
  std::set<Oid> commits_;
  std::vector<NewObject> pool_;
  std::optional<Transaction> made_;
  std::deque<std::string> last_;
  int handle_ = 0;
  int turns_ = 0;
  int clock_ = 100;
};

}  // namespace
}  // namespace spoor::store::model

using namespace spoor::store;

TEST_SUITE("store/model") {
  TEST_CASE_TEMPLATE("random calls through two handles have the answers of the model", Kept,
                     STORES) {
    const int kWorlds = spoor::testing::rounds(5);
    for (int i = 0; i < kWorlds; ++i) {
      model::World<Kept> world(spoor::testing::seeded(20'261'128U + static_cast<unsigned>(i)));
      world.run(500);
    }
  }
}
