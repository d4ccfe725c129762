// Random histories, on both stores, against the naive model: whatever is asked of
// the library has the answer that a fold from the root has.

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "graph/merge.h"
#include "graph/refs.h"
#include "graph/repository.h"
#include "store/ancestry.h"
#include "tests/model/naive.h"
#include "tests/support/backend.h"
#include "tests/support/ports.h"
#include "tests/support/soak.h"

using namespace spoor;
using naive::Call;
using spoor::Result;
using store::Oid;

namespace {

constexpr std::uint64_t kSeed = 20'301'121;

std::uint64_t first_seed() { return spoor::testing::seeded(kSeed); }

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  int below(int limit) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(limit)); }
  bool one_in(int n) { return below(n) == 0; }

  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }

 private:
  std::mt19937_64 engine_;  // The same on every platform; distributions are not.
};

std::vector<compile::ToolCall> to_library(const std::vector<Call>& calls) {
  std::vector<compile::ToolCall> all;
  for (const Call& call : calls) all.push_back({call.id, call.name, call.arguments});
  return all;
}

std::vector<Call> from_library(const std::vector<compile::ToolCall>& calls) {
  std::vector<Call> all;
  for (const auto& call : calls) all.push_back({call.id, call.name, call.arguments});
  return all;
}

/// One random history, in the library and in the model side by side.
class World {
 public:
  World(testing::Backend& backend, std::uint64_t seed) : backend_(backend), random_(seed) {
    repository_ = graph::Repository::over(backend_.create().value(), options()).value();
    tips_["main"] = -1;
  }

  void step() {
    clock_->advance(random_.below(3));
    const int kind = random_.below(100);
    if (kind < 2) return reopen();
    if (kind < 5) return repository_->drop_caches();
    if (kind < 12) return make_branch();
    if (kind < 30) return switch_branch();
    if (kind < 36 && tip() >= 0) return refuse_something();
    write(1 + (random_.one_in(4) ? random_.below(4) : 0));
    if (random_.one_in(6)) check_prompt();
  }

  void check_all() {
    for (const auto& [name, tip] : tips_) {
      if (tip < 0) continue;
      check_at(tip, {}, false);
      check_at(tip, {.version = 1}, false);
    }
    check_graph();
  }

 private:
  graph::Repository::Options options() const {
    graph::Repository::Options options;
    options.clock = clock_;
    options.counter = std::make_shared<testing::WordCounter>();
    return options;
  }

  int tip() const { return tips_.at(branch_); }
  const naive::Commit& at(int number) const { return history_[static_cast<std::size_t>(number)]; }

  void reopen() {
    repository_.reset();
    repository_ = graph::Repository::over(backend_.open().value(), options()).value();
    for (const auto& [name, tip] : tips_) {
      const auto stored = repository_->store().ref(store::branch_ref(name)).value();
      REQUIRE(stored.has_value() == (tip >= 0));
      if (stored) REQUIRE(*stored == at(tip).name);
    }
  }

  void make_branch() {
    if (tip() < 0 || tips_.size() > 8) return;
    const std::string name = "b" + std::to_string(tips_.size());
    const int from = random_.one_in(3) ? any_commit() : tip();
    REQUIRE(repository_->create_branch(name, at(from).name).has_value());
    tips_[name] = from;
    branch_ = name;
  }

  void switch_branch() {
    std::vector<std::string> names;
    for (const auto& [name, tip] : tips_) names.push_back(name);
    branch_ = random_.of(names);
  }

  bool descends(int commit, int from) const {
    return naive::ancestors(history_, commit)[static_cast<std::size_t>(from)];
  }

  int any_commit() { return random_.below(static_cast<int>(history_.size())); }

  // --- Writing: `count` commits as one transaction.

  void write(int count) {
    const auto receipt = repository_->transact("model", graph::OnConflict::fail,
                                               [&](graph::Draft& draft) -> Result<void> {
                                                 for (int i = 0; i < count; ++i) write_one(draft);
                                                 return {};
                                               });
    REQUIRE_MESSAGE(receipt.has_value(), (receipt ? std::string() : receipt.error().message));
  }

  void write_one(graph::Draft& draft) {
    const int kind = tip() < 0 ? 0 : random_.below(100);
    if (kind < 50) return append(draft);
    if (kind < 62) return edit(draft);
    if (kind < 78) return annotate(draft);
    if (kind < 82) return compress(draft);
    merge(draft);
  }

  // Takes a commit that the library made into the model.
  void add(naive::Commit commit, const Result<Oid>& made) {
    REQUIRE_MESSAGE(made.has_value(), (made ? std::string() : made.error().message));
    commit.name = made.value();
    if (commit.parents.empty() && tip() >= 0) commit.parents = {tip()};
    tips_[branch_] = static_cast<int>(history_.size());
    numbers_[commit.name] = tips_[branch_];
    history_.push_back(std::move(commit));
  }

  std::string words() {
    static const std::vector<std::string> kWords = {"red", "blue", "é", "a b", "\n", "green tea"};
    std::string text;
    for (int i = random_.below(4); i > 0; --i) text += random_.of(kWords) + " ";
    return text;
  }

  std::string call_id() { return "c" + std::to_string(random_.below(12)); }

  std::vector<Call> calls() {
    std::vector<Call> all;
    for (int i = random_.below(3); i > 0; --i) all.push_back({call_id(), "tool", "{}"});
    return all;
  }

  void append(graph::Draft& draft) {
    static const std::vector<std::string> kTypes = {
        "user",      "user",     "assistant", "assistant", "assistant", "tool",     "tool",
        "reasoning", "artifact", "summary",   "system",    "config",    "decision", "note"};
    naive::Commit commit;
    commit.type = random_.of(kTypes);
    commit.text = words();
    compile::Turn turn{.type = *store::type_from(commit.type), .text = *commit.text};
    if (commit.type == "assistant") commit.calls = calls();
    if (commit.calls) turn.fields.tool_calls = to_library(*commit.calls);
    if (commit.type == "tool") turn.fields.call_id = commit.call_id = call_id();
    if (commit.type == "reasoning") turn.fields.format = "parsed";
    if (commit.type == "system" && random_.one_in(2)) {
      turn.fields.name = commit.directive = random_.one_in(2) ? "tone" : "rules";
    }
    const bool has_role = commit.type == "assistant" || commit.type == "reasoning";
    if (has_role && random_.one_in(3)) {
      commit.message_id = "m" + std::to_string(random_.below(6));
      turn.facts.set_text("message_id", commit.message_id);
    }
    if (commit.type == "config") {
      const std::string key = random_.one_in(2) ? "k" : "l";
      commit.settings[key] = random_.one_in(4) ? "" : std::to_string(random_.below(5));
      turn.fields.set = fmt::format(R"({{"{}":{}}})", key,
                                    commit.settings[key].empty() ? "null" : commit.settings[key]);
    }
    // A time of its own tells equal turns behind one parent apart.
    clock_->advance(1);
    add(std::move(commit),
        draft.append(store::branch_ref(branch_), graph::stamped(turn, "model", clock_->now())));
  }

  // A message of the current branch, compressed or not; -1 when there is none.
  int any_message() {
    std::vector<int> all;
    for (const int number : naive::chain(history_, tip())) {
      const naive::Commit& c = at(number);
      const bool is_digest = c.op == naive::Op::merge && c.mode == naive::Mode::digest;
      const bool is_message = c.op == naive::Op::append && naive::is_message(c.type);
      if (is_message || is_digest || c.op == naive::Op::compress) all.push_back(number);
    }
    if (all.empty()) return -1;
    // Half of them among the newest, where sides differ.
    const int count = static_cast<int>(all.size());
    const int back = random_.one_in(2) ? random_.below(std::min(count, 5)) : random_.below(count);
    return all[static_cast<std::size_t>(count - 1 - back)];
  }

  void edit(graph::Draft& draft) {
    const int target = any_message();
    if (target < 0) return append(draft);
    naive::Commit commit;
    commit.op = naive::Op::edit;
    commit.targets = {target};
    const int what = random_.below(4);
    if (what != 0) commit.text = words();
    if (what < 2) commit.calls = calls();
    const bool may_call = at(target).type == "assistant";
    if (!may_call && commit.calls && !commit.calls->empty()) {
      const graph::Edit calling{.text = {}, .tool_calls = to_library(*commit.calls)};
      const auto made = draft.edit(store::branch_ref(branch_), at(target).name, calling, {});
      REQUIRE(!made.has_value());
      REQUIRE(made.error().code == spoor::Error::Code::invalid);
      return;
    }
    graph::Edit edit{.text = commit.text, .tool_calls = {}};
    if (commit.calls) edit.tool_calls = to_library(*commit.calls);
    clock_->advance(1);
    add(std::move(commit), draft.edit(store::branch_ref(branch_), at(target).name, edit, {}));
  }

  void annotate(graph::Draft& draft) {
    const int target = any_message();
    if (target < 0) return append(draft);
    naive::Commit commit;
    commit.op = naive::Op::annotate;
    commit.targets = {target};
    commit.priority = static_cast<naive::Priority>(random_.below(3));
    clock_->advance(1);
    add(std::move(commit),
        draft.annotate(store::branch_ref(branch_), at(target).name,
                       static_cast<store::Priority>(commit.priority), words(), {}));
  }

  void compress(graph::Draft& draft) {
    const int from = any_message();
    const int to = any_message();
    if (from < 0) return append(draft);
    naive::Commit commit;
    commit.op = naive::Op::compress;
    commit.text = words();
    commit.targets = naive::choose(history_, naive::fold(history_, tip()), from, to);
    const compile::Turn summary{.type = store::Type::summary, .text = *commit.text};
    clock_->advance(1);
    auto made = draft.compress(store::branch_ref(branch_), {at(from).name, at(to).name}, summary,
                               {.author = "model"});
    if (commit.targets.empty()) {
      REQUIRE(!made.has_value());
      REQUIRE(made.error().code == spoor::Error::Code::invalid);
      return;
    }
    add(std::move(commit), made ? Result<Oid>(made->commit) : Result<Oid>(made.error()));
  }

  void merge(graph::Draft& draft) {
    std::vector<int> sources;
    for (const auto& [name, tip] : tips_) {
      if (tip >= 0) sources.push_back(tip);
    }
    const int source = random_.one_in(5) ? any_commit() : random_.of(sources);
    const int ours = tip();
    naive::Commit commit;
    commit.op = naive::Op::merge;
    commit.parents = {ours, source};
    commit.mode = static_cast<naive::Mode>(random_.one_in(2) ? 0 : random_.below(4));
    graph::MergeRequest request{.mode = static_cast<store::Mode>(commit.mode),
                                .no_fast_forward = random_.one_in(2),
                                .targets = {},
                                .digest = {},
                                .by = {.author = "model"}};
    if (commit.mode == naive::Mode::digest) {
      commit.text = words();
      request.digest = compile::Turn{.type = store::Type::summary, .text = *commit.text};
    }
    if (commit.mode == naive::Mode::pick) {
      for (const naive::Line& line : naive::fold(history_, source).lines) {
        if (random_.one_in(3)) commit.targets.push_back(line.commit);
      }
      for (const int target : commit.targets) request.targets.push_back(at(target).name);
      std::reverse(request.targets.begin(), request.targets.end());
    }
    clock_->advance(1);
    const auto merged = graph::merge(draft, repository_->reader(), repository_->folder(),
                                     store::branch_ref(branch_), at(source).name, request);
    const bool is_known = descends(ours, source);
    const bool is_bad_pick = commit.mode == naive::Mode::pick && commit.targets.empty();
    if (is_known || is_bad_pick) {
      REQUIRE(!merged.has_value());
      REQUIRE(merged.error().code == spoor::Error::Code::invalid);
      return;
    }
    REQUIRE_MESSAGE(merged.has_value(), (merged ? std::string() : merged.error().message));
    const bool is_ahead = descends(source, ours);
    const bool may_move = commit.mode == naive::Mode::append && !request.no_fast_forward;
    REQUIRE(merged->is_fast_forward == (is_ahead && may_move));
    if (merged->is_fast_forward) {
      tips_[branch_] = source;
    } else {
      add(std::move(commit), merged->tip);
    }
  }

  // --- What must be refused, with its code, and without a trace.

  void refuse_something() {
    const int target = any_commit();
    const bool is_known = descends(tip(), target);
    const auto view = naive::fold(history_, tip());
    const bool is_message = std::any_of(view.lines.begin(), view.lines.end(),
                                        [&](const auto& line) { return line.commit == target; });
    if (is_message) return;
    auto branch = repository_->branch(branch_);
    const auto code = is_known ? spoor::Error::Code::invalid : spoor::Error::Code::not_found;
    const auto edited = branch.edit(at(target).name, "no");
    REQUIRE(!edited.has_value());
    REQUIRE(edited.error().code == code);
    const auto annotated = branch.annotate(at(target).name, store::Priority::pinned);
    REQUIRE(!annotated.has_value());
    REQUIRE(annotated.error().code == code);
    REQUIRE(branch.tip().value() == at(tip()).name);
  }

  // --- Checking.

  void check_prompt() {
    if (history_.empty()) return;
    naive::Options options;
    options.include_reasoning = random_.one_in(2);
    options.version = random_.one_in(3) ? 1 : 2;
    if (random_.one_in(3)) options.window = 1 + random_.below(6);
    if (random_.one_in(3)) options.budget = random_.below(60);
    check_at(random_.one_in(3) || tip() < 0 ? any_commit() : tip(), options, random_.one_in(4));
  }

  int number_of(const Oid& oid) const { return numbers_.at(oid); }

  void check_at(int commit, const naive::Options& options, bool strict) {
    INFO("at commit ", commit, " reasoning ", options.include_reasoning, " window ",
         options.window.value_or(-1), " budget ", options.budget.value_or(-1), " version ",
         options.version);
    const naive::View view = naive::fold(history_, commit);
    compile::CompileOptions asked;
    asked.include_reasoning = options.include_reasoning;
    asked.strict = strict;
    asked.version = static_cast<std::uint32_t>(options.version);
    if (options.window) asked.window = *options.window;
    if (options.budget) asked.budget = *options.budget;
    const auto got = repository_->compile(at(commit).name, asked);
    const auto conflicts = naive::unsettled(view, options.version);
    if (strict && !conflicts.empty()) {
      REQUIRE(!got.has_value());
      REQUIRE(got.error().code == spoor::Error::Code::conflict);
      return;
    }
    REQUIRE_MESSAGE(got.has_value(), (got ? std::string() : got.error().message));
    compare(*got, naive::compile(history_, view, options), conflicts);
  }

  std::string shown(const compile::Prompt& prompt) const {
    std::string text;
    for (const auto& message : prompt.messages) {
      text += fmt::format("\n  {} {} [", message.role, message.tokens());
      for (const auto& part : message.parts) text += fmt::format(" {}", number_of(part.commit));
      text += " ]";
    }
    for (const auto& left : prompt.left_out) {
      text += fmt::format("\n  out {} {}", number_of(left.commit), compile::name_of(left.why));
    }
    return text;
  }

  static std::string shown(const naive::Prompt& prompt) {
    std::string text;
    for (const auto& message : prompt.messages) {
      text += fmt::format("\n  {} {} [", message.role, message.tokens);
      for (const int commit : message.commits) text += fmt::format(" {}", commit);
      text += " ]";
    }
    for (const auto& [commit, why] : prompt.left_out) {
      text += fmt::format("\n  out {} {}", commit, why);
    }
    return text;
  }

  void compare(const compile::Prompt& got, const naive::Prompt& wanted,
               const std::vector<naive::Conflict>& unsettled) {
    INFO("got ", shown(got), "\nwanted ", shown(wanted));
    REQUIRE(got.messages.size() == wanted.messages.size());
    for (std::size_t i = 0; i < got.messages.size(); ++i) {
      const compile::Message& message = got.messages[i];
      naive::Message shape{std::string(message.role),
                           {},
                           message.text(),
                           from_library(message.tool_calls()),
                           static_cast<int>(message.tokens())};
      for (const auto& part : message.parts) shape.commits.push_back(number_of(part.commit));
      INFO("message ", i);
      REQUIRE(shape.commits == wanted.messages[i].commits);
      REQUIRE(shape.text == wanted.messages[i].text);
      REQUIRE(shape == wanted.messages[i]);
    }
    REQUIRE(static_cast<int>(got.tokens) == wanted.tokens);
    REQUIRE(got.config == wanted.config);
    std::vector<std::pair<int, std::string>> left_out;
    for (const auto& left : got.left_out) {
      left_out.emplace_back(number_of(left.commit), compile::name_of(left.why));
    }
    REQUIRE(left_out == wanted.left_out);

    std::vector<naive::Conflict> conflicts;
    for (const auto& conflict : got.conflicts) {
      conflicts.push_back({conflict.kind == compile::Conflict::Kind::edit,
                           number_of(conflict.target), number_of(conflict.ours),
                           number_of(conflict.theirs)});
    }
    REQUIRE(conflicts == unsettled);
  }

  // Chain order and ancestry, against sets and lists.
  void check_graph() {
    for (int i = 0; i < 10; ++i) {
      const int commit = any_commit();
      std::vector<int> seen;
      REQUIRE(store::walk_chain(repository_->reader(), at(commit).name,
                                [&](const store::NamedCommit& named) {
                                  seen.push_back(number_of(named.oid));
                                  return true;
                                })
                  .has_value());
      std::reverse(seen.begin(), seen.end());
      REQUIRE(seen == naive::chain(history_, commit));
    }
    for (int i = 0; i < 100; ++i) {
      const int a = any_commit();
      const int b = any_commit();
      REQUIRE(store::is_ancestor(repository_->reader(), at(a).name, at(b).name).value() ==
              descends(b, a));
    }
  }

  testing::Backend& backend_;
  Random random_;
  std::shared_ptr<testing::ManualClock> clock_ = std::make_shared<testing::ManualClock>();
  std::unique_ptr<graph::Repository> repository_;
  std::string branch_ = "main";
  std::map<std::string, int> tips_;  // -1: not there yet.
  naive::History history_;
  std::map<Oid, int> numbers_;
};

void live(testing::Backend& backend, std::uint64_t seed, int steps) {
  World world(backend, seed);
  for (int step = 0; step < steps; ++step) {
    INFO("store ", backend.name(), ", seed=", seed, ", step ", step);
    world.step();
  }
  INFO("store ", backend.name(), ", seed=", seed, ", at the end");
  world.check_all();
}

// 10,000 steps: many short lives, for they begin differently, and one long one.
void live_all(testing::Backend& backend) {
  for (std::uint64_t i = 0; i < spoor::testing::rounds(30U); ++i)
    live(backend, first_seed() + i, 300);
  live(backend, first_seed(), 1'000);
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("random histories compile as a naive fold from the root says, in memory") {
    live_all(*testing::memory_backend());
  }

  TEST_CASE("random histories compile as a naive fold from the root says, in SQLite") {
    live_all(*testing::sqlite_backend());
  }
}
