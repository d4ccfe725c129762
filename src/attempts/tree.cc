#include "attempts/tree.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "agent/record/recording.h"
#include "base/words.h"
#include "compile/commitment.h"
#include "compile/facts_view.h"
#include "graph/rewrite.h"
#include "store/ancestry.h"
#include "store/erased.h"
#include "trace/deriver.h"

namespace spoor::attempts {
namespace {

using store::Type;

constexpr std::string_view kTrees = "refs/trees/";
constexpr const char* kPending = "refs/trees/pending";  // Only within a transaction.
constexpr std::string_view kStarted = "tree-started";
constexpr std::size_t kDigits = 16;
constexpr std::size_t kShort = 8;
constexpr std::size_t kFewestDigits = 4;

constexpr std::array<std::pair<State, std::string_view>, 4> kStates = {{
    {State::waiting, "waiting"},
    {State::unfinished, "unfinished"},
    {State::ended, "ended"},
    {State::dropped, "dropped"},
}};

compile::Turn tree_turn(const Plan& plan) {
  compile::Turn turn{
      .type = Type::decision,
      .text = fmt::format("{} attempts at: {}", plan.attempts(), compile::preview(plan.goal))};
  turn.facts.set(fact::decision, kStarted);
  turn.facts.set(fact::count, plan.attempts());
  turn.attach.push_back({write_plan(plan)});
  turn.about.push_back(plan.base);
  return turn;
}

Result<void> write_tree(graph::Draft& draft, const store::Reader& reader, const Plan& plan,
                        const Changes& changes, const compile::Turn& turn,
                        const std::vector<Oid>& systems, Tree& tree) {
  const std::string ref = kPending;
  TRY(draft.move(ref, plan.base));
  TRY(write_changes(draft, reader, ref, changes, systems));
  tree.commit = TRY(draft.append(ref, turn));
  tree.id = tree.commit.hex(kDigits);
  TRY(draft.move(ref, std::nullopt));
  const std::string own = std::string(kTrees) + tree.id;
  if (TRY(draft.tip(own))) {
    return conflict(fmt::format("the tree {} already exists", tree.id.substr(0, kShort)),
                    "two trees were created at the same commit and time; try again");
  }
  TRY(draft.move(own, tree.commit));
  for (std::int64_t number = 1; number <= plan.attempts(); ++number) {
    TRY(graph::create_branch(draft, branch_of(tree, number), tree.commit));
  }
  return {};
}

Result<Tree> read_tree(const graph::Repository& repository, std::string id, const Oid& commit) {
  Tree tree{.id = std::move(id), .commit = commit, .plan = {}, .time = {}};
  const auto read = TRY(repository.reader().commit(commit));
  const compile::Facts facts = TRY(compile::read_facts(read->meta));
  if (facts.get(fact::decision) != kStarted || read->attach.empty()) {
    return corrupt(fmt::format("the first commit of the tree '{}' does not start a tree", tree.id),
                   "run 'spoor store fsck'");
  }
  const auto plan = TRY(repository.reader().content(read->attach.front().oid));
  const bool is_erased = store::is_erasure_text(*plan);
  if (is_erased || compile::is_commitment(*plan)) {
    return denied(fmt::format("the plan of the tree {} {}", tree.id.substr(0, kShort),
                              is_erased ? "was erased" : "was kept only as a hash"),
                  "make another tree with 'spoor fork REV --n 8'");
  }
  tree.plan = TRY(read_plan(*plan));
  tree.time = read->time;
  return tree;
}

std::string id_of(const store::Ref& ref) { return ref.name.substr(kTrees.size()); }

// Whether a tree's own budget ended the attempt, so that it goes on when there is more.
bool is_unfinished(const Plan& plan, const Attempt& attempt) {
  if (attempt.stopped == "max_steps") {
    const auto options = json::parse(plan.options);
    const auto most = options ? options->root().find("max_steps").integer() : std::nullopt;
    return most && static_cast<std::int64_t>(attempt.steps) < *most;
  }
  return attempt.stopped.empty() || attempt.stopped == "interrupted" ||
         attempt.stopped == "max_cost" || attempt.stopped == "max_tokens" ||
         attempt.stopped == "error" || attempt.by == kTreeLimit;
}

// Returns where a branch is here, else where it is in another store that was fetched from.
Result<std::optional<Oid>> end_of(const store::Store& store, const std::string& branch) {
  const auto here = TRY(store.ref(store::branch_ref(branch)));
  if (here) return here;
  for (const store::Ref& ref : TRY(store.refs("refs/remotes/"))) {
    if (ref.name.ends_with("/" + branch)) return std::optional(ref.target);
  }
  return std::optional<Oid>();
}

// Adds what the run has recorded.
Result<void> read_run(const graph::Repository& repository, const Plan& plan,
                      const llm::PriceList* prices, Attempt& attempt) {
  trace::TotalsFold fold(repository.reader(), prices);
  TRY(trace::derive(repository, {.run = attempt.run, .arguments = false}, attempt.run->head,
                    [&](const trace::Step& step) -> Result<void> {
                      if (const auto* message = std::get_if<trace::Message>(&step.what)) {
                        if (!message->records.empty()) attempt.answer = message->records.back().oid;
                      }
                      attempt.stopped.clear();
                      if (const auto* end = std::get_if<trace::End>(&step.what)) {
                        attempt.stopped = end->stopped;
                        attempt.by = end->by;
                      }
                      return fold.add(step);
                    }));
  attempt.totals = fold.totals();
  attempt.steps = attempt.totals.answers;
  attempt.state = is_unfinished(plan, attempt) ? State::unfinished : State::ended;
  if (!attempt.stopped.empty()) attempt.end = attempt.run->head;
  return {};
}

}  // namespace

std::string_view name_of(State state) { return word_in(kStates, state); }

Result<std::vector<Oid>> system_turns(const store::Reader& reader, const Oid& base) {
  std::vector<Oid> turns;
  const auto depth = TRY(reader.commit(base))->depth + 1;
  TRY(reader.run(
      base, depth,
      [&](const store::NamedCommit& each) {
        if (each.commit->type == Type::system && each.commit->content) turns.push_back(each.oid);
        return true;
      },
      store::Reader::keep_for(depth)));
  std::reverse(turns.begin(), turns.end());
  return turns;
}

Result<void> write_changes(graph::Draft& draft, const store::Reader& reader, const std::string& ref,
                           const Changes& changes, const std::vector<Oid>& systems) {
  for (const auto& [target, text] : changes.edited) {
    TRY(draft.edit(ref, target, {.text = text}, {}));
  }
  if (!changes.system) return {};
  if (systems.empty()) {
    const compile::Turn turn{.type = Type::system, .text = *changes.system};
    TRY(graph::rebase(draft, reader, ref, TRY(draft.append_to(std::nullopt, turn))));
    return {};
  }
  TRY(draft.edit(ref, systems.front(), {.text = *changes.system}, {}));
  for (std::size_t i = 1; i < systems.size(); ++i) {
    TRY(draft.annotate(ref, systems[i], store::Priority::skip, "another system prompt", {}));
  }
  return {};
}

std::string branch_of(const Tree& tree, std::int64_t number) {
  return fmt::format("fork/{}-{}", tree.id.substr(0, kShort), number);
}

Result<Tree> create_tree(graph::Repository& repository, const Plan& plan, const Changes& changes) {
  if (plan.count > kMostAttempts || plan.attempts() > kMostAttempts) {
    return invalid(fmt::format("a tree has at most {} attempts", kMostAttempts),
                   "make several, and compare them with --tree for each");
  }
  std::vector<Oid> systems;
  if (changes.system) systems = TRY(system_turns(repository.reader(), plan.base));
  const compile::Turn turn =
      graph::stamped(tree_turn(plan), repository.author(), repository.clock().now());
  Tree tree{.id = {}, .commit = {}, .plan = plan, .time = turn.time};
  TRY(repository.transact("fork", graph::OnConflict::fail, [&](graph::Draft& draft) {
    return write_tree(draft, repository.reader(), plan, changes, turn, systems, tree);
  }));
  return tree;
}

Result<std::vector<Tree>> list_trees(const graph::Repository& repository) {
  std::vector<Tree> trees;
  for (const store::Ref& ref : TRY(repository.store().refs(std::string(kTrees)))) {
    auto tree = read_tree(repository, id_of(ref), ref.target);
    if (tree) {
      trees.push_back(std::move(*tree));
    } else if (tree.error().code != Error::Code::denied) {
      return tree.error();
    }
  }
  std::stable_sort(trees.begin(), trees.end(), [](const Tree& a, const Tree& b) {
    return a.time.value_or(Timestamp()) > b.time.value_or(Timestamp());
  });
  return trees;
}

Result<Tree> find_tree(const graph::Repository& repository, std::string_view name) {
  if (name == "latest") {
    auto trees = TRY(list_trees(repository));
    if (!trees.empty()) return std::move(trees.front());
    return not_found("no trees yet", "make one with 'spoor fork REV --n 8'");
  }
  constexpr std::string_view kBranches = "fork/";
  if (name.starts_with(kBranches)) {
    name.remove_prefix(kBranches.size());
    name = name.substr(0, name.find('-'));
  }
  std::vector<store::Ref> found;
  if (name.size() >= kFewestDigits) {
    const std::string prefix = std::string(kTrees).append(name.substr(0, kDigits));
    found = TRY(repository.store().refs(prefix));
  }
  if (found.size() > 1) {
    return ambiguous(fmt::format("'{}' matches {} trees", name, found.size()),
                     "give more digits of the tree's id");
  }
  if (found.empty() || found.front().target.hex().compare(0, name.size(), name) != 0) {
    return not_found(fmt::format("no tree named '{}'", name),
                     "'latest' is the newest; make one with 'spoor fork REV --n 8'");
  }
  return read_tree(repository, id_of(found.front()), found.front().target);
}

Result<Attempt> attempt_of(const graph::Repository& repository, const Tree& tree,
                           std::int64_t number, const llm::PriceList* prices) {
  Attempt attempt{
      .number = number, .model = tree.plan.model_of(number), .branch = branch_of(tree, number)};
  const store::Reader& reader = repository.reader();
  const auto tip = TRY(end_of(repository.store(), attempt.branch));
  if (!tip || !TRY(store::is_on_line(reader, tree.commit, *tip))) {
    attempt.state = State::dropped;
    return attempt;
  }
  if (*tip == tree.commit) return attempt;
  const auto depth = TRY(reader.commit(tree.commit))->depth + 1;
  attempt.run = TRY(agent::run_of(repository, TRY(store::ancestor_at(reader, *tip, depth))));
  if (!attempt.run) {
    attempt.state = State::dropped;  // Somebody else went on from the branch.
    return attempt;
  }
  TRY(read_run(repository, tree.plan, prices, attempt));
  return attempt;
}

Result<std::vector<Attempt>> attempts_of(const graph::Repository& repository, const Tree& tree,
                                         const llm::PriceList* prices) {
  std::vector<Attempt> attempts;
  for (std::int64_t number = 1; number <= tree.plan.attempts(); ++number) {
    attempts.push_back(TRY(attempt_of(repository, tree, number, prices)));
  }
  return attempts;
}

}  // namespace spoor::attempts
